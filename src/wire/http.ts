import { CallError } from '../errors/index.ts'
import type { Maybe } from '../values/index.ts'

/** A request as every host hands it to a surface: already read, within limits, no host object inside. */
export interface HttpRequest {
  readonly method: string
  /** The path as received, without query, percent-escapes untouched. */
  readonly path: string
  /** What follows the question mark, or an empty string. */
  readonly query: string
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: Uint8Array
  /**
   * The body as it arrives, for a mount that takes it so; `body` is then empty. It has no limit but those of its reader,
   * and can be read once.
   */
  readonly stream?: AsyncIterable<Uint8Array>
  /** True when a parser of the host had read the body before and `body` was written anew from what it made of it. */
  readonly bodyRewritten?: boolean
  /** True when the body was longer than the limit; `body` is then empty. */
  readonly bodyTooLarge: boolean
  /** Aborts when the peer goes away before the answer is sent; made when first asked for. */
  readonly signal: () => AbortSignal
  /**
   * The address at the other end of the connection, `IN_PROCESS` for a request that this process made itself. Absent, or
   * undefined, where the host does not tell; behind a proxy it is the proxy's, unless that one is trusted.
   */
  readonly peerAddress?: () => string | undefined
  /** True when a trusted proxy handed the request over: what only a proxy may say can then be believed. */
  readonly fromProxy?: boolean
  /** The scheme that the caller used, where a trusted proxy says it. */
  readonly scheme?: 'http' | 'https'
}

/** The peer of a request that never was on a connection: the local transport makes such ones. */
export const IN_PROCESS = 'in-process'

/** Says why the sender of a request is not taken to be on this machine; undefined when it is. */
export type JudgeLocal = (request: HttpRequest) => string | undefined

/** An answer every host can write: one status, flat headers, one body. */
export interface HttpResponse {
  readonly status: number
  /** Lower-case names; a list is sent as several headers of that name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Text and bytes are written at once; an iterable is streamed with backpressure. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

/**
 * What a surface is to a host: a request in, a response out, never a throw. An app adds its judge of who is on this
 * machine; without one, nobody is.
 */
export type HttpHandler = (request: HttpRequest, judgeLocal?: JudgeLocal) => Maybe<HttpResponse>

/** Tells whether a Content-Type says JSON; parameters such as a charset are allowed. */
export function isJsonMediaType(mediaType: string | undefined): boolean {
  return mediaType === 'application/json' || toEssence(mediaType) === 'application/json'
}

/** Tells whether a Content-Type says server-sent events. */
export function isEventStream(mediaType: string | undefined): boolean {
  return toEssence(mediaType) === 'text/event-stream'
}

/** Picks the type that an Accept header names with the highest weight; the first of equals, undefined when it names none. */
export function selectMediaType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  let best: { readonly type: Type; readonly weight: number } | undefined
  for (const part of accept?.split(',') ?? []) {
    const essence = toEssence(part)
    const type = offered.find((one) => one === essence)
    const weight = toWeight(part)
    if (type !== undefined && weight > (best?.weight ?? 0)) best = { type, weight }
  }
  return best?.type
}

function toWeight(part: string): number {
  const text = /;\s*q\s*=\s*([\d.]{1,5})/i.exec(part)?.[1]
  return text === undefined ? 1 : Number(text)
}

function toEssence(mediaType = ''): string {
  const end = mediaType.indexOf(';')
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}

/** Tells in which coding a body was sent, `identity` included: nobody here undoes one. A parser in front of us may have. */
export function findCoding({ header, bodyRewritten }: HttpRequest): string | undefined {
  const coding = header('content-encoding')
  return coding === undefined || bodyRewritten
    ? undefined
    : coding.trim().toLowerCase().slice(0, 20)
}

/** Makes the error for a body in a coding that is not taken. */
export function codingNotTaken(coding: string): CallError {
  return new CallError('INVALID_REQUEST', {
    message: `Content-Encoding "${coding}" is not supported; send the body as it is, without this header`,
    details: { accept_encoding: ['identity'] },
    status: 415,
  })
}
