import type { QueueMessage, Receiving } from './queue.ts'
import { createWorking, parseBody, whenAborted } from './queue-message.ts'

/** The members of amqplib that are used here. */
interface Message {
  readonly content: Buffer
  readonly fields: { readonly redelivered: boolean; readonly routingKey: string }
  readonly properties: { readonly messageId?: string; readonly type?: string }
}

interface Channel {
  prefetch(count: number): Promise<unknown>
  checkQueue(queue: string): Promise<unknown>
  assertQueue(queue: string, options: { readonly durable: boolean }): Promise<unknown>
  consume(
    queue: string,
    onMessage: (message: Message | null) => void,
  ): Promise<{ readonly consumerTag: string }>
  cancel(consumerTag: string): Promise<unknown>
  ack(message: Message): void
  nack(message: Message, allUpTo: boolean, requeue: boolean): void
  close(): Promise<void>
  on(event: 'error' | 'close', listener: () => void): unknown
}

interface Connection {
  createChannel(): Promise<Channel>
  close(): Promise<void>
  on(event: 'error' | 'close', listener: () => void): unknown
}

type Connect = (url: string, options: { readonly timeout: number }) => Promise<Connection>

/** Receives from RabbitMQ: acknowledged when done, refused when given up, so that a dead-letter exchange sees it. */
export async function receiveRabbitmq(receiving: Receiving): Promise<void> {
  const { queue, server, client, take, room, stopping } = receiving
  const connection = await (client['connect'] as Connect)(toServer(server), { timeout: 10_000 })
  // What is wrong shows as the end of the connection; without a listener it would end the process.
  connection.on('error', () => {})
  const working = createWorking()
  try {
    const channel = await openChannel(connection, queue)
    const lost = new Promise<void>((resolve) => {
      connection.on('close', resolve)
      channel.on('close', resolve)
    })
    await channel.prefetch(room)
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message) working.add(take(toMessage(message)).then((ending) => end(message, ending)))
    })
    const end = (message: Message, ending: string): void => {
      try {
        if (ending === 'done') channel.ack(message)
        else channel.nack(message, false, ending === 'stopped')
      } catch {
        // The channel is gone, and the broker hands the message out again.
      }
    }
    receiving.onReady()
    await Promise.race([lost, whenAborted(stopping)])
    if (!stopping.aborted) throw new Error('the connection to RabbitMQ was lost')
    await channel.cancel(consumerTag).catch(() => {})
    await working.all()
    // Before the connection: that one would not wait for what the channel has still to say.
    await channel.close()
  } finally {
    await connection.close().catch(() => {})
  }
}

/** A queue that exists is taken as it is; one that does not is made. */
async function openChannel(connection: Connection, queue: string): Promise<Channel> {
  const channel = await connection.createChannel()
  channel.on('error', () => {})
  try {
    await channel.checkQueue(queue)
    return channel
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.includes('NOT_FOUND')) throw thrown
  }
  const fresh = await connection.createChannel()
  fresh.on('error', () => {})
  await fresh.assertQueue(queue, { durable: true })
  return fresh
}

function toMessage({ content, fields, properties }: Message): QueueMessage {
  const { redelivered, routingKey } = fields
  return {
    id: properties.messageId || undefined,
    event: properties.type || undefined,
    payload: parseBody(content.toString('utf8')),
    meta: { redelivered, routing_key: routingKey },
  }
}

function toServer(server: URL): string {
  const url = new URL(server)
  url.search = 'heartbeat=20'
  // An empty path would be the virtual host with the empty name.
  if (url.pathname === '/') url.pathname = ''
  return url.href
}
