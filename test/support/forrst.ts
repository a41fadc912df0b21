import type { Logger, Service } from '../../src/core/service.ts'
import { createLocalJudge } from '../../src/net/local.ts'
import { createForrstHandler } from '../../src/surfaces/forrst/handler.ts'
import type { Clock } from '../../src/values/time.ts'
import type { ResponseDocument } from '../../src/wire/envelope.ts'
import { type HttpRequest, IN_PROCESS } from '../../src/wire/http.ts'

/** What a test says about a call; everything else is filled in. */
export interface TestDocument {
  readonly function: string
  readonly version?: string | null
  readonly arguments?: unknown
  readonly context?: unknown
  readonly extensions?: readonly unknown[]
  readonly id?: string
}

/** How the request travels. */
export interface TestRequestOptions {
  /** Lower-case names; content-type is application/json unless given. */
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly path?: string
  readonly signal?: AbortSignal
}

/** What came back. */
export interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: ResponseDocument
}

/** Calls a function of a service through the Forrst door and reads the answer. */
export function call(
  service: Service,
  { function: name, version, arguments: input, context, extensions, id = 'req_1' }: TestDocument,
  options: TestRequestOptions = {},
): Promise<TestResponse> {
  return send(
    service,
    {
      protocol: { name: 'forrst', version: '0.1.0' },
      id,
      call: {
        function: name,
        ...(version !== undefined && { version }),
        ...(input !== undefined && { arguments: input }),
      },
      ...(context !== undefined && { context }),
      ...(extensions !== undefined && { extensions }),
    },
    options,
  )
}

/** Sends any document, or any text, through the Forrst door and reads the answer. */
export async function send(
  service: Service,
  document: unknown,
  options: TestRequestOptions = {},
): Promise<TestResponse> {
  const handle = createForrstHandler(service)
  const { status, headers, body } = await handle(toRequest(document, options), createLocalJudge({}))
  if (typeof body !== 'string') throw new TypeError('expected a text body')
  return { status, headers, body: JSON.parse(body) as ResponseDocument }
}

/** Finds the data of an extension in an answer; undefined when there is no entry. */
export function dataOf({ body }: TestResponse, urn: string): Record<string, unknown> | undefined {
  const entry = body.extensions?.find((candidate) => candidate.urn === urn)
  return entry && (entry.data ?? {})
}

/** Makes the neutral request that hosts hand to a surface; text and bytes travel as they are. */
export function toRequest(document: unknown, options: TestRequestOptions = {}): HttpRequest {
  const headers: Readonly<Record<string, string>> = {
    'content-type': 'application/json',
    ...options.headers,
  }
  const signal = options.signal ?? new AbortController().signal
  const bytes =
    document instanceof Uint8Array
      ? document
      : Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  return {
    method: options.method ?? 'POST',
    path: options.path ?? '/forrst',
    query: '',
    header: (name) => headers[name],
    body: bytes,
    bodyTooLarge: false,
    signal: () => signal,
    peerAddress: () => IN_PROCESS,
  }
}

/** A clock that moves only when told to. */
export interface TestClock extends Clock {
  readonly advance: (milliseconds: number) => void
}

/** Creates a clock that stands still at the moment the specification's examples show. */
export function createTestClock(start: number = Date.parse('2024-01-15T10:30:00Z')): TestClock {
  let passed = 0
  return {
    now: () => start + passed,
    elapsed: () => passed,
    advance(milliseconds) {
      passed += milliseconds
    },
  }
}

/** A logger that keeps what it is told. */
export interface TestLog extends Logger {
  readonly lines: { readonly message: string; readonly facts: Readonly<Record<string, unknown>> }[]
}

/** Creates a logger that keeps what it is told. */
export function createTestLog(): TestLog {
  const lines: TestLog['lines'] = []
  const keep = (message: string, facts: Readonly<Record<string, unknown>> = {}) => {
    lines.push({ message, facts })
  }
  return { lines, warn: keep, error: keep }
}
