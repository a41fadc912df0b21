const NAMES = {
  month: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  weekday: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
}
const MINUTE_MS = 60_000
// Zones move their clocks by an hour, and one of them by half of it.
const SHIFTS_MS = [60 * MINUTE_MS, 30 * MINUTE_MS]

/** The minutes a cron expression means. */
export interface Cron {
  /** Tells whether clocks show a time of the expression. */
  readonly matches: (moment: Date) => boolean
  /** Tells whether a minute is to run: a time that clocks leave out runs at the next minute, one they repeat once. */
  readonly isDue: (minute: number) => boolean
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Parses five fields: `*`, values, names, lists, ranges, steps and `L` for the last day; or a name such as `@daily`. */
export function parseCron(text: string, timezone?: string): Cron {
  const fields = (NICKNAMES[text.trim().toLowerCase()] ?? text).trim().split(/\s+/)
  if (fields.length !== 5) throw new Error(`"${text}" is not a cron expression of five fields`)
  const isShown = parseFields(fields)
  const offsetOf = createOffsets(timezone)
  const isBound = !/^[*?]/.test(fields[1] ?? '')

  function isRepeated(minute: number): boolean {
    const offset = offsetOf(minute)
    return isBound && SHIFTS_MS.some((shift) => offsetOf(minute - shift) === offset + shift)
  }

  /** Tells whether clocks jump at a minute, over a time of the expression. */
  function isLeftOut(minute: number): boolean {
    const offset = offsetOf(minute)
    const jumped = (offset - offsetOf(minute - MINUTE_MS)) / MINUTE_MS
    return Array.from({ length: Math.max(0, jumped) }, (_, index) => index + 1).some((ago) =>
      isShown(new Date(minute + offset - ago * MINUTE_MS)),
    )
  }

  const matches = (moment: number): boolean => isShown(new Date(moment + offsetOf(moment)))
  return {
    matches: (moment) => matches(moment.getTime()),
    isDue: (minute) => isLeftOut(minute) || (matches(minute) && !isRepeated(minute)),
  }
}

/** Makes the test of a time that clocks show, given as if it were UTC. */
function parseFields(fields: readonly string[]): (shown: Date) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const minutes = parseField(minute, 0, 59)
  const hours = parseField(hour, 0, 23)
  const named = day.split(',')
  const numbers = named.filter((part) => part.toUpperCase() !== 'L')
  const days = numbers.length === 0 ? new Set<number>() : parseField(numbers.join(','), 1, 31)
  const isLastMeant = numbers.length < named.length
  const months = parseField(month, 1, 12, NAMES.month)
  const weekdays = new Set([...parseField(weekday, 0, 7, NAMES.weekday)].map((value) => value % 7))
  // As cron always did: when both days are restricted, either of them will do.
  const either = !/^[*?]/.test(day) && !/^[*?]/.test(weekday)
  return (shown) => {
    if (!minutes.has(shown.getUTCMinutes()) || !hours.has(shown.getUTCHours())) return false
    if (!months.has(shown.getUTCMonth() + 1)) return false
    const date = shown.getUTCDate()
    const dayMatches = days.has(date) || (isLastMeant && date === lastDayOf(shown))
    const weekdayMatches = weekdays.has(shown.getUTCDay())
    return either ? dayMatches || weekdayMatches : dayMatches && weekdayMatches
  }
}

function parseField(
  field: string,
  min: number,
  max: number,
  names: readonly string[] = [],
): Set<number> {
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', stepText] = part.split('/')
    const step = stepText === undefined ? 1 : Number(stepText)
    const isAll = range === '*' || range === '?'
    const [first = '', last] = range.split('-')
    const low = isAll ? min : toNumber(first, min, names)
    const high =
      isAll || (last === undefined && stepText !== undefined)
        ? max
        : toNumber(last ?? first, min, names)
    const isRight = Number.isInteger(step) && step > 0 && low >= min && high <= max && low <= high
    if (!isRight) throw new Error(`"${part}" is not a cron field between ${min} and ${max}`)
    for (let value = low; value <= high; value += step) values.add(value)
  }
  return values
}

function toNumber(text: string, min: number, names: readonly string[]): number {
  const index = names.indexOf(text.toLowerCase().slice(0, 3))
  if (index !== -1) return index + min
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

function lastDayOf(shown: Date): number {
  return new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + 1, 0)).getUTCDate()
}

/** Creates what tells how far the clocks of a zone are ahead of UTC, in milliseconds. */
function createOffsets(timezone: string | undefined): (moment: number) => number {
  if (timezone === undefined) {
    return (moment) => -new Date(moment).getTimezoneOffset() * MINUTE_MS
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
    const read = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
    const day = Date.UTC(read('year'), read('month') - 1, read('day'))
    const shown = day + (read('hour') * 60 + read('minute')) * MINUTE_MS
    return shown - Math.floor(moment / MINUTE_MS) * MINUTE_MS
  }
}
