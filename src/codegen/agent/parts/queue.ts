import { type AgentOptions, type AgentTrigger, toLogText } from './agent.ts'
import { type Ending, pause } from './attempts.ts'
import { expandEnv } from './env-text.ts'
import { receiveRabbitmq } from './queue-rabbitmq.ts'
import { receiveRedis } from './queue-redis.ts'
import { receiveSqs } from './queue-sqs.ts'

/** A message, whichever broker it comes from. */
export interface QueueMessage {
  /** The same for every copy. */
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly payload: unknown
  readonly meta: Readonly<Record<string, unknown>>
}

/** What one connection to a broker needs. */
export interface Receiving {
  /** Address of the server; may hold a password. */
  readonly server: URL
  readonly queue: string
  readonly setting: (name: string) => string | undefined
  /** The client package, loaded. */
  readonly client: Readonly<Record<string, unknown>>
  /** Runs a message and tells how it ended; `stopped` goes back to the broker. */
  readonly take: (message: QueueMessage) => Promise<Ending>
  /** How many messages may be here, at work or waiting. */
  readonly room: number
  readonly env: AgentOptions['env']
  /** Says that messages arrive now. */
  readonly onReady: () => void
  /** Aborts when nothing more is to be received. */
  readonly stopping: AbortSignal
}

interface Broker {
  readonly schemes: readonly string[]
  readonly package: string
  /** Receives until it is stopped, when everything that was received has ended; rejects when the broker is lost. */
  readonly receive: (receiving: Receiving) => Promise<void>
}

const BROKERS: readonly Broker[] = [
  { schemes: ['amqp:', 'amqps:'], package: 'amqplib', receive: receiveRabbitmq },
  { schemes: ['redis:', 'rediss:'], package: 'ioredis', receive: receiveRedis },
  { schemes: ['sqs:', 'https:', 'http:'], package: '@aws-sdk/client-sqs', receive: receiveSqs },
]

// Messages that wait for another attempt must not keep others from being received.
const WAITING = 100
const DEFAULT_CONCURRENCY = 10
const REMEMBERED = 10_000
const LONGEST_PAUSE_MS = 30_000

/** What a queue trigger needs of its agent. */
export interface QueueOptions {
  readonly env: AgentOptions['env']
  readonly log: AgentOptions['log']
  readonly run: (message: QueueMessage) => Promise<Ending>
}

/** Receives the messages of a queue trigger; rejects when it cannot work, and returns what ends it. */
export async function startQueue(
  trigger: AgentTrigger,
  { env, log, run }: QueueOptions,
): Promise<() => Promise<void>> {
  const address = readAddress(trigger, env)
  const client = await loadClient(trigger, address.broker.package)
  const stopping = new AbortController()
  const { signal } = stopping
  const take = withoutCopies(run)
  const room = (trigger.concurrency ?? DEFAULT_CONCURRENCY) + WAITING

  async function receive(): Promise<void> {
    let failures = 0
    const onReady = (): void => {
      failures = 0
    }
    while (!signal.aborted) {
      try {
        const own = { ...address, client, take, room, env, onReady, stopping: signal }
        await address.broker.receive(own)
      } catch (thrown) {
        if (signal.aborted) return
        log(`queue trigger ${trigger.name}: ${toLogText(thrown)}, trying again`)
        await pause(Math.min(200 * 2 ** failures, LONGEST_PAUSE_MS), signal)
        failures += 1
      }
    }
  }

  const receiving = receive()
  return async () => {
    stopping.abort()
    await receiving
  }
}

/** `queue_env`, when its variable is set, names the server; the queue is always the last part of `queue_url`. */
function readAddress(
  { name, queue_url = '', queue_env }: AgentTrigger,
  env: AgentOptions['env'],
): Pick<Receiving, 'server' | 'queue' | 'setting'> & { readonly broker: Broker } {
  const field = `queue trigger ${name}: queue_url`
  const written = parseUrl(expandEnv(queue_url, env, field), field)
  const override = queue_env === undefined ? undefined : env[queue_env]
  const server = override ? parseUrl(override, `queue trigger ${name}: ${queue_env}`) : written
  const broker = BROKERS.find(({ schemes }) => schemes.includes(server.protocol))
  if (broker === undefined)
    throw new Error(`${field} must start with amqp:, amqps:, redis:, rediss:, sqs: or https:`)
  const last = written.pathname.slice(written.pathname.lastIndexOf('/') + 1)
  const queue = decodeURIComponent(last || (written.protocol === 'sqs:' ? written.host : ''))
  if (queue === '') throw new Error(`${field} must end in the name of the queue`)
  const home = new URL(server)
  if (!override && !broker.schemes.includes('sqs:'))
    home.pathname = server.pathname.slice(0, Math.max(server.pathname.lastIndexOf('/'), 0))
  const setting = (key: string): string | undefined => written.searchParams.get(key) ?? undefined
  return { broker, server: home, queue, setting }
}

// The text itself may hold a password.
function parseUrl(text: string, field: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new Error(`${field} must be a URL such as amqp://localhost/orders`)
}

async function loadClient(
  { name }: AgentTrigger,
  wanted: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const loaded = (await import(wanted)) as Record<string, unknown>
    return { ...(loaded['default'] as Record<string, unknown> | undefined), ...loaded }
  } catch (cause) {
    throw new Error(`queue trigger ${name} needs a package: run npm install ${wanted}`, { cause })
  }
}

/** Runs the copies of a message once: what is done is done, what is at work ends for all of them. */
function withoutCopies(run: QueueOptions['run']): QueueOptions['run'] {
  const done = new Set<string>()
  const atWork = new Map<string, Promise<Ending>>()
  return (message) => {
    const { id } = message
    if (id === undefined) return run(message)
    if (done.has(id)) return Promise.resolve('done')
    const copy = atWork.get(id)
    if (copy) return copy
    const work = run(message).then((ending) => {
      atWork.delete(id)
      if (ending === 'done') done.add(id)
      const [oldest] = done
      if (done.size > REMEMBERED && oldest !== undefined) done.delete(oldest)
      return ending
    })
    atWork.set(id, work)
    return work
  }
}
