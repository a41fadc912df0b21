import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { usePolled } from '../model/poll.ts'
import {
  type Delivery,
  readDeliveries,
  readTriggers,
  redeliver,
  type Trigger,
} from '../model/triggers.ts'
import { ActionButton } from '../view/action-button.tsx'
import { Trouble } from '../view/controls.tsx'
import type { Panel } from './panel.ts'
import { StateFilter } from './state-filter.tsx'

const STATES = ['', 'received', 'running', 'retrying', 'done', 'dead'] as const

/** What calls functions from outside: webhooks, schedules, events, queues, files. */
export const triggersPanel: Panel = {
  id: 'triggers',
  title: 'Triggers',
  icon: 'bolt',
  probe: async ({ triggersPresent }) => triggersPresent,
  View: TriggersView,
}

function TriggersView(): JSX.Element {
  const { forrst } = useExplorer()
  const [trigger, setTrigger] = useState('')
  const [state, setState] = useState('')
  const known = usePolled<readonly Trigger[]>([], () => readTriggers(forrst), [])
  const sent = usePolled<readonly Delivery[]>(
    [],
    () => readDeliveries(forrst, { trigger, state }),
    [trigger, state],
  )
  const triggers = known.value
  const deliveries = sent.value
  const problem = known.problem ?? sent.problem
  return (
    <div class="panel">
      <header class="panel-head">
        <h2>Triggers</h2>
        <p class="panel-lead">What happens outside and calls a function here.</p>
      </header>
      {problem && <Trouble reason={problem} onRetry={sent.refresh} />}
      <ul class="component-grid">
        {triggers.map((entry) => (
          <li key={entry.name}>
            <TriggerCard
              trigger={entry}
              chosen={entry.name === trigger}
              onChoose={() => setTrigger(entry.name === trigger ? '' : entry.name)}
            />
          </li>
        ))}
      </ul>
      <h3 class="deliveries-head">Deliveries{trigger && ` of ${trigger}`}</h3>
      <StateFilter states={STATES} state={state} onChange={setState} />
      {!problem && deliveries.length === 0 && (
        <p class="empty">No deliveries {state && `that are ${state}`}.</p>
      )}
      <ul class="operations">
        {deliveries.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow delivery={delivery} onChange={sent.refresh} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function TriggerCard({
  trigger,
  chosen,
  onChoose,
}: {
  readonly trigger: Trigger
  readonly chosen: boolean
  readonly onChoose: () => void
}): JSX.Element {
  const [next] = trigger.next
  return (
    <article class="component trigger" aria-label={trigger.name}>
      <h3>
        <button type="button" class="trigger-name" aria-pressed={chosen} onClick={onChoose}>
          {trigger.name}
        </button>
        <span class={`state is-${trigger.state}`}>{trigger.state}</span>
      </h3>
      <p>{trigger.description}</p>
      <dl>
        <dt>{trigger.type}</dt>
        <dd>
          <code>{trigger.where}</code>
        </dd>
        <dt>calls</dt>
        <dd>
          <code>{trigger.tool}</code>
        </dd>
        {next && <dt>next</dt>}
        {next && (
          <dd>
            <time dateTime={next} title={trigger.next.map(toMoment).join('\n')}>
              {toMoment(next)}
            </time>
          </dd>
        )}
      </dl>
      {trigger.trouble && <p class="trigger-trouble">{trigger.trouble}</p>}
    </article>
  )
}

function DeliveryRow({
  delivery,
  onChange,
}: {
  readonly delivery: Delivery
  readonly onChange: () => void
}): JSX.Element {
  const { forrst, executeEnabled } = useExplorer()
  const enabled = useCell(executeEnabled)
  const { id, state, tried, error } = delivery
  const ended = state === 'done' || state === 'dead'
  return (
    <article class="operation delivery" aria-label={`${delivery.trigger} ${id}`}>
      <span class={`state is-${state}`}>{state}</span>
      <span class="operation-name">{delivery.trigger}</span>
      <time dateTime={delivery.receivedAt}>{toMoment(delivery.receivedAt)}</time>
      <span class="operation-work">
        {error ?? (tried === 1 ? '1 attempt' : `${tried} attempts`)}
      </span>
      <details>
        <summary>Payload</summary>
        <pre>{JSON.stringify(delivery.payload, null, 2)}</pre>
      </details>
      {ended && enabled && (
        <ActionButton label="Redeliver" act={() => redeliver(forrst, id)} onEnd={onChange} />
      )}
    </article>
  )
}

function toMoment(text: string): string {
  const moment = new Date(text)
  return Number.isNaN(moment.getTime()) ? text : moment.toLocaleString()
}
