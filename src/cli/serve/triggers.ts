import type { Store } from '../../store/index.ts'
import {
  createTriggers,
  type EventBus,
  openEventBus,
  type TriggerStatus,
  type Triggers,
} from '../../triggers/index.ts'
import { toReason } from '../../values/index.ts'
import { type CommandInput, type Io, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { formatTable, printable } from '../print.ts'
import type { LoadedSource } from '../source/source.ts'

/** Opens what carries events: --bus, WAYMARK_BUS, or this process alone. */
export async function openBusOf(input: CommandInput): Promise<EventBus> {
  const url = readTextFlag(input, 'bus') || input.io.env['WAYMARK_BUS'] || 'memory:'
  try {
    return await openEventBus(url)
  } catch (thrown) {
    throw new UsageError(toReason(thrown))
  }
}

/** Creates the triggers of what is served; undefined when there are none. */
export function createServedTriggers(
  { service, triggers }: LoadedSource,
  {
    store,
    bus,
    io,
  }: { readonly store: Store | undefined; readonly bus: EventBus; readonly io: Io },
): Triggers | undefined {
  if (triggers.length === 0) return undefined
  if (store === undefined || store.kind === 'memory') {
    io.err(
      'Deliveries of triggers are kept in memory and end with this process; --store keeps them.\n',
    )
  }
  try {
    const { env, cwd } = io
    return createTriggers({ service, triggers, bus, env, cwd, ...(store && { store }) })
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

/** Starts triggers; what one of them lacks, such as a secret, is the person's to give. */
export async function startServedTriggers(triggers: Triggers | undefined): Promise<void> {
  try {
    await triggers?.start()
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

/** Leaves out what needs a port, and says how that is run. */
export function withoutWebhooks(
  loaded: LoadedSource,
  { io, positionals }: CommandInput,
): LoadedSource {
  const triggers = loaded.triggers.filter(({ type }) => type !== 'webhook')
  for (const { type, name } of loaded.triggers) {
    if (type !== 'webhook') continue
    io.err(
      `Webhook ${printable(name)} needs HTTP and does not run over stdio; beside this, on the same --store: waymark serve ${printable(positionals.join(' '))}\n`,
    )
  }
  return { ...loaded, triggers }
}

/** Writes the triggers under what `serve` prints. */
export function formatTriggers(triggers: readonly TriggerStatus[]): string {
  const rows = triggers.map(({ name, type, where, tool, next, trouble }) => [
    printable(name),
    type,
    printable(where),
    `-> ${printable(tool)}`,
    printable(trouble ?? formatNext(next)),
  ])
  return `\n${triggers.length} ${triggers.length === 1 ? 'trigger' : 'triggers'}\n${formatTable(rows)}`
}

function formatNext([first]: readonly number[] = []): string {
  return first === undefined ? '' : `next ${new Date(first).toISOString()}`
}
