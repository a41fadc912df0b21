import { expandEnvText, type QueueTrigger } from '../../sources/tool-spec/index.ts'
import { formatNear, nearest } from '../../values/index.ts'

/** Which broker speaks a scheme. */
export type QueueKind = 'rabbitmq' | 'redis' | 'sqs'

/** Where a queue is: a server, a name on it, and settings that were written behind the question mark. */
export interface QueueAddress {
  readonly kind: QueueKind
  /** Address of the server; may hold a password, so it is never logged. */
  readonly server: URL
  readonly queue: string
  readonly settings: QueueSettings
}

/** Reads the settings of a queue; a mistake is a TypeError that names the setting. */
export interface QueueSettings {
  readonly text: (name: string) => string | undefined
  /** A whole number between 1 and the highest allowed one. */
  readonly count: (name: string, otherwise: number, highest: number) => number
  readonly flag: (name: string, otherwise: boolean) => boolean
}

const KINDS: Readonly<Record<string, QueueKind>> = {
  'amqp:': 'rabbitmq',
  'amqps:': 'rabbitmq',
  'redis:': 'redis',
  'rediss:': 'redis',
  'sqs:': 'sqs',
  'https:': 'sqs',
  'http:': 'sqs',
}

/**
 * Finds out where a queue is. `queue_env`, when its variable is set, replaces the server; the name of the queue is the
 * last part of the path of `queue_url` either way.
 */
export function readQueueAddress(
  trigger: QueueTrigger,
  env: Readonly<Record<string, string | undefined>>,
): QueueAddress {
  const field = `queue ${trigger.name}: queue_url`
  const written = parseUrl(expand(trigger.queue_url, env, field), field)
  const override = trigger.queue_env === undefined ? undefined : env[trigger.queue_env]
  const server = override
    ? parseUrl(override, `environment variable ${trigger.queue_env}`)
    : written
  const kind = requireKind(server, override ? `environment variable ${trigger.queue_env}` : field)
  const queue = written.searchParams.get('queue') ?? lastSegment(written)
  if (!/^\P{Cc}+$/u.test(queue)) {
    throw new TypeError(
      `${field}: must end in the name of the queue, as in amqp://localhost/orders`,
    )
  }
  if (KINDS[written.protocol] === kind) assertSettings(written, kind, field)
  return {
    kind,
    server: override ? server : withoutSegment(server),
    queue,
    settings: createSettings([written.searchParams, server.searchParams], field),
  }
}

function expand(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  field: string,
): string {
  const expanded = expandEnvText(text, (name) => env[name])
  if (expanded.ok) return expanded.text
  throw new TypeError(`${field}: set the environment variable ${expanded.missing.join(' and ')}`)
}

function parseUrl(text: string, field: string): URL {
  if (URL.canParse(text)) return new URL(text)
  // The text itself may hold a password.
  throw new TypeError(`${field}: must be a URL such as amqp://localhost/orders`)
}

function requireKind({ protocol }: URL, field: string): QueueKind {
  const kind = Object.hasOwn(KINDS, protocol) ? KINDS[protocol] : undefined
  if (kind !== undefined) return kind
  throw new TypeError(`${field}: must start with amqp:, amqps:, redis:, rediss:, sqs: or https:`)
}

function lastSegment({ pathname, protocol, host }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(segment === '' && protocol === 'sqs:' ? host : segment)
  } catch {
    return ''
  }
}

const SETTINGS: Readonly<Record<QueueKind, readonly string[]>> = {
  rabbitmq: ['prefetch', 'max_bytes', 'durable', 'type', 'declare', 'heartbeat', 'queue'],
  redis: ['prefetch', 'max_bytes', 'mode', 'group', 'idle', 'delete', 'queue'],
  sqs: ['prefetch', 'visibility', 'wait', 'region', 'queue'],
}

/** A setting that is misspelt would be passed over in silence. */
function assertSettings({ searchParams }: URL, kind: QueueKind, field: string): void {
  const known = SETTINGS[kind]
  for (const name of searchParams.keys()) {
    if (known.includes(name)) continue
    const near = formatNear(nearest(name, known, { count: 1 }))
    const rest = near || `; there is ${known.join(', ')}`
    throw new TypeError(`${field}: ${name} is not a setting${rest}`)
  }
}

function withoutSegment(url: URL): URL {
  const server = new URL(url)
  if (KINDS[url.protocol] === 'sqs') return server
  server.pathname = url.pathname.slice(0, Math.max(url.pathname.lastIndexOf('/'), 0))
  return server
}

function createSettings(sources: readonly URLSearchParams[], field: string): QueueSettings {
  const text = (name: string) =>
    sources.map((source) => source.get(name)).find((value) => value !== null) ?? undefined
  return {
    text,
    count(name, otherwise, highest) {
      const value = text(name)
      if (value === undefined) return otherwise
      const number = Number(value)
      if (Number.isInteger(number) && number >= 1 && number <= highest) return number
      throw new TypeError(`${field}: ${name} must be a whole number from 1 to ${highest}`)
    },
    flag(name, otherwise) {
      const value = text(name)
      if (value === undefined) return otherwise
      if (value === 'true' || value === 'false') return value === 'true'
      throw new TypeError(`${field}: ${name} must be true or false`)
    },
  }
}
