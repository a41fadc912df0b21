import { Cron } from 'croner'
import { didYouMean, toMilliseconds, toReason } from '../../values/index.ts'
import type { CheckOptions } from './check.ts'
import { checkEnvName } from './check-auth.ts'
import { checkDescription, checkField } from './check-fields.ts'
import { quote, type SpecPlace } from './finding.ts'
import { parseEnvText } from './format.ts'
import { HEADER_PATTERN } from './schema.ts'
import type {
  FileTrigger,
  QueueTrigger,
  ScheduleTrigger,
  ToolSpec,
  WebhookTrigger,
} from './types.ts'

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

const LONGEST_MS = 86_400_000
// A fixed beginning, so that a file is right or wrong whatever the day; a leap year has every date.
const BEGINNING = new Date('2024-01-01T00:00:00Z')
const RUNS = 100

/** Says what is wrong with the jitter of a schedule whose cron expression parses; undefined when nothing is. */
export function findJitterProblem(trigger: ScheduleTrigger): string | undefined {
  if (trigger.jitter === undefined) return undefined
  const jitterMs = toMilliseconds(trigger.jitter)
  if (!jitterMs || jitterMs > LONGEST_MS) {
    return "must be a duration of up to a day, such as { value: 30, unit: 'second' }"
  }
  const shortestMs = findShortestGap(trigger)
  if (jitterMs < shortestMs) return undefined
  return `must be shorter than the shortest time between two runs, ${shortestMs / 1000} s`
}

/** A cron expression has no period; a hundred runs show the gaps of all but far-fetched ones. */
function findShortestGap({ cron, timezone }: ScheduleTrigger): number {
  const runs = parseCron(cron, timezone)
    .nextRuns(RUNS, BEGINNING)
    .map((run) => run.getTime())
  const gaps = runs.slice(1).map((run, index) => run - (runs[index] ?? run))
  return Math.min(...gaps)
}

/** Checks every trigger of a spec; `place` is that of the list. */
export function checkTriggers(spec: ToolSpec, place: SpecPlace, options: CheckOptions): void {
  const names = spec.tools.map((tool) => tool.name)
  const paths = new Map<string, number>()
  place.each(spec.triggers, (trigger, at, index) => {
    checkDescription(trigger, at)
    at.at('payload').each(trigger.payload, (field, inner) => checkField(field, inner, 'property'))
    if (trigger.tool !== undefined && !names.includes(trigger.tool)) {
      const hint = didYouMean(trigger.tool, names) ?? 'fine when another file defines it'
      at.at('tool').wrong('W078', 'no tool of this file has that name', hint)
    }
    if (trigger.type === 'webhook') checkWebhook(trigger, at, paths, index)
    if (trigger.type === 'schedule') checkSchedule(trigger, at)
    if (trigger.type === 'queue') checkQueue(trigger, at)
    if (trigger.type === 'file') checkFile(trigger, at, options)
  })
}

