import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { type Piece, toErrors, toPiece, toPiecesValue, toRows } from '../model/result.ts'
import { fromBase64, saveFile, toFileName } from '../model/save.ts'
import type { Run, Session } from '../model/session.ts'
import type { CallAnswer } from '../model/types.ts'
import { Card, CopyButton, SaveButton, TabPanel, Tabs } from './controls.tsx'
import { DataTable } from './data-table.tsx'
import { JsonTree } from './json-tree.tsx'
import { LongText } from './long-text.tsx'

/** Shows how the last call of a session went. */
export function ResultView({ session }: { readonly session: Session }): JSX.Element {
  const run = useCell(session.run)
  return (
    <>
      <p class="unseen" role="status">
        {announce(run)}
      </p>
      {run.state === 'running' && <Running run={run} onCancel={session.cancel} />}
      {run.state === 'done' && (
        <Answer key={run} answer={run.answer} label={run.label} tool={session.detail.name} />
      )}
    </>
  )
}

/** Says once what changes: a screen reader reads every change of a status aloud. */
function announce(run: Run): string {
  if (run.state === 'done') return run.answer.isError ? 'The call failed' : 'The call succeeded'
  return run.state === 'running' ? 'Running' : ''
}

function Running({
  run,
  onCancel,
}: {
  readonly run: Extract<Run, { state: 'running' }>
  readonly onCancel: () => void
}): JSX.Element {
  const [now, setNow] = useState(performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100)
    return () => clearInterval(timer)
  }, [])
  return (
    <Card
      title={run.label}
      actions={
        <button type="button" class="quiet-button" onClick={onCancel}>
          Cancel
        </button>
      }
    >
      <p class="running">
        <span class="spinner" aria-hidden="true" /> Running for{' '}
        {formatElapsed(Math.max(0, now - run.since))}
      </p>
    </Card>
  )
}

function Answer({
  answer,
  label,
  tool,
}: {
  readonly answer: CallAnswer
  readonly label: string
  readonly tool: string
}): JSX.Element {
  const [tab, setTab] = useState('result')
  const pieces = useMemo(() => answer.content.map(toPiece), [answer])
  const rows = answer.isError ? undefined : toRows(toPiecesValue(pieces, answer.structured))
  const write = () => (tab === 'raw' ? writeJson(answer.envelope) : writeAnswer(answer, pieces))
  const save = () => {
    const text = write()
    const isJson = tab === 'raw' || isJsonAnswer(answer, pieces)
    const type = isJson ? 'application/json' : 'text/plain'
    saveFile(`${toFileName(tool)}.${isJson ? 'json' : 'txt'}`, text, type)
  }
  const tabs = [
    { id: 'result', label: 'Result' },
    ...(rows ? [{ id: 'table', label: 'Table' }] : []),
    { id: 'raw', label: label === 'Result' ? 'Raw MCP' : 'Raw answer' },
  ]
  return (
    <Card
      title={label}
      actions={
        <>
          <CopyButton text={write} />
          <SaveButton onSave={save} />
        </>
      }
    >
      <div class="result-head">
        <p class={`outcome ${answer.isError ? 'is-error' : 'is-good'}`}>
          <span class="dot" aria-hidden="true" />
          {describeOutcome(answer)}
        </p>
        <Tabs label="How to show the result" tabs={tabs} current={tab} onChange={setTab} />
      </div>
      <TabPanel tabs={tabs} current={tab} class={`result-body ${answer.isError ? 'is-error' : ''}`}>
        {answer.notice && <p class="notice">{answer.notice}</p>}
        <Errors answer={answer} />
        {tab === 'result' && <Pieces answer={answer} pieces={pieces} />}
        {tab === 'table' && rows && <DataTable rows={rows} />}
        {tab === 'raw' && <LongText text={writeJson(answer.envelope)} class="code" coloured />}
      </TabPanel>
    </Card>
  )
}

/** Says in words what a function answered with instead of a result. */
function Errors({ answer }: { readonly answer: CallAnswer }): JSX.Element | null {
  const errors = toErrors(answer)
  if (errors.length === 0) return null
  return (
    <ul class="error-list">
      {errors.map(({ code, message }, at) => (
        <li key={at}>
          <span dir="auto">{message}</span> <code>{code}</code>
        </li>
      ))}
    </ul>
  )
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

function isJsonAnswer({ structured }: CallAnswer, pieces: readonly Piece[]): boolean {
  return structured !== undefined || pieces.some(({ kind }) => kind !== 'text')
}

/** Writes what a tool said, without the envelope it came in; of pictures and files only that tells something. */
function writeAnswer(answer: CallAnswer, pieces: readonly Piece[]): string {
  const { structured, envelope } = answer
  if (structured !== undefined) return writeJson(structured)
  const [first] = pieces
  if (pieces.length === 1 && first?.kind === 'json') return writeJson(first.value)
  if (isJsonAnswer(answer, pieces) || pieces.length === 0) return writeJson(envelope)
  return pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('\n')
}

function Pieces({
  answer,
  pieces,
}: {
  readonly answer: CallAnswer
  readonly pieces: readonly Piece[]
}): JSX.Element {
  const drawn =
    answer.structured !== undefined &&
    pieces.every(({ kind }) => kind === 'json' || kind === 'text')
      ? [{ kind: 'json', value: answer.structured } as const]
      : pieces
  return (
    <>
      {drawn.map((piece, at) => (
        <PieceView key={at} piece={piece} />
      ))}
      {drawn.length === 0 && !answer.notice && (
        <p class="empty">The tool answered without content.</p>
      )}
    </>
  )
}

function PieceView({ piece }: { readonly piece: Piece }): JSX.Element {
  switch (piece.kind) {
    case 'json':
      return <JsonTree value={piece.value} />
    case 'text':
      return <LongText text={piece.text} class="text-result" />
    case 'image':
      return (
        <img
          class="image-result"
          src={piece.source}
          alt={`Result of the tool (${piece.mimeType})`}
        />
      )
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: a tool's sound comes without a transcript
      return <audio controls src={piece.source} />
    case 'file':
      return (
        <p class="file-result">
          <SaveButton
            name={piece.name}
            onSave={() => saveFile(piece.name, fromBase64(piece.data), piece.mimeType)}
          />
          <span class="field-type">
            {piece.mimeType} · {Math.floor((piece.data.length * 3) / 4).toLocaleString('en')} bytes
          </span>
        </p>
      )
    case 'link':
      return (
        <p>
          <a href={piece.href} target="_blank" rel="noopener noreferrer">
            {piece.label}
          </a>
        </p>
      )
  }
}

function describeOutcome({ status, isError, elapsed }: CallAnswer): string {
  if (status === 0) return 'No answer'
  return `${isError ? 'Failed' : 'Completed'} in ${formatElapsed(elapsed)} · HTTP ${status}`
}

/** Writes a time as people read it. */
export function formatElapsed(milliseconds: number): string {
  if (milliseconds < 10 && !Number.isInteger(milliseconds)) return `${milliseconds.toFixed(1)} ms`
  return milliseconds < 1000
    ? `${Math.round(milliseconds)} ms`
    : `${(milliseconds / 1000).toFixed(1)} s`
}
