import { CallError } from '../../errors/index.ts'
import { type Clock, toDuration, unref } from '../../values/index.ts'

/** Something that is there, goes away and comes back. */
export interface McpConnection<Client> {
  /** Gives the client, connecting when there is none; throws UNAVAILABLE while it waits for the next attempt. */
  readonly client: () => Promise<Client>
  /** Gives a client up that does not answer any more; another one is opened in a while. */
  readonly lose: (client: Client) => void
  /** Gives a client up whose server has forgotten it; the next call may connect at once. */
  readonly renew: (client: Client) => void
  readonly close: () => Promise<void>
}

/** How a connection is kept. */
export interface ConnectionOptions<Client extends { close(): Promise<void> }> {
  /** Named in errors. */
  readonly name: string
  readonly open: (onClose: () => void) => Promise<Client>
  /** Runs whenever there is a new client; when it fails, so does the attempt. */
  readonly onOpen: (client: Client) => Promise<void>
  readonly onFailure: (error: unknown, retryMs: number) => void
  readonly clock: Clock
  /** A number from 0 to 1; many that lost the same server must not come back at the same moment. */
  readonly random: () => number
}

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 30_000

/** Creates a connection that is opened again, ever more patiently, when it breaks. */
export function createConnection<Client extends { close(): Promise<void> }>(
  options: ConnectionOptions<Client>,
): McpConnection<Client> {
  const { name, clock } = options
  let current: Client | undefined
  let opening: Promise<Client> | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let nextAttempt = 0
  let closed = false

  function open(): Promise<Client> {
    clearTimeout(timer)
    opening ??= attempt().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function attempt(): Promise<Client> {
    let client: Client | undefined
    try {
      client = await options.open(() => {
        if (client !== undefined) lose(client)
      })
      if (closed) throw new Error('closed while connecting')
      await options.onOpen(client)
      current = client
      failures = 0
      return client
    } catch (thrown) {
      void client?.close().catch(() => undefined)
      throw retryLater(thrown)
    }
  }

  function drop(client: Client): boolean {
    if (client !== current) return false
    current = undefined
    void client.close().catch(() => undefined)
    return true
  }

  function lose(client: Client): void {
    if (drop(client)) retryLater(new Error(`the connection to ${name} broke`))
  }

  function retryLater(cause: unknown): CallError {
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures)
    const retryMs = Math.round(delay * (0.75 + options.random() / 2))
    failures += 1
    nextAttempt = clock.elapsed() + retryMs
    if (!closed) {
      options.onFailure(cause, retryMs)
      timer = setTimeout(() => void open().catch(() => undefined), retryMs)
      unref(timer)
    }
    return unavailable(name, retryMs, cause)
  }

  return {
    async client() {
      if (closed) throw unavailable(name, 0, undefined)
      if (current !== undefined) return current
      if (opening !== undefined) return opening
      const wait = nextAttempt - clock.elapsed()
      if (wait > 0) throw unavailable(name, wait, undefined)
      return open()
    },
    lose,
    renew: drop,
    async close() {
      closed = true
      clearTimeout(timer)
      const client = current
      current = undefined
      await client?.close().catch(() => undefined)
      await opening?.catch(() => undefined)
    },
  }
}

function unavailable(name: string, retryMs: number, cause: unknown): CallError {
  return new CallError('UNAVAILABLE', {
    message: `${name} cannot be reached`,
    details: { retry_after: toDuration(retryMs) },
    cause,
  })
}
