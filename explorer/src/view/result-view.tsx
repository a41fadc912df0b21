import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { type Piece, toPiece, toResultValue, toRows } from '../model/result.ts'
import type { Run, Session } from '../model/session.ts'
import type { CallAnswer } from '../model/types.ts'
import { Card, CopyButton, Tabs } from './controls.tsx'
import { DataTable } from './data-table.tsx'
import { JsonText } from './json-text.tsx'
import { JsonTree } from './json-tree.tsx'

/** Shows how the last call of a session went. */
export function ResultView({ session }: { readonly session: Session }): JSX.Element | null {
  const run = useCell(session.run)
  if (run.state === 'idle') return null
  if (run.state === 'running') return <Running run={run} onCancel={session.cancel} />
  return <Answer key={run} answer={run.answer} label={run.label} />
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
      <p class="running" role="status">
        <span class="spinner" aria-hidden="true" /> Running for{' '}
        {formatElapsed(Math.max(0, now - run.since))}
      </p>
    </Card>
  )
}

function Answer({
  answer,
  label,
}: {
  readonly answer: CallAnswer
  readonly label: string
}): JSX.Element {
  const [tab, setTab] = useState('result')
  const rows = answer.isError ? undefined : toRows(toResultValue(answer.content, answer.structured))
  const raw = JSON.stringify(answer.envelope, null, 2) ?? ''
  const tabs = [
    { id: 'result', label: 'Result' },
    ...(rows ? [{ id: 'table', label: 'Table' }] : []),
    { id: 'raw', label: label === 'Result' ? 'Raw MCP' : 'Raw answer' },
  ]
  return (
    <Card title={label} actions={<CopyButton text={() => raw} />}>
      <div class="result-head">
        <p class={`outcome ${answer.isError ? 'is-error' : 'is-good'}`} role="status">
          <span class="dot" aria-hidden="true" />
          {describeOutcome(answer)}
        </p>
        <Tabs label="How to show the result" tabs={tabs} current={tab} onChange={setTab} />
      </div>
      <div class={`result-body ${answer.isError ? 'is-error' : ''}`}>
        {answer.notice && <p class="notice">{answer.notice}</p>}
        {tab === 'result' && <Pieces answer={answer} />}
        {tab === 'table' && rows && <DataTable rows={rows} />}
        {tab === 'raw' && (
          <pre class="code">
            <JsonText text={raw} />
          </pre>
        )}
      </div>
    </Card>
  )
}

function Pieces({ answer }: { readonly answer: CallAnswer }): JSX.Element {
  const pieces = answer.content.map(toPiece)
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
      return <pre class="text-result">{piece.text}</pre>
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
