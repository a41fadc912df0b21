// Longer names would make label walks expensive; DNS allows no longer name either.
const MAX_NAME_LENGTH = 253

const NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/

const VERSION = /^\d{4}-\d{2}-\d{2}$/

/** Tells whether a text is a reverse-domain name by the newest grammar. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text)
}

/** Tells whether a value has the form `YYYY-MM-DD`. */
export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value)
}

/** Tells whether a `YYYY-MM-DD` text is a day of the calendar. */
export function isCalendarDate(version: string): boolean {
  const year = Number(version.slice(0, 4))
  const month = Number(version.slice(5, 7))
  const day = Number(version.slice(8))
  if (month < 1 || month > 12 || day < 1) return false
  // Day 0 of the next month is the last day of this one.
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Finds the longest key that is the name itself or a prefix of it ending at a label. */
export function longestPrefix(
  name: string,
  keys: { has(key: string): boolean },
): string | undefined {
  let candidate = name
  for (;;) {
    if (keys.has(candidate)) return candidate
    const dot = candidate.lastIndexOf('.')
    if (dot < 0) return undefined
    candidate = candidate.slice(0, dot)
  }
}
