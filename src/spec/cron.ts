import { Cron } from 'croner'

/** Reads a cron expression of five fields, or a name such as `@daily`; throws an Error that says what is wrong with it. */
export function parseCron(cron: string, timezone?: string): Cron {
  try {
    const parsed = new Cron(cron, { mode: '5-part', paused: true, ...(timezone && { timezone }) })
    // croner also takes a point in time, which would fire once and never again.
    if (parsed.getPattern() !== undefined) return parsed
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/^CronPattern: /, '') : ''
    throw new Error(reason, { cause: thrown })
  }
  throw new Error('a point in time does not repeat')
}
