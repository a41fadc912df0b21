import { CALL_OPTIONS, type CallOption, ENTRIES, readEntryList } from '../../contract/index.ts'
import type { ExtensionEntry, Service } from '../../core/index.ts'
import { copyStart } from '../../net/index.ts'
import { extensionUrn, isRecord, type JsonObject } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
} from '../../wire/index.ts'
import { invalidParams, invalidRequest, McpError, RPC } from './errors.ts'
import { type ClientCapabilities, META, type RequestId } from './protocol.ts'

/** One JSON-RPC message of a client. */
export type Message =
  | {
      readonly kind: 'request'
      readonly id: RequestId
      readonly method: string
      readonly params: JsonObject
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | {
      readonly kind: 'response'
      readonly id: RequestId
      readonly result: unknown
      readonly error: unknown
    }

const NO_PARAMS: JsonObject = Object.freeze({})
const NO_ENTRIES: readonly ExtensionEntry[] = []
const MAX_ID_LENGTH = 512

/** Reads the body of a POST as JSON; throws what transport and parser refuse. */
export function readDocument(
  request: HttpRequest,
  service: Service,
  onId: (id: RequestId | undefined) => void,
): unknown {
  if (request.bodyTooLarge) {
    throw new McpError(
      RPC.invalidRequest,
      `The request body is larger than ${service.limits.maxRequestBytes} bytes`,
      { status: 413 },
    )
  }
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  const mediaType = request.header('content-type')
  if (!isJsonMediaType(mediaType)) {
    throw new McpError(RPC.invalidRequest, 'Content-Type must be application/json', { status: 415 })
  }
  return parseMessages(request.body, service, onId)
}

/** Parses a document; `onId` learns its id even when a number in it is refused. */
export function parseMessages(
  bytes: Uint8Array,
  { limits }: Service,
  onId: (id: RequestId | undefined) => void,
): unknown {
  const document = parseJson(bytes, limits.maxDepth, (refusal, value) => {
    onId(readId(value))
    throw (typeof value === 'object' ? invalidParams : invalidRequest)(refusal.message)
  })
  onId(readId(document))
  return document
}

/** Reads the id of any document, so that even a refused request is answered under its own id. */
export function readId(document: unknown): RequestId | undefined {
  const id = isRecord(document) ? document['id'] : undefined
  return isRequestId(id) ? id : undefined
}

/** Checks that a document is a JSON-RPC message. */
export function decodeMessage(document: unknown): Message {
  if (!isRecord(document)) {
    throw invalidRequest('A JSON-RPC message must be an object')
  }
  const { jsonrpc, id, method, params = NO_PARAMS } = document
  if (jsonrpc !== '2.0') throw invalidRequest('jsonrpc must be "2.0"')
  if (id !== undefined && !isRequestId(id)) {
    throw invalidRequest(`id must be an integer or a string of at most ${MAX_ID_LENGTH} characters`)
  }
  if (method === undefined) return decodeResponse(document, id)
  if (typeof method !== 'string') throw invalidRequest('method must be a string')
  if (!isRecord(params)) throw invalidParamsShape()
  return id === undefined
    ? { kind: 'notification', method, params: params as JsonObject }
    : { kind: 'request', id, method, params: params as JsonObject }
}

function decodeResponse(document: Record<string, unknown>, id: RequestId | undefined): Message {
  const { result, error } = document
  if (id === undefined || (result === undefined) === (error === undefined)) {
    throw invalidRequest('A message must have a method, or an id with a result or an error')
  }
  return { kind: 'response', id, result, error }
}

function invalidParamsShape(): McpError {
  return new McpError(RPC.invalidParams, 'params must be an object', { status: 400 })
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isInteger(value)
}

/** Gives `_meta` of some params; an empty object when there is none. */
export function readMeta(params: JsonObject): JsonObject {
  const meta = params['_meta']
  return isRecord(meta) ? meta : NO_PARAMS
}

/** Reads a text parameter that must be there. */
export function requireText(params: JsonObject, name: string): string {
  const value = params[name]
  if (typeof value !== 'string') throw invalidParams(`params.${name} must be a string`)
  return value
}

/** Reads an object parameter that may be absent. */
export function readObject(params: JsonObject, name: string): JsonObject {
  const value = params[name]
  if (value === undefined) return NO_PARAMS
  if (!isRecord(value)) throw invalidParams(`params.${name} must be an object`)
  return value
}

/** Reads what a modern request must say about itself; throws when something is missing. */
export function readEnvelope(params: JsonObject): {
  readonly version: string
  readonly capabilities: ClientCapabilities
} {
  const meta = readMeta(params)
  const version = meta[META.version]
  const capabilities = meta[META.capabilities]
  if (typeof version !== 'string') throw incomplete(META.version, 'a string')
  if (!isRecord(capabilities)) throw incomplete(META.capabilities, 'an object')
  return { version, capabilities }
}

function incomplete(key: string, kind: string): McpError {
  return new McpError(RPC.invalidParams, `params._meta must have "${key}", ${kind}`, {
    status: 400,
  })
}

/** Gives the name by which a client calls itself. */
export function readCaller(client: unknown): string | undefined {
  const name = isRecord(client) ? client['name'] : undefined
  return typeof name === 'string' && name !== '' ? copyStart(name, 200) : undefined
}

/** Reads the extension entries that `_meta` stands for. */
export function readEntries(meta: JsonObject): readonly ExtensionEntry[] {
  let entries: ExtensionEntry[] | undefined
  for (const key in meta) {
    const value = meta[key]
    if (value === undefined || !ENTRY_KEYS.has(key)) continue
    entries ??= []
    const pointer = `/params/_meta/${key.replaceAll('/', '~1')}`
    const option = OPTIONS.get(key)
    if (option === undefined) entries.push(...readEntryList(value, () => wrongList(key), pointer))
    else {
      const options = option.fromMeta(value, meta)
      // An unreadable trace does not refuse the call.
      if (options === undefined && option.urn === TRACING) continue
      if (options === undefined) throw invalidParams(`_meta["${key}"] must be ${option.expected}`)
      const isTrace = option.urn === TRACING
      entries.push({ urn: option.urn, options, pointer, ...(isTrace && { implicit: true }) })
    }
  }
  return entries ?? NO_ENTRIES
}

const TRACING = extensionUrn('tracing')
const OPTIONS: ReadonlyMap<string, CallOption> = new Map(
  CALL_OPTIONS.map((option) => [option.meta, option]),
)
const ENTRY_KEYS: ReadonlySet<string> = new Set([...OPTIONS.keys(), ENTRIES.meta])

function wrongList(key: string): Error {
  return invalidParams(`_meta["${key}"] must be a list of { "urn": …, "options": … }`)
}
