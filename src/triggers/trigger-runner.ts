import type { TriggerDef } from '../spec/types.ts'
import { isOver } from './delivery.ts'
import { startSource } from './sources.ts'
import type { SourceContext, TriggerSource } from './trigger.ts'
import type { TriggerParts } from './trigger-parts.ts'

/** Starts and stops the sources of triggers. */
export interface TriggerRunner {
  readonly start: (host: string) => Promise<void>
  readonly stop: (graceMs: number) => Promise<void>
  /** The source of a trigger while it is at work. */
  readonly source: (name: string) => TriggerSource | undefined
}

// The queue gets a moment more than the calls it runs: they end when the grace is over, then it hands them back.
const HAND_BACK_MS = 1_000

/** Creates what starts and stops the sources of triggers. */
export function createTriggerRunner(
  parts: TriggerParts,
  definitions: readonly TriggerDef[],
): TriggerRunner {
  const { starters, liveness, deliverers, clock, stopped } = parts
  const running = new Map<string, TriggerSource>()
  let state: 'new' | 'started' | 'stopped' = 'new'

  async function stopSources(signal: AbortSignal): Promise<void> {
    const sources = [...running.values()]
    running.clear()
    await Promise.all(sources.map((source) => source.stop(signal)))
  }

  return {
    source: (name) => running.get(name),
    async start(host) {
      if (state === 'started') throw new TypeError('the triggers are started already')
      if (state === 'stopped') {
        throw new TypeError('the triggers were stopped; create new ones to start again')
      }
      state = 'started'
      await liveness.start()
      try {
        for (const trigger of definitions) {
          const source = await startSource(starters, toContext(parts, trigger, host))
          running.set(trigger.name, source)
        }
      } catch (thrown) {
        await stopSources(AbortSignal.abort())
        await liveness.stop()
        state = 'new'
        throw thrown
      }
      for (const deliverer of deliverers.values()) deliverer.work()
    },
    async stop(graceMs) {
      state = 'stopped'
      const until = clock.elapsed() + graceMs
      const timer = setTimeout(() => stopped.abort(), graceMs)
      await stopSources(stopped.signal)
      await parts.closeJobs(Math.max(0, until - clock.elapsed()) + HAND_BACK_MS)
      await Promise.all([...deliverers.values()].map((deliverer) => deliverer.idle()))
      clearTimeout(timer)
      stopped.abort()
      await liveness.stop()
      await parts.closeStore()
    },
  }
}

function toContext(parts: TriggerParts, trigger: TriggerDef, host: string): SourceContext {
  const { service, store, clock, log, env, cwd, deliveries, deliverers } = parts
  const deliverer = deliverers.get(trigger.name)
  if (deliverer === undefined) throw new TypeError(`trigger ${trigger.name} is not defined`)
  return {
    trigger,
    service: service.name,
    accept: deliverer.accept,
    settle: deliverer.settle,
    store,
    clock,
    log,
    env,
    cwd,
    host,
    async isOpen(id) {
      const entry = await deliveries.read(id)
      return entry !== undefined && !isOver(entry.delivery)
    },
  }
}
