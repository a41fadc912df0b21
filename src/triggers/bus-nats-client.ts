import { loadOptional } from '../store/optional-package.ts'

/** The members of a message of JetStream that are used here. */
export interface NatsMessage {
  string(): string
  ack(): void
  nak(delayMs?: number): void
  term(reason?: string): void
}

/** A message somebody waits for an answer to. */
interface NatsRequest {
  string(): string
  respond(text: string): boolean
}

/** The members of a NATS connection that are used here. */
export interface NatsConnection {
  request(
    subject: string,
    text: string,
    options: { readonly timeout: number },
  ): Promise<{ string(): string }>
  subscribe(
    subject: string,
    options: {
      readonly queue: string
      readonly callback: (error: Error | null, message: NatsRequest) => void
    },
  ): { unsubscribe(): void }
  isClosed(): boolean
  flush(): Promise<void>
  drain(): Promise<void>
}

/** What streams and consumers are made with. */
export interface NatsManager {
  readonly streams: {
    info(name: string): Promise<unknown>
    add(config: Readonly<Record<string, unknown>>): Promise<unknown>
  }
  readonly consumers: {
    add(stream: string, config: Readonly<Record<string, unknown>>): Promise<unknown>
  }
}

/** What publishes to streams and reads from them. */
export interface NatsStreams {
  publish(subject: string, text: string, options: { readonly msgID: string }): Promise<unknown>
  readonly consumers: {
    get(
      stream: string,
      name: string,
    ): Promise<{
      consume(options: { readonly max_messages: number }): Promise<NatsMessages>
    }>
  }
}

/** Messages as they come, until they are closed. */
export interface NatsMessages extends AsyncIterable<NatsMessage> {
  close(): Promise<unknown>
}

/** A connection with what is made on it. */
export interface NatsLink {
  readonly connection: NatsConnection
  readonly streams: NatsStreams
  readonly manager: NatsManager
}

/** Loads the clients of NATS and answers how to connect with them. */
export async function loadNats(
  load?: (name: string) => Promise<unknown>,
): Promise<(url: URL) => Promise<NatsLink>> {
  const transport = (await loadOptional(
    '@nats-io/transport-node',
    'nats:',
    load,
    'bus',
  )) as unknown as { connect(options: Readonly<Record<string, unknown>>): Promise<NatsConnection> }
  const jetstream = (await loadOptional('@nats-io/jetstream', 'nats:', load, 'bus')) as unknown as {
    jetstream(connection: NatsConnection): NatsStreams
    jetstreamManager(connection: NatsConnection): Promise<NatsManager>
  }
  return async (url) => {
    const { username, password } = url
    const connection = await transport.connect({
      servers: [`${url.hostname}:${url.port || '4222'}`],
      name: 'waymark',
      timeout: 5_000,
      reconnectTimeWait: 500,
      maxReconnectAttempts: -1,
      ...(url.protocol === 'tls:' && { tls: {} }),
      ...(username && password && { user: decodeURIComponent(username) }),
      ...(username && password && { pass: decodeURIComponent(password) }),
      ...(username && !password && { token: decodeURIComponent(username) }),
    })
    return {
      connection,
      streams: jetstream.jetstream(connection),
      manager: await jetstream.jetstreamManager(connection),
    }
  }
}
