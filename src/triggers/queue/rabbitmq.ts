import { randomUUID } from 'node:crypto'
import { type JsonObject, toReason } from '../../values/index.ts'
import type { TriggerEvent, TriggerSource } from '../trigger.ts'
import { createTurns } from '../turns.ts'
import {
  decodeQueueMessage,
  MAX_MESSAGE_BYTES,
  type QueueDriverOptions,
  toQueueRefusal,
} from './driver.ts'
import {
  type AmqpChannel,
  type AmqpConnection,
  type AmqpMessage,
  loadAmqp,
} from './rabbitmq-client.ts'
import { createQueueRunner, type Ending, type QueueRunner, repeatUntilStopped } from './runner.ts'

/** Acknowledges the messages of one channel: one frame for a run of messages that are all done. */
export interface Acknowledger {
  readonly received: (message: AmqpMessage) => void
  readonly done: (message: AmqpMessage) => void
  /** Refuses a message; the broker passes it to its dead-letter exchange, if it has one, and forgets it. */
  readonly reject: (message: AmqpMessage) => void
  /** Gives a message back to the queue. */
  readonly giveBack: (message: AmqpMessage) => void
  readonly flush: () => void
}

/** Makes an acknowledger. It writes once per turn of the event loop, before new messages are read. */
export function createAcknowledger(channel: AmqpChannel): Acknowledger {
  // Delivery tags count up, so the first member is always the lowest.
  const open = new Set<number>()
  let ready: AmqpMessage[] = []
  let isClosed = false
  channel.on('close', () => {
    isClosed = true
  })

  function flush(): void {
    const messages = ready
    ready = []
    if (isClosed || messages.length === 0) return
    const lowest = open.values().next().value ?? Number.POSITIVE_INFINITY
    const single = messages.filter(({ fields }) => fields.deliveryTag > lowest)
    const last = toLast(messages, lowest)
    write(() => {
      for (const message of single) channel.ack(message)
      if (last) channel.ack(last, true)
    })
  }

  /** A channel that is about to close throws; the broker then hands its messages out again. */
  function write(run: () => void): void {
    if (isClosed) return
    try {
      run()
    } catch {
      isClosed = true
    }
  }

  function finish(message: AmqpMessage, run: () => void): void {
    open.delete(message.fields.deliveryTag)
    write(run)
  }

  return {
    received: (message) => void open.add(message.fields.deliveryTag),
    done(message) {
      open.delete(message.fields.deliveryTag)
      ready.push(message)
      if (ready.length === 1) setImmediate(flush)
    },
    // What was done below a refused message must not be swept along: each of these names one message only.
    reject: (message) => finish(message, () => channel.nack(message, false, false)),
    giveBack: (message) => finish(message, () => channel.nack(message, false, true)),
    flush,
  }
}

/** The newest of the messages below the lowest one that is still at work: acknowledging it covers all before it. */
function toLast(messages: readonly AmqpMessage[], lowest: number): AmqpMessage | undefined {
  let last: AmqpMessage | undefined
  for (const message of messages) {
    const { deliveryTag } = message.fields
    if (deliveryTag < lowest && deliveryTag > (last?.fields.deliveryTag ?? 0)) last = message
  }
  return last
}

const PREFETCH = 20
const MAX_PREFETCH = 10_000
const MAX_HELD = 1000
// The broker takes a channel away that keeps a message for 30 minutes.
const HOLD_MS = 20 * 60_000

/** Receives from a RabbitMQ queue. */
export async function startRabbitmq(options: QueueDriverOptions): Promise<TriggerSource> {
  const { context, address } = options
  const { log, trigger } = context
  const prefetch = address.settings.count('prefetch', PREFETCH, MAX_PREFETCH)
  const maxBytes = address.settings.count('max_bytes', MAX_MESSAGE_BYTES, 128 * 1024 * 1024)
  const connect = await loadAmqp(trigger.name, options.load)
  const stopping = new AbortController()
  let session: Session | undefined
  let reason: string | undefined = 'connecting to RabbitMQ'
  const runner = createQueueRunner(context, { holdMs: HOLD_MS, onHold: () => session?.onHold() })

  async function receive(worked: () => void): Promise<void> {
    session = await openSession({ options, connect, runner, prefetch, maxBytes })
    // Whoever stopped meanwhile found no session to close.
    if (stopping.signal.aborted) return session.close()
    reason = undefined
    worked()
    throw new Error(await session.ended)
  }
  const receiving = repeatUntilStopped(stopping.signal, receive, (thrown, attempt) => {
    // A session that worked for a while ended; one that could not be opened is another matter.
    const text = toReason(thrown)
    reason = reason === undefined ? text : `cannot use queue ${address.queue} on RabbitMQ: ${text}`
    session = undefined
    log.warn(`queue ${trigger.name}: ${reason}, trying again`, { attempt })
  })

  return {
    trouble: () => (reason === undefined ? runner.trouble() : `${reason}, trying again`),
    async stop(signal) {
      stopping.abort()
      const last = session
      await last?.pause()
      await runner.stop(signal)
      await last?.close()
      await receiving
    },
  }
}

interface Session {
  /** Resolves with the reason when nothing more will come. */
  readonly ended: Promise<string>
  readonly onHold: () => void
  /** Takes no more messages; those that were received can still be acknowledged. */
  readonly pause: () => Promise<void>
  readonly close: () => Promise<void>
}

interface SessionOptions {
  readonly options: QueueDriverOptions
  readonly connect: (url: URL) => Promise<AmqpConnection>
  readonly runner: QueueRunner
  readonly prefetch: number
  readonly maxBytes: number
}