function checkWebhook(
  trigger: WebhookTrigger,
  place: SpecPlace,
  paths: Map<string, number>,
  index: number,
): void {
  const { path, secret_env, signature } = trigger
  const { wrong } = place.at('path')
  if (!/^\/[^?#\s]*$/.test(path) || path.split('/').includes('..')) {
    const hint = 'for example path: /webhooks/orders/created'
    wrong('E070', 'must start with "/" and have no query and no ".."', hint)
  }
  const earlier = paths.get(path)
  if (earlier === undefined) paths.set(path, index)
  else wrong('E070', `the path is already used by triggers[${earlier}]`, UNIQUE_PATH)
  if (secret_env !== undefined) checkEnvName(secret_env, place.at('secret_env'))
  else {
    const message = 'a webhook without secret_env takes requests from anybody'
    place.say('W071', message, ADD_SECRET)
  }
  checkChallenge(trigger, place)
  const header = typeof signature === 'object' ? signature.header : undefined
  if (header !== undefined && !HEADER_PATTERN.test(header)) {
    place.at('signature', 'header').wrong('E065', 'must be a header name')
  }
}

const UNIQUE_PATH = 'give each webhook its own path'
const ADD_SECRET = 'add secret_env: ORDERS_WEBHOOK_SECRET'

/** Meta's verify token travels in an address, so the signing secret must not stand in for it. */
function checkChallenge(
  { challenge, verify_env, secret_env }: WebhookTrigger,
  place: SpecPlace,
): void {
  const { say } = place.at('challenge')
  if (challenge === 'meta' && verify_env === undefined) {
    say('E085', 'meta needs verify_env', 'add verify_env: ORDERS_VERIFY_TOKEN')
  }
  if (challenge === 'twitter' && secret_env === undefined) {
    say('E085', 'twitter needs secret_env', ADD_SECRET)
  }
  if (verify_env === undefined) return
  const at = place.at('verify_env')
  checkEnvName(verify_env, at)
  if (challenge !== 'meta')
    at.say('E085', 'is read for challenge: meta only', 'add challenge: meta')
}

function checkSchedule(trigger: ScheduleTrigger, place: SpecPlace): void {
  const { timezone } = trigger
  const hasZone = timezone === undefined || isTimeZone(timezone)
  if (!hasZone) {
    place.at('timezone').wrong('E079', 'must be an IANA time zone such as Europe/Berlin')
  }
  const cron = place.at('cron')
  try {
    if (parseCron(trigger.cron).nextRun() === null) {
      cron.wrong('W073', 'the expression never fires', 'check day and month')
      return
    }
    const problem = hasZone ? findJitterProblem(trigger) : undefined
    if (problem !== undefined) place.at('jitter').say('E086', problem)
  } catch (thrown) {
    const message = `must be a cron expression; found ${quote(trigger.cron)}: ${toReason(thrown)}`
    const hint = 'five fields: minute hour day month weekday, for example "0 2 * * *"'
    cron.say('E072', message, hint)
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== ''
  } catch {
    return false
  }
}

function checkQueue(trigger: QueueTrigger, place: SpecPlace): void {
  if (trigger.queue_env !== undefined) checkEnvName(trigger.queue_env, place.at('queue_env'))
  const url = withFallbacks(trigger.queue_url)
  if (url === undefined) return
  const at = place.at('queue_url')
  const { scheme, host, password } = splitUrl(url)
  const isSqs =
    /^(sqs\..*|queue)\.amazonaws\.com(\.cn)?$/.test(host) || host.includes('.queue.amazonaws.com')
  const known = ['sqs', 'redis', 'rediss', 'amqp', 'amqps'].includes(scheme)
  if (!known && !(scheme === 'https' && isSqs)) {
    const shown = password === '' ? url : url.replace(password, '***')
    const message = `must start with sqs:, https: (an SQS host), redis:, rediss:, amqp: or amqps:; found ${quote(shown)}`
    at.say('E074', message, 'for example queue_url: "amqp://localhost/orders"')
  }
  if (password !== '') {
    at.say('W075', 'the address holds a password', 'put the connection string into queue_env')
  }
}

function splitUrl(url: string): { scheme: string; host: string; password: string } {
  const match = /^([a-z][a-z0-9+.-]*):(?:\/\/)?(?:([^/]*)@)?([^/:?#]*)/i.exec(url)
  const password = /:(.*)$/.exec(match?.[2] ?? '')?.[1] ?? ''
  return { scheme: (match?.[1] ?? '').toLowerCase(), host: match?.[3] ?? '', password }
}

function checkFile(trigger: FileTrigger, place: SpecPlace, options: CheckOptions): void {
  if (trigger.events?.length === 0) {
    const message = 'must name at least one of create, modify, delete; found an empty list'
    place.at('events').say('E076', message, 'remove it to get all three')
  }
  const watched = withFallbacks(trigger.watch_path)
  if (watched === undefined) return
  const isAbsolute = /^([/\\~]|[A-Za-z]:[/\\])/.test(watched)
  const leaves = watched.split(/[/\\]/).includes('..')
  const isRoot = /^([/\\]+|[A-Za-z]:[/\\]*)?$/.test(watched)
  if (!isRoot && (options.allowAbsolutePaths || !(isAbsolute || leaves))) return
  const hint = 'for example watch_path: ./inbox/**/*.csv'
  place.at('watch_path').wrong('E077', 'must stay under the project', hint)
}

/** The text with fallbacks filled in, or nothing when a variable decides it at run time. */
function withFallbacks(text: string): string | undefined {
  const parts = parseEnvText(text).map((part) => ('text' in part ? part.text : part.fallback))
  return parts[0] === undefined && text !== ''
    ? undefined
    : parts.map((part) => part ?? 'x').join('')
}
