import type { AgentTrigger } from './agent.ts'
import { toMilliseconds } from './duration.ts'

const NAMES = {
  month: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  weekday: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
}

/** The minutes a cron expression means. */
export interface Cron {
  readonly matches: (moment: Date) => boolean
}

/** Runs a trigger at the minutes of its cron expression; returns what ends it. */
export function startSchedule(trigger: AgentTrigger, run: () => Promise<void>): () => void {
  const cron = parseCron(trigger.cron ?? '', trigger.timezone)
  const jitterMs = toMilliseconds(trigger, 'jitter') ?? 0
  const begin = createOverlap(trigger.overlap, run)
  const late = new Set<NodeJS.Timeout>()
  let timer: NodeJS.Timeout
  const wait = (): void => {
    timer = setTimeout(tick, 60_000 - (Date.now() % 60_000) + 50)
  }
  const beginLate = (): void => {
    const own = setTimeout(() => {
      late.delete(own)
      begin()
    }, Math.random() * jitterMs)
    late.add(own)
  }
  const tick = (): void => {
    if (cron.matches(new Date())) beginLate()
    wait()
  }
  wait()
  return () => {
    for (const one of [timer, ...late]) clearTimeout(one)
  }
}

/** Begins runs: by default none while the one before is not over, `queue` after it, `allow` whatever runs. */
export function createOverlap(
  overlap: AgentTrigger['overlap'],
  run: () => Promise<void>,
): () => void {
  if (overlap === 'allow') return () => void run()
  let running = 0
  let last = Promise.resolve()
  return () => {
    if (running > 0 && overlap !== 'queue') return
    running += 1
    last = last.then(run).finally(() => {
      running -= 1
    })
  }
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
  return {
    matches: (moment) => {
      const at = localParts(moment, timezone)
      const dayMatches = days.has(at.day) || (isLastMeant && at.day === lastDayOf(at))
      const weekdayMatches = weekdays.has(at.weekday)
      const isDay = either ? dayMatches || weekdayMatches : dayMatches && weekdayMatches
      return minutes.has(at.minute) && hours.has(at.hour) && months.has(at.month) && isDay
    },
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

function lastDayOf({ year, month }: LocalParts): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

interface LocalParts {
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly year: number
  readonly weekday: number
}

function localParts(moment: Date, timezone: string | undefined): LocalParts {
  if (timezone === undefined) {
    return {
      minute: moment.getMinutes(),
      hour: moment.getHours(),
      day: moment.getDate(),
      month: moment.getMonth() + 1,
      year: moment.getFullYear(),
      weekday: moment.getDay(),
    }
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    minute: 'numeric',
    hour: 'numeric',
    day: 'numeric',
    month: 'numeric',
    year: 'numeric',
    weekday: 'short',
  })
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]))
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
  return {
    minute: number('minute'),
    hour: number('hour'),
    day: number('day'),
    month: number('month'),
    year: number('year'),
    weekday: NAMES.weekday.indexOf((parts.get('weekday') ?? '').toLowerCase()),
  }
}
