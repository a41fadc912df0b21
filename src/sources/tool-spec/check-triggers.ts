import { Cron } from 'croner'
import { didYouMean, toMilliseconds, toReason } from '../../values/index.ts'
import { checkEnvName, checkFields } from './check-fields.ts'
import { quote, type Report } from './finding.ts'
import { parseEnvText } from './format.ts'
import { HEADER_PATTERN } from './schema.ts'
import type {
  FileTrigger,
  QueueTrigger,
  ScheduleTrigger,
  ToolSpec,
  TriggerDef,
  WebhookTrigger,
} from './types.ts'
import type { PathStep } from './yaml.ts'

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

/** Checks every trigger of a spec. */
export function checkTriggers(
  spec: ToolSpec,
  report: Report,
  options: { readonly allowAbsolutePaths?: boolean },
): void {
  const paths = new Map<string, number>()
  for (const [index, trigger] of (spec.triggers ?? []).entries()) {
    const at = ['triggers', index]
    checkCommon(spec, trigger, at, report)
    if (trigger.type === 'webhook') checkWebhook(trigger, index, paths, report)
    if (trigger.type === 'schedule') checkSchedule(trigger, at, report)
    if (trigger.type === 'queue') checkQueue(trigger, at, report)
    if (trigger.type === 'file') checkFile(trigger, at, report, options)
  }
}

function checkCommon(
  spec: ToolSpec,
  trigger: TriggerDef,
  path: readonly PathStep[],
  report: Report,
): void {
  checkFields(trigger.payload ?? [], [...path, 'payload'], 'property', report)
  const names = spec.tools.map((tool) => tool.name)
  if (trigger.tool === undefined || names.includes(trigger.tool)) return
  report({
    code: 'W078',
    path: [...path, 'tool'],
    message: `no tool of this file has that name; found ${quote(trigger.tool)}`,
    hint: didYouMean(trigger.tool, names) ?? 'fine when another file defines it',
  })
}

function checkWebhook(
  trigger: WebhookTrigger,
  index: number,
  paths: Map<string, number>,
  report: Report,
): void {
  const at = ['triggers', index]
  const { path } = trigger
  if (!/^\/[^?#\s]*$/.test(path) || path.split('/').includes('..')) {
    const message = `must start with "/" and have no query and no ".."; found ${quote(path)}`
    const hint = 'for example path: /webhooks/orders/created'
    report({ code: 'E070', path: [...at, 'path'], message, hint })
  }
  const earlier = paths.get(path)
  if (earlier === undefined) paths.set(path, index)
  else {
    const message = `the path is already used by triggers[${earlier}]; found ${quote(path)}`
    report({ code: 'E070', path: [...at, 'path'], message, hint: 'give each webhook its own path' })
  }
  if (trigger.secret_env !== undefined) {
    checkEnvName(trigger.secret_env, [...at, 'secret_env'], report)
  } else {
    const message = 'a webhook without secret_env takes requests from anybody'
    report({ code: 'W071', path: at, message, hint: 'add secret_env: ORDERS_WEBHOOK_SECRET' })
  }
  checkChallenge(trigger, at, report)
  const { signature } = trigger
  if (typeof signature === 'object' && signature.header !== undefined) {
    if (HEADER_PATTERN.test(signature.header)) return
    const message = `must be a header name; found ${quote(signature.header)}`
    report({ code: 'E065', path: [...at, 'signature', 'header'], message })
  }
}

/** Meta's verify token travels in an address, so the signing secret must not stand in for it. */
function checkChallenge(trigger: WebhookTrigger, at: readonly PathStep[], report: Report): void {
  const { challenge, verify_env, secret_env } = trigger
  const path = [...at, 'challenge']
  if (challenge === 'meta' && verify_env === undefined) {
    const hint = 'add verify_env: ORDERS_VERIFY_TOKEN'
    report({ code: 'E085', path, message: 'meta needs verify_env', hint })
  }
  if (challenge === 'twitter' && secret_env === undefined) {
    const hint = 'add secret_env: ORDERS_WEBHOOK_SECRET'
    report({ code: 'E085', path, message: 'twitter needs secret_env', hint })
  }
  if (verify_env === undefined) return
  checkEnvName(verify_env, [...at, 'verify_env'], report)
  if (challenge === 'meta') return
  const message = 'is read for challenge: meta only'
  report({ code: 'E085', path: [...at, 'verify_env'], message, hint: 'add challenge: meta' })
}

function checkSchedule(trigger: ScheduleTrigger, path: readonly PathStep[], report: Report): void {
  const at = [...path, 'cron']
  const hint = 'five fields: minute hour day month weekday, for example "0 2 * * *"'
  const { timezone } = trigger
  if (timezone !== undefined && !isTimeZone(timezone)) {
    const message = `must be an IANA time zone such as Europe/Berlin; found ${quote(timezone)}`
    report({ code: 'E079', path: [...path, 'timezone'], message })
  }
  try {
    if (parseCron(trigger.cron).nextRun() !== null) {
      checkJitter(trigger, path, report)
      return
    }
    const message = `the expression never fires; found ${quote(trigger.cron)}`
    report({ code: 'W073', path: at, message, hint: 'check day and month' })
  } catch (thrown) {
    const message = `must be a cron expression; found ${quote(trigger.cron)}: ${toReason(thrown)}`
    report({ code: 'E072', path: at, message, hint })
  }
}

function checkJitter(trigger: ScheduleTrigger, path: readonly PathStep[], report: Report): void {
  if (trigger.timezone !== undefined && !isTimeZone(trigger.timezone)) return
  const message = findJitterProblem(trigger)
  if (message !== undefined) report({ code: 'E086', path: [...path, 'jitter'], message })
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).format(0) !== ''
  } catch {
    return false
  }
}

