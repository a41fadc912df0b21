import type { Principal } from '../core/call.ts'
import type { JsonObject } from '../core/json.ts'
import type { ClientCapabilities, Era, LogLevel, RequestId } from './protocol.ts'

/** One request of a client while it is answered: what it says, and the way back. */
export interface Exchange {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly meta: JsonObject
  readonly era: Era
  /** The revision that client and server agreed on. */
  readonly version: string
  readonly capabilities: ClientCapabilities
  /** How the client calls itself; nobody checks it. */
  readonly caller: string | undefined
  readonly principal: Principal | undefined
  /** Gives the name under which memory and budgets of this caller are counted. */
  readonly callerKey: () => string
  /** On the clock that never jumps. */
  readonly startedAt: number
  /** Aborts when the client cancels the request or goes away. */
  readonly signal: () => AbortSignal
  /** Sends a notification that belongs to this request. */
  readonly notify: (method: string, params: JsonObject) => void
  /** Sends the client a request of its own and waits for the answer; absent where the protocol has no way. */
  readonly request: Asking | undefined
  /** Lets the client go until it comes back for the rest of the answer; absent where it would not. */
  readonly release: (() => void) | undefined
  /** What outlives this request; absent in stateless exchanges. */
  readonly peer: Peer | undefined
}

/** Sends the client a request and gives its result. */
export type Asking = (method: string, params: JsonObject, signal: AbortSignal) => Promise<unknown>

/** The client at the other end of a session or a pipe, as far as requests depend on one another. */
export interface Peer {
  /** Lowest severity of log lines it wants. */
  logLevel: LogLevel
  /** Resources it wants to hear about. */
  readonly followed: Followed
}

/** Resources that one client wants to hear about: a bounded number, in bounded bytes. */
export interface Followed {
  /** Adds one; false when there is no room. */
  readonly add: (uri: string) => boolean
  readonly delete: (uri: string) => void
  readonly has: (uri: string) => boolean
}
