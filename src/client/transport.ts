/** A request document on its way: JSON text and the headers that go with it. */
export interface TransportRequest {
  readonly body: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when nobody waits any more: by the caller, or because time is up. */
  readonly signal: AbortSignal
  /** True when the caller can read the answer while it comes; a transport that cannot hands over the whole. */
  readonly streams?: boolean
}

/** What came back: read to its end, or as a stream where the request allowed one. */
export interface TransportResponse {
  readonly status: number
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Empty when there are `chunks`. */
  readonly body: string
  /** An answer of type `text/event-stream` as it comes; leaving the iteration ends the connection. */
  readonly chunks?: AsyncIterable<string | Uint8Array>
}

/** Carries one request to a service; fails with a CallError that has a client-side code. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>
