/** A request document on its way: JSON text and the headers that go with it. */
export interface TransportRequest {
  readonly body: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when nobody waits any more: by the caller, or because time is up. */
  readonly signal: AbortSignal
}

/** What came back, read to its end. */
export interface TransportResponse {
  readonly status: number
  /** Looks a header up by its lower-case name. */
  readonly header: (name: string) => string | undefined
  readonly body: string
}

/** Carries one request to a service; fails with a CallError that has a client-side code. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>
