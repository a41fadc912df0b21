import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { type FunctionFacts, simulate } from '../model/forrst.ts'
import { resolveLink } from '../model/link.ts'
import { toResultValue } from '../model/result.ts'
import { formatToolRoute } from '../model/route.ts'
import { parseArguments, type Session } from '../model/session.ts'
import { Card, IconButton } from './controls.tsx'
import { HistoryView } from './history-view.tsx'
import { Icon } from './icon.tsx'
import { JsonEditor } from './json-editor.tsx'
import { ResultView } from './result-view.tsx'
import { SnippetsView } from './snippets-view.tsx'
import { VerdictView } from './verdict-view.tsx'

/** The place to try a tool: its arguments as text, what to do with them, and what came of it. */
export function ConsoleView({
  session,
  facts,
}: {
  readonly session: Session
  readonly facts: FunctionFacts | undefined
}): JSX.Element {
  const { executeEnabled, dialog } = useExplorer()
  const enabled = useCell(executeEnabled)
  const run = () => {
    if (enabled) void session.execute()
  }
  useConsoleKeys(session, run, () => dialog.get() !== 'none')
  return (
    <div class="console">
      <Card
        title="Request"
        actions={<IconButton icon="reset" label="Reset the arguments" onClick={session.reset} />}
      >
        <JsonEditor session={session} onRun={run} />
        <Actions session={session} enabled={enabled} onRun={run} />
        <VerdictView session={session} />
        <Scenarios session={session} facts={facts} />
      </Card>
      <ResultView session={session} />
      <RelatedLinks session={session} facts={facts} />
      <SnippetsView session={session} facts={facts} />
      <HistoryView tool={session.detail.name} onPick={({ body }) => session.edit(reformat(body))} />
    </div>
  )
}

function Actions({
  session,
  enabled,
  onRun,
}: {
  readonly session: Session
  readonly enabled: boolean
  readonly onRun: () => void
}): JSX.Element {
  const running = useCell(session.run).state === 'running'
  return (
    <div class="actions">
      {enabled && (
        <button type="button" class="button primary" disabled={running} onClick={onRun}>
          <Icon name="play" size={13} />
          {running ? 'Executing...' : 'Execute'}
        </button>
      )}
      <button type="button" class="button" onClick={() => void session.validate()}>
        <Icon name="check" size={14} />
        Validate
      </button>
      {!enabled && (
        <p class="execution-off">
          Tool execution is disabled. Launch with --allow-execute to enable.
        </p>
      )}
    </div>
  )
}

function Scenarios({
  session,
  facts,
}: {
  readonly session: Session
  readonly facts: FunctionFacts | undefined
}): JSX.Element | null {
  const { forrst } = useExplorer()
  if (facts === undefined) return null
  const examples = facts.examples.map((example) => ({
    name: example.name,
    args: Object.fromEntries(
      facts.arguments.flatMap(({ name }, at) => {
        const value = example.params[at]?.value
        return value === undefined ? [] : [[name, value] as const]
      }),
    ),
  }))
  if (facts.simulations.length + examples.length === 0) return null
  return (
    <div class="scenarios">
      {facts.simulations.map((scenario) => (
        <button
          key={scenario.name}
          type="button"
          class={`chip ${scenario.error ? 'is-error' : ''}`}
          title={scenario.description ?? 'Answered from a script; nothing happens'}
          onClick={() => {
            session.load(scenario.input)
            void session.perform(`Simulation: ${scenario.name}`, () =>
              simulate(forrst, facts, scenario),
            )
          }}
        >
          <Icon name="flask" size={13} />
          Simulate {scenario.name}
        </button>
      ))}
      {examples.map(({ name, args }) => (
        <button
          key={name}
          type="button"
          class="chip"
          title="Fills in the arguments"
          onClick={() => session.load(args)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

function RelatedLinks({
  session,
  facts,
}: {
  readonly session: Session
  readonly facts: FunctionFacts | undefined
}): JSX.Element | null {
  const { index } = useExplorer()
  const entries = useCell(index)
  const run = useCell(session.run)
  if (facts === undefined || run.state !== 'done' || run.answer.isError) return null
  const result = toResultValue(run.answer.content, run.answer.structured)
  const targets = facts.links.flatMap((link) => {
    const found = entries.find(({ label }) => label === link.function)
    return found === undefined
      ? []
      : [{ link, tool: found.tool.name, args: resolveLink(link, result) }]
  })
  if (targets.length === 0) return null
  return (
    <Card title="Go on with">
      <ul class="links">
        {targets.map(({ link, tool, args }) => (
          <li key={link.name}>
            <a href={formatToolRoute(tool, JSON.stringify(args))}>
              <Icon name="arrow" size={14} />
              <strong>{link.name}</strong>
              <code>{JSON.stringify(args)}</code>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Works from anywhere on the page, also while typing in the form, but not behind a window. */
function useConsoleKeys(session: Session, run: () => void, isCovered: () => boolean): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.defaultPrevented)
        return
      if (isCovered()) return
      event.preventDefault()
      if (event.shiftKey) void session.validate()
      else run()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

function reformat(body: string): string {
  const parsed = parseArguments(body)
  return parsed.ok ? JSON.stringify(parsed.value, null, 2) : body
}