function checkQueue(trigger: QueueTrigger, path: readonly PathStep[], report: Report): void {
  if (trigger.queue_env !== undefined)
    checkEnvName(trigger.queue_env, [...path, 'queue_env'], report)
  const url = withFallbacks(trigger.queue_url)
  if (url === undefined) return
  const at = [...path, 'queue_url']
  const { scheme, host, password } = splitUrl(url)
  const isSqs =
    /^(sqs\..*|queue)\.amazonaws\.com(\.cn)?$/.test(host) || host.includes('.queue.amazonaws.com')
  const known = ['sqs', 'redis', 'rediss', 'amqp', 'amqps'].includes(scheme)
  if (!known && !(scheme === 'https' && isSqs)) {
    report({
      code: 'E074',
      path: at,
      message: `must start with sqs:, https: (an SQS host), redis:, rediss:, amqp: or amqps:; found ${quote(hidePassword(url, password))}`,
      hint: 'for example queue_url: "amqp://localhost/orders"',
    })
  }
  if (password !== '') {
    const message = 'the address holds a password'
    report({ code: 'W075', path: at, message, hint: 'put the connection string into queue_env' })
  }
}

function splitUrl(url: string): { scheme: string; host: string; password: string } {
  const match = /^([a-z][a-z0-9+.-]*):(?:\/\/)?(?:([^/]*)@)?([^/:?#]*)/i.exec(url)
  const password = /:(.*)$/.exec(match?.[2] ?? '')?.[1] ?? ''
  return { scheme: (match?.[1] ?? '').toLowerCase(), host: match?.[3] ?? '', password }
}

function hidePassword(url: string, password: string): string {
  return password === '' ? url : url.replace(password, '***')
}

function checkFile(
  trigger: FileTrigger,
  path: readonly PathStep[],
  report: Report,
  options: { readonly allowAbsolutePaths?: boolean },
): void {
  if (trigger.events && trigger.events.length === 0) {
    const message = 'must name at least one of create, modify, delete; found an empty list'
    report({ code: 'E076', path: [...path, 'events'], message, hint: 'remove it to get all three' })
  }
  const watched = withFallbacks(trigger.watch_path)
  if (watched === undefined) return
  const isAbsolute = /^([/\\~]|[A-Za-z]:[/\\])/.test(watched)
  const leaves = watched.split(/[/\\]/).includes('..')
  const isRoot = /^([/\\]+|[A-Za-z]:[/\\]*)?$/.test(watched)
  if (!isRoot && (options.allowAbsolutePaths || !(isAbsolute || leaves))) return
  report({
    code: 'E077',
    path: [...path, 'watch_path'],
    message: `must stay under the project; found ${quote(trigger.watch_path)}`,
    hint: 'for example watch_path: ./inbox/**/*.csv',
  })
}

/** The text with fallbacks filled in, or nothing when a variable decides it at run time. */
function withFallbacks(text: string): string | undefined {
  const parts = parseEnvText(text).map((part) => ('text' in part ? part.text : part.fallback))
  return parts[0] === undefined && text !== ''
    ? undefined
    : parts.map((part) => part ?? 'x').join('')
}
