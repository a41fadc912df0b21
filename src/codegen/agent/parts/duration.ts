import type { AgentTrigger } from './agent.ts'

/** Reads a duration of a trigger as milliseconds; undefined when it has none. */
export function toMilliseconds(
  trigger: AgentTrigger,
  key: 'timeout' | 'jitter',
): number | undefined {
  const duration = trigger[key]
  if (duration === undefined) return undefined
  const unitMs = UNITS[duration.unit]
  if (unitMs === undefined)
    throw new Error(`trigger ${trigger.name}: ${key} has no unit ${duration.unit}`)
  return duration.value * unitMs
}

const UNITS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}
