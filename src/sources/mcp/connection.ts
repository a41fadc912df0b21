import { CallError } from '../../errors/index.ts'
import {
  type Clock,
  runInScope,
  toDuration,
  toReason,
  unref,
  untilAborted,
} from '../../values/index.ts'

/** Something that is there, goes away and comes back. */
export interface McpConnection<Client> {
  /** Gives the client, connecting when there is none; throws UNAVAILABLE while it waits for the next attempt. */
  readonly client: () => Promise<Client>
  /** Gives a client up that does not answer any more; another one is opened in a while. */
  readonly lose: (client: Client) => void
  /** Gives a client up whose server has forgotten it; the next call may connect at once. */
  readonly renew: (client: Client) => void
  readonly state: () => ConnectionState
  readonly close: () => Promise<void>
}

/** Whether something is there; since when, and why not. */
export type ConnectionState =
  | { readonly status: 'connected' | 'connecting'; readonly since: number }
  | {
      readonly status: 'unreachable'
      readonly since: number
      readonly reason: string
      readonly retryMs: number
    }

/** How a connection is kept. */
export interface ConnectionOptions<Client extends { close(): Promise<void> }> {
  /** Named in errors. */
  readonly name: string
  /** Milliseconds that one attempt may take, its lists included. */
  readonly timeoutMs: number
  readonly open: (onClose: () => void, signal: AbortSignal) => Promise<Client>
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
  const stopping = new AbortController()
  let state: ConnectionState = { status: 'connecting', since: clock.now() }

  function open(): Promise<Client> {
    clearTimeout(timer)
    opening ??= attempt().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function attempt(): Promise<Client> {
    let client: Client | undefined
    const onClose = () => {
      if (client !== undefined) lose(client)
    }
    try {
      client = await openInTime(options, stopping.signal, onClose)
    } catch (thrown) {
      throw retryLater(thrown)
    }
    current = client
    failures = 0
    state = { status: 'connected', since: clock.now() }
    return client
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
    const since = state.status === 'unreachable' ? state.since : clock.now()
    state = { status: 'unreachable', since, reason: toReason(cause).slice(0, 500), retryMs }
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
    state: () => state,
    async close() {
      closed = true
      stopping.abort(new Error('closed while connecting'))
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

/** Opens a client, its lists included, within its time; one that comes later is closed. */
function openInTime<Client extends { close(): Promise<void> }>(
  { open, onOpen, timeoutMs }: ConnectionOptions<Client>,
  stopping: AbortSignal,
  onClose: () => void,
): Promise<Client> {
  const timer = { afterMs: timeoutMs, reason: () => new Error(`no answer within ${timeoutMs} ms`) }
  return runInScope([stopping], timer, async (signal) => {
    const opening = open(onClose, signal)
    const discard = () => void opening.then((late) => late.close()).catch(() => undefined)
    try {
      const client = await untilAborted(opening, signal)
      await untilAborted(onOpen(client), signal)
      return client
    } catch (thrown) {
      discard()
      throw thrown
    }
  })
}
