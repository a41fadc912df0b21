import { loadOptional } from '../../store/index.ts'
import type { LoadPackage } from './driver.ts'

/** The members of a message of amqplib that are read here. */
export interface AmqpMessage {
  readonly content: Uint8Array
  readonly fields: {
    readonly deliveryTag: number
    readonly redelivered: boolean
    readonly exchange: string
    readonly routingKey: string
  }
  readonly properties: {
    readonly messageId?: string
    readonly correlationId?: string
    readonly type?: string
    readonly contentType?: string
    readonly timestamp?: number
    readonly headers?: Readonly<Record<string, unknown>>
  }
}

/** The members of a channel of amqplib that are called here. */
export interface AmqpChannel {
  prefetch(count: number): Promise<unknown>
  checkQueue(queue: string): Promise<unknown>
  assertQueue(
    queue: string,
    options: { readonly durable: boolean; readonly arguments?: Readonly<Record<string, unknown>> },
  ): Promise<unknown>
  consume(
    queue: string,
    onMessage: (message: AmqpMessage | null) => void,
  ): Promise<{ readonly consumerTag: string }>
  cancel(consumerTag: string): Promise<unknown>
  ack(message: AmqpMessage, allUpTo?: boolean): void
  nack(message: AmqpMessage, allUpTo?: boolean, requeue?: boolean): void
  close(): Promise<void>
  on(event: 'error' | 'close', listener: (reason?: unknown) => void): unknown
}

/** The members of a connection of amqplib that are called here. */
export interface AmqpConnection {
  createChannel(): Promise<AmqpChannel>
  close(): Promise<void>
  on(event: 'error' | 'close', listener: (reason?: unknown) => void): unknown
}

type Connect = (url: string, options: Readonly<Record<string, unknown>>) => Promise<AmqpConnection>

const CONNECT_TIMEOUT_MS = 10_000

/** Loads amqplib and answers how to connect with it. */
export async function loadAmqp(
  name: string,
  load?: LoadPackage,
): Promise<(url: URL) => Promise<AmqpConnection>> {
  const { connect } = await loadOptional('amqplib', 'amqp:', load, 'queue')
  const options = {
    timeout: CONNECT_TIMEOUT_MS,
    noDelay: true,
    clientProperties: { connection_name: `waymark ${name}` },
  }
  return (url) => (connect as Connect)(url.href, options)
}
