import type { CallErrorShape } from '../errors/index.ts'
import type { JsonObject, Maybe } from '../values/index.ts'
import type { QueryPlan } from './query-plan.ts'

/** An extension the caller declared, or that a surface derived from a header. */
export interface ExtensionEntry {
  /** As the caller wrote it; replies echo this spelling. */
  readonly urn: string
  readonly options: JsonObject
  /** Where the entry stands in the request. */
  readonly pointer: string
  /** Derived, not asked for: silently skipped where it does not apply. */
  readonly implicit?: boolean
}

/** Who calls, as the service's `authenticate` hook found out. */
export interface Principal {
  readonly id: string
  readonly scopes?: readonly string[]
  readonly [claim: string]: unknown
}

/** The trace a call belongs to; calls made on its behalf name `spanId` as their parent. */
export interface TraceFacts {
  readonly traceId: string
  /** The span of this call. */
  readonly spanId: string
  /** The span of the caller. */
  readonly parentSpanId?: string
  readonly sampled?: boolean
  /** W3C `tracestate`, to be passed on unchanged. */
  readonly state?: string
  /** Pairs that travel down the whole chain of calls. */
  readonly baggage?: JsonObject
}

/** Where partial results go while a function runs; offered by a surface that can send them. */
export interface Outlet {
  /** Says that every gate is passed and the function is about to run. */
  readonly begin: () => void
  /** Hands one partial result over; waits while the caller reads slowly. */
  readonly emit: (item: unknown) => Maybe<void>
  /** True when the caller gets all of them once more in one piece, at the end. */
  readonly whole?: boolean
}

/** What extensions found out for the handler and for calls it makes itself. */
export interface CallFacts {
  readonly trace?: TraceFacts
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadline?: number
  readonly locale?: {
    readonly language: string
    readonly timezone: string
    readonly currency?: string
  }
  readonly idempotencyKey?: string
  /** Strictly increasing; a resource refuses writes with a token older than the newest it saw. */
  readonly fencingToken?: number
  /** What the caller of a list wants; the result is then a resource document. */
  readonly query?: QueryPlan
  /** Reports how far a long call is, between 0 and 1. */
  readonly progress?: (fraction: number, message?: string) => void
  /** True when the surface sends large files of a result while it reads them. */
  readonly takesFiles?: true
  /** Present when the caller reads partial results as they come. */
  readonly outlet?: Outlet
}

/** One call, as every surface hands it to the core. Pointers in errors count from the Forrst request root. */
export interface Call {
  /** The caller's id for this attempt. */
  readonly id: string
  readonly function: string
  readonly version: string | undefined
  readonly arguments: JsonObject
  /** Business metadata that travels down a chain of calls. */
  readonly context: JsonObject | undefined
  readonly extensions: readonly ExtensionEntry[]
  readonly principal: Principal | undefined
  /** Aborts when nobody waits any more. A function, because making a signal costs more than most calls. */
  readonly signal: () => AbortSignal
  readonly facts: CallFacts
  /** What middleware made for the handler; never leaves the process. */
  readonly locals?: Readonly<Record<string, unknown>>
  /** When the request arrived, on the clock that never jumps. */
  readonly startedAt: number
  /** Written while the call runs; the surface sends it beside the outcome. */
  readonly reply: Reply
  /** Says why the caller is not taken to be on this machine, undefined when it is; absent where nobody can tell. */
  readonly judgeLocal?: (() => string | undefined) | undefined
}

/** A call that gave a result. */
export interface Success {
  readonly ok: true
  readonly result: unknown
}

/** A call that failed, with one entry per finding. */
export interface Failure {
  readonly ok: false
  readonly errors: readonly [CallErrorShape, ...CallErrorShape[]]
  /** HTTP status of a declared application code; the table decides when absent. */
  readonly status?: number
  /** What the caller is asked to show, for an answer with status 401 or 403; what the service asks for when absent. */
  readonly challenge?: string
}

/** What a call comes to. */
export type Outcome = Success | Failure

/** One extension's answer. */
export interface ReplyEntry {
  readonly urn: string
  readonly data?: JsonObject
}

/** What goes back beside the outcome; extensions and system functions write into it while the call runs. */
export interface Reply {
  extensions: ReplyEntry[] | undefined
  meta: Record<string, unknown> | undefined
  /**
   * `accepted`: taken, not done. `started`: goes on in the background, and an extension's answer says where to look.
   * `unavailable`: a result that says the service cannot serve. `instead`: an extension's answer stands in for the
   * result, which is null whatever the function promises.
   */
  disposition: 'accepted' | 'started' | 'unavailable' | 'instead' | undefined
  /** Extra HTTP headers; surfaces without headers ignore them. */
  headers: Record<string, string> | undefined
}

/** Makes an empty reply. */
export function createReply(): Reply {
  return { extensions: undefined, meta: undefined, disposition: undefined, headers: undefined }
}

/** Adds one extension's answer to a reply. */
export function addReplyEntry(reply: Reply, urn: string, data?: JsonObject): void {
  reply.extensions ??= []
  reply.extensions.push(data === undefined ? { urn } : { urn, data })
}

// What callers and definitions say may end in a header; anything but printable ASCII could start another one.
const HEADER_VALUE = /^[\x20-\x7e]*$/

/** Adds a response header; a value that is not plain ASCII is left out. */
export function addReplyHeader(reply: Reply, name: string, value: string): void {
  if (!HEADER_VALUE.test(value)) return
  reply.headers ??= {}
  reply.headers[name] = value
}

/** Shares the facts of a call with what comes after, without changing the call itself. */
export function withFacts(call: Call, facts: CallFacts): Call {
  return { ...call, facts: { ...call.facts, ...facts } }
}

/** Gives stored answers to a new caller. */
export function restoreReply(reply: Reply, entries: readonly ReplyEntry[] = []): void {
  for (const { urn, data } of entries) addReplyEntry(reply, urn, data)
}
