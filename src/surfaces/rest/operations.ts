import type { HttpAddress } from '../../contract/index.ts'
import type { Outcome, Reply } from '../../core/index.ts'
import { extensionUrn, isRecord } from '../../values/index.ts'
import type { HttpResponse } from '../../wire/index.ts'

/** Where operations in the background are, below the mount. */
export const OPERATIONS = '/operations'

/** The extension that makes operations. */
export const ASYNC: string = extensionUrn('async')

function toAddress(method: 'GET' | 'DELETE', path: string, operationId: string): HttpAddress {
  const inPath = (name: string) => path.includes(`{${name}}`)
  return {
    method,
    path,
    operationId,
    headers: {},
    placeOf: (name) => (inPath(name) ? 'path' : 'query'),
  }
}

/** Where one of them is. */
export const ONE_OPERATION = `${OPERATIONS}/{operation_id}`

/** The functions that look after operations, as resources. */
export const OPERATION_ADDRESSES: readonly {
  readonly name: string
  readonly address: HttpAddress
}[] = [
  {
    name: 'urn:cline:forrst:ext:async:fn:list',
    address: toAddress('GET', OPERATIONS, 'listOperations'),
  },
  {
    name: 'urn:cline:forrst:ext:async:fn:status',
    address: toAddress('GET', ONE_OPERATION, 'getOperation'),
  },
  {
    name: 'urn:cline:forrst:ext:async:fn:cancel',
    address: toAddress('DELETE', ONE_OPERATION, 'cancelOperation'),
  },
]

/** Seconds after which it is worth asking again how an operation stands. */
const ASK_AGAIN = '1'

/** Answers a call that goes on in the background: 202, and where to look. */
export function encodeStarted(
  { disposition, extensions = [], headers }: Reply,
  prefix: string,
): HttpResponse | undefined {
  if (disposition !== 'started') return undefined
  const { data } = extensions.find(({ urn }) => urn.endsWith(':ext:async')) ?? {}
  if (data === undefined || typeof data['operation_id'] !== 'string') return undefined
  const { operation_id: id, status, started_at, retry_after: wait } = data
  const seconds =
    isRecord(wait) && typeof wait['value'] === 'number' ? `${wait['value']}` : ASK_AGAIN
  return {
    status: 202,
    headers: {
      'content-type': 'application/json',
      ...headers,
      location: `${prefix}${OPERATIONS}/${id}`,
      'retry-after': seconds,
      'preference-applied': 'respond-async',
    },
    body: JSON.stringify({ operation_id: id, status, started_at }),
  }
}

/** Tells how an operation stands; that it failed is how it stands, not a failure to tell. */
export function toStanding(outcome: Outcome): Outcome {
  return outcome.ok ? outcome : toFailed(outcome)
}

/** Headers of an answer that tells how an operation stands. */
export function standingHeaders(result: unknown): Readonly<Record<string, string>> {
  const status = isRecord(result) ? result['status'] : undefined
  const goesOn = status === 'pending' || status === 'processing'
  return { 'cache-control': 'no-store', ...(goesOn && { 'retry-after': ASK_AGAIN }) }
}

function toFailed(outcome: Extract<Outcome, { ok: false }>): Outcome {
  const [{ code, details }] = outcome.errors
  if (code !== 'ASYNC_OPERATION_FAILED') return outcome
  const { operation_id, failed_at, errors } = details ?? {}
  return {
    ok: true,
    result: { operation_id, status: 'failed', completed_at: failed_at, errors: errors ?? [] },
  }
}