async function openSession(given: SessionOptions): Promise<Session> {
  const { options, runner, prefetch } = given
  const { queue } = options.address
  const connection = await given.connect(toServer(options.address.server))
  const ended = whenEnded(connection)
  try {
    const channel = await openChannel(connection, options)
    channel.on('error', (thrown) => ended.end(toReason(thrown)))
    channel.on('close', () => ended.end('the channel was closed'))
    const acks = createAcknowledger(channel)
    await channel.prefetch(prefetch)
    const onMessage = createReceiver(given, acks, () => ended.end('the queue was deleted'))
    let tag = (await channel.consume(queue, onMessage)).consumerTag
    let heldBefore = runner.held()
    let renewing: Promise<void> | undefined

    // A message that waits uses up the prefetch of the consumer that got it: a new one begins with a fresh count.
    const renew = async () => {
      heldBefore = runner.held()
      await channel.cancel(tag)
      tag = (await channel.consume(queue, onMessage)).consumerTag
    }
    return {
      ended: ended.promise,
      onHold() {
        const used = runner.held() - heldBefore
        if (renewing || used < Math.max(prefetch / 2, 1) || runner.held() > MAX_HELD) return
        renewing = renew()
          .catch((thrown) => ended.end(toReason(thrown)))
          .finally(() => {
            renewing = undefined
          })
      },
      async pause() {
        await renewing
        await channel.cancel(tag).catch(() => {})
      },
      async close() {
        acks.flush()
        await channel.close().catch(() => {})
        await connection.close().catch(() => {})
      },
    }
  } catch (thrown) {
    await connection.close().catch(() => {})
    throw thrown
  } finally {
    void ended.promise.then(() => connection.close().catch(() => {}))
  }
}

function whenEnded(connection: AmqpConnection): {
  readonly promise: Promise<string>
  readonly end: (reason: string) => void
} {
  let end: (reason: string) => void = () => {}
  const promise = new Promise<string>((resolve) => {
    end = resolve
  })
  connection.on('error', (thrown) => end(`lost RabbitMQ: ${toReason(thrown)}`))
  connection.on('close', () => end('RabbitMQ closed the connection'))
  return { promise, end }
}

/** A queue that exists is taken as it is; one that does not is made, unless `declare=false`. */
async function openChannel(
  connection: AmqpConnection,
  { address: { queue, settings } }: QueueDriverOptions,
): Promise<AmqpChannel> {
  const durable = settings.flag('durable', true)
  const type = settings.text('type')
  const channel = await connection.createChannel()
  // The broker closes the channel of a check that fails; without a listener that would be an uncaught error.
  channel.on('error', () => {})
  try {
    await channel.checkQueue(queue)
    return channel
  } catch (thrown) {
    if (!settings.flag('declare', true) || !toReason(thrown).includes('NOT_FOUND')) throw thrown
  }
  const fresh = await connection.createChannel()
  fresh.on('error', () => {})
  await fresh.assertQueue(queue, {
    durable,
    ...(type !== undefined && { arguments: { 'x-queue-type': type } }),
  })
  return fresh
}

function createReceiver(
  { runner, prefetch, maxBytes }: SessionOptions,
  acks: Acknowledger,
  onCancelled: () => void,
): (message: AmqpMessage | null) => void {
  // While one half of what was sent ahead runs, the acknowledgements of the other half bring new messages.
  const take = createTurns<AmqpMessage>(Math.ceil(prefetch / 2), (message) =>
    runner.run(toEvent(message, maxBytes), (ending: Ending) => {
      if (ending === 'done') acks.done(message)
      else if (ending === 'dead') acks.reject(message)
      else acks.giveBack(message)
    }),
  )
  return (message) => {
    if (message === null) return onCancelled()
    acks.received(message)
    take(message)
  }
}

function toEvent({ content, fields, properties }: AmqpMessage, maxBytes: number): TriggerEvent {
  const { headers = {}, messageId, type } = properties
  const inHeader = headers['x-message-id']
  const id = messageId || (typeof inHeader === 'string' ? inHeader : '')
  const isTooLong = content.length > maxBytes
  const event = {
    // Without an id nothing tells a redelivered message from an equal one: it may then run twice.
    id: id || randomUUID(),
    payload: isTooLong ? null : decodeQueueMessage(content),
    meta: toMeta(fields, headers),
    bytes: content.length,
  }
  if (isTooLong) return { ...event, refused: toQueueRefusal(content.length, maxBytes) }
  return type === undefined ? event : { event: type, ...event }
}

function toMeta(
  { redelivered, exchange, routingKey }: AmqpMessage['fields'],
  headers: Readonly<Record<string, unknown>>,
): JsonObject {
  const meta = { redelivered, exchange, routing_key: routingKey }
  const plain = Object.entries(headers)
    .filter(([, value]) => PLAIN.has(typeof value))
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_META) : value])
  if (plain.length === 0) return meta
  return { ...meta, headers: Object.fromEntries(plain) as JsonObject }
}

const PLAIN = new Set(['string', 'number', 'boolean'])
// They are kept beside a payload whose size alone is looked at.
const MAX_HEADERS = 50
const MAX_META = 500

/** Without its own settings, and with a heartbeat: a peer that vanished is noticed within a minute. */
function toServer(server: URL): URL {
  const url = new URL(server)
  const heartbeat = url.searchParams.get('heartbeat') ?? '20'
  url.search = ''
  url.searchParams.set('heartbeat', heartbeat)
  // An empty path would be the virtual host with the empty name.
  if (url.pathname === '/') url.pathname = ''
  return url
}
