import type { Clock } from '../core/clock.ts'
import type { Logger } from '../core/service.ts'
import type { JobQueue } from '../jobs/queue.ts'

/** How a delivery is signed: with the headers of Standard Webhooks (HMAC or Ed25519), or as Forrst callbacks are. */
export type OutgoingSignature = 'standard' | 'standard-ed25519' | 'forrst'

/** A request that this service owes somebody. */
export interface OutgoingRequest {
  /** Same on every attempt: receivers tell repeats by it. No full stop in it. */
  readonly id: string
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** Unsigned when absent. */
  readonly signature?: OutgoingSignature
}

/** Sends callbacks and webhook events in the background. */
export interface Outgoing {
  /** Tells why a URL is refused (not https, not public, too long, not on the allowlist); undefined when it is not. */
  refuse(url: string): string | undefined
  /** Tells whether there is a secret for this signature. */
  signs(signature: OutgoingSignature): boolean
  /** Resolves when the job queue keeps the request; it is sent, and sent again after a failure, in the background. */
  send(request: OutgoingRequest): Promise<void>
}

/** Where requests may go, how they are signed and when they are repeated. */
export interface OutgoingOptions {
  readonly jobs: JobQueue
  /** `whsec_…` and `whsk_…` for Standard Webhooks; any text for Forrst signatures. Several while one replaces another. */
  readonly secret?: string | readonly string[]
  /** Hosts that may be called, `*.example.com` for those below one; every public host when absent. */
  readonly allowHosts?: readonly string[]
  /** Development and tests: addresses of this machine too, and http to them. */
  readonly allowLoopback?: boolean
  /** Milliseconds before each repetition; 5 s, 30 s, 2 min, 10 min and 1 h when absent, each with jitter. */
  readonly delaysMs?: readonly number[]
  readonly clock?: Clock
  readonly log?: Logger
}

/** Makes the sender of callbacks; one per job queue. */
export declare function createOutgoing(options: OutgoingOptions): Outgoing
