import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryStore } from '../../src/entries/store.ts'
import type { TriggerDef } from '../../src/sources/tool-spec/types.ts'
import type { Settled, SourceContext, TriggerEvent } from '../../src/triggers/trigger.ts'
import { systemClock } from '../../src/values/time.ts'

/** What a source under test did. */
export interface RecordedSource<Definition extends TriggerDef> {
  readonly context: SourceContext<Definition>
  /** Events that were accepted, or settled as done or dead, each id once. */
  readonly events: TriggerEvent[]
  /** Every event that was handed over, copies too. */
  readonly seen: TriggerEvent[]
  readonly warnings: string[]
}

/** How the functions behind a source behave. */
export interface RecordedSourceOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly host?: string
  readonly now?: () => number
  /** Throws when the store is away. */
  readonly accept?: (event: TriggerEvent) => void
  /** What settling an event gives; `done` when absent. */
  readonly settle?: (event: TriggerEvent) => Promise<Settled> | Settled
}

/** Makes a context that keeps events in memory, so that sources are tested without what runs functions. */
export function createRecordedSource<Definition extends TriggerDef>(
  trigger: Definition,
  options: RecordedSourceOptions = {},
): RecordedSource<Definition> {
  const events: TriggerEvent[] = []
  const seen: TriggerEvent[] = []
  const warnings: string[] = []
  const ids = new Set<string>()
  const note = (message: string) => void warnings.push(message)

  const context: SourceContext<Definition> = {
    trigger,
    service: 'test',
    async accept(event) {
      seen.push(event)
      options.accept?.(event)
      if (ids.has(event.id)) return { status: 'duplicate', delivery: event.id }
      ids.add(event.id)
      events.push(event)
      return { status: 'accepted', delivery: event.id }
    },
    async settle(event) {
      seen.push(event)
      if (ids.has(event.id)) return { status: 'duplicate', delivery: event.id }
      const settled = (await options.settle?.(event)) ?? toDone(event)
      if (settled.status === 'retry') return settled
      ids.add(event.id)
      events.push(event)
      return settled
    },
    store: createMemoryStore(),
    clock: options.now ? { now: options.now, elapsed: systemClock.elapsed } : systemClock,
    log: { warn: note, error: note },
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    host: options.host ?? '127.0.0.1',
    isOpen: async () => false,
  }
  return { context, events, seen, warnings }
}

function toDone(event: TriggerEvent): Settled {
  return { status: 'done', delivery: event.id, result: null }
}

/** Waits until something is so; the limit is generous, for a machine with other work. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  limitMs = 15_000,
): Promise<void> {
  const end = Date.now() + limitMs
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Waited in vain until ${what}`)
    await sleep(20)
  }
}

/** A signal that never aborts within a test, for stopping sources. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(10_000)
}
