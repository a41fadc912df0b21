import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { isRecord } from '../../../src/values/json.ts'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { type Forrst, FUNCTIONS, requireResult } from '../model/forrst.ts'
import { usePolled } from '../model/poll.ts'
import { ActionButton } from '../view/action-button.tsx'
import { Trouble } from '../view/controls.tsx'
import type { Panel } from './panel.ts'
import { StateFilter } from './state-filter.tsx'

const STATES = ['', 'pending', 'processing', 'completed', 'failed', 'cancelled'] as const

interface Operation {
  readonly id: string
  readonly function: string
  readonly version: string
  readonly status: string
  readonly progress: number | undefined
  readonly startedAt: string | undefined
  readonly message: string | undefined
}

/** Work that outlives its call, and how far it is. */
export const operationsPanel: Panel = {
  id: 'operations',
  title: 'Operations',
  icon: 'layers',
  // Asking what there is, rather than trying: a refusal would stand in the browser's console as an error.
  probe: async ({ forrst }) => {
    const { extensions } = requireResult(await forrst.call({ function: FUNCTIONS.capabilities }))
    return (
      Array.isArray(extensions) &&
      extensions.some((entry) => isRecord(entry) && isAsync(entry['urn']))
    )
  },
  View: OperationsView,
}

function OperationsView(): JSX.Element {
  const { forrst } = useExplorer()
  const [state, setState] = useState('')
  const polled = usePolled<readonly Operation[]>([], () => readOperations(forrst, state), [state])
  const { value: operations, problem, refresh } = polled
  return (
    <div class="panel">
      <header class="panel-head">
        <h2>Operations</h2>
        <p class="panel-lead">
          Calls that go on in the background, newest state every two seconds.
        </p>
      </header>
      <StateFilter states={STATES} state={state} onChange={setState} />
      {problem && <Trouble reason={problem} onRetry={refresh} />}
      {!problem && operations.length === 0 && (
        <p class="empty">No operations {state && `that are ${state}`}.</p>
      )}
      <ul class="operations">
        {operations.map((operation) => (
          <li key={operation.id}>
            <OperationRow operation={operation} onChange={refresh} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function OperationRow({
  operation,
  onChange,
}: {
  readonly operation: Operation
  readonly onChange: () => void
}): JSX.Element {
  const { forrst, executeEnabled } = useExplorer()
  const enabled = useCell(executeEnabled)
  const { id, status, progress, message } = operation
  const running = status === 'pending' || status === 'processing'
  const cancel = async () => {
    const call = { function: FUNCTIONS.cancel, arguments: { operation_id: id } }
    requireResult(await forrst.call(call))
  }
  return (
    <article class="operation" aria-label={`${operation.function} ${id}`}>
      <span class={`state is-${status}`}>{status}</span>
      <span class="operation-name">{operation.function}</span>
      <code>{id}</code>
      <StartTime at={operation.startedAt} />
      <span class="operation-work">
        {running && (
          <progress
            aria-label={`Progress of ${id}`}
            {...(progress !== undefined && { value: progress })}
            max={1}
          />
        )}
        {progress !== undefined && running && <span>{Math.round(progress * 100)} %</span>}
        {message && <span>{message}</span>}
      </span>
      {running && enabled && <ActionButton label="Cancel" act={cancel} onEnd={onChange} />}
    </article>
  )
}

function isAsync(urn: unknown): boolean {
  return typeof urn === 'string' && urn.endsWith(':ext:async')
}

function StartTime({ at }: { readonly at: string | undefined }): JSX.Element {
  const moment = new Date(at ?? Number.NaN)
  if (at === undefined || Number.isNaN(moment.getTime())) return <span />
  return <time dateTime={at}>{moment.toLocaleTimeString()}</time>
}

async function readOperations(forrst: Forrst, status: string): Promise<readonly Operation[]> {
  const answer = await forrst.call({
    function: FUNCTIONS.operations,
    arguments: { limit: 100, ...(status !== '' && { status }) },
  })
  const { operations } = requireResult(answer)
  return (Array.isArray(operations) ? operations : []).filter(isRecord).map(toOperation)
}

function toOperation(entry: Record<string, unknown>): Operation {
  const text = (member: string) => (typeof entry[member] === 'string' ? entry[member] : undefined)
  return {
    id: text('id') ?? '',
    function: text('function') ?? '',
    version: text('version') ?? '',
    status: text('status') ?? 'unknown',
    progress: typeof entry['progress'] === 'number' ? entry['progress'] : undefined,
    startedAt: text('started_at'),
    message: text('message'),
  }
}
