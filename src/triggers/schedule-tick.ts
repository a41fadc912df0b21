import type { ScheduleTrigger } from '../spec/types.ts'
import type { LastTick, ScheduleMemory } from './schedule-memory.ts'
import type { SourceContext } from './trigger.ts'
import { pause } from './within-time.ts'

const LOOK_MS = 1_000
// How far the clocks of processes that share a store may be apart.
const SKEW_MS = 60_000

/** What firing one tick needs. */
export interface TickOptions {
  readonly context: SourceContext<ScheduleTrigger>
  readonly memory: ScheduleMemory
  /** Aborts when the schedule stops. */
  readonly signal: AbortSignal
}

/** Fires one tick unless it was fired elsewhere, or the run before is not over; rejects when it cannot be stored. */
export async function fireTick(options: TickOptions, tick: number): Promise<void> {
  const { context, memory } = options
  const { trigger, log } = context
  const last = await memory.read()
  if (last !== undefined && last.tick >= tick && !isAhead(last, context)) return
  const id = formatTick(tick)
  if (last?.delivery !== undefined && (await isInTheWay(options, last.delivery))) {
    log.warn(`schedule ${trigger.name} skips a run: the one before is not over`, { tick: id })
    return memory.write({ ...last, tick })
  }
  const { delivery } = await context.accept({
    id: `${trigger.name}@${id}`,
    payload: {},
    meta: { scheduled_at: id },
  })
  await memory.write({ tick, delivery })
}

/** Writes a tick as the text that names it in every process. */
export function formatTick(tick: number): string {
  return new Date(tick).toISOString()
}

/** Was written under a clock far ahead: it says nothing about ticks before it, whose ids still tell copies. */
function isAhead({ tick }: LastTick, { clock }: TickOptions['context']): boolean {
  return tick > clock.now() + SKEW_MS
}

async function isInTheWay({ context, signal }: TickOptions, delivery: string): Promise<boolean> {
  const { trigger, isOpen } = context
  if (trigger.overlap === 'allow') return false
  let open = await isOpen(delivery)
  while (open && trigger.overlap === 'queue' && !signal.aborted) {
    await pause(LOOK_MS, signal)
    open = await isOpen(delivery)
  }
  return open
}
