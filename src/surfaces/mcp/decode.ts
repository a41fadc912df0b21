import type { ExtensionEntry, Service } from '../../core/index.ts'
import { copyStart } from '../../net/index.ts'
import { extensionUrn, isRecord, type Json, type JsonObject } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
} from '../../wire/index.ts'
import { invalidParams, invalidRequest, McpError, RPC } from './errors.ts'
import { type ClientCapabilities, META, OWN_META, type RequestId } from './protocol.ts'

const TRACING = extensionUrn('tracing')
const IDEMPOTENCY = extensionUrn('idempotency')
const DEADLINE = extensionUrn('deadline')
const DRY_RUN = extensionUrn('dry-run')

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
    const found = ENTRY_READERS.get(key)?.(meta[key], key)
    if (found !== undefined) {
      entries ??= []
      entries.push(...found)
    }
  }
  if (typeof meta['traceparent'] === 'string') {
    entries ??= []
    entries.push({
      urn: TRACING,
      options: { traceparent: meta['traceparent'], tracestate: meta['tracestate'] },
      pointer: '/params/_meta/traceparent',
      implicit: true,
    })
  }
  return entries ?? NO_ENTRIES
}

type EntryReader = (value: Json | undefined, key: string) => readonly ExtensionEntry[]

const ENTRY_READERS: ReadonlyMap<string, EntryReader> = new Map<string, EntryReader>([
  [
    OWN_META.idempotencyKey,
    (value, key) => {
      if (typeof value !== 'string') throw invalidParams(`_meta["${key}"] must be a string`)
      return [toEntry(IDEMPOTENCY, { key: value }, key)]
    },
  ],
  [
    OWN_META.deadline,
    (value, key) => {
      const options = typeof value === 'string' ? { value, unit: 'iso8601' } : value
      if (isRecord(options)) return [toEntry(DEADLINE, options, key)]
      throw invalidParams(
        `_meta["${key}"] must be a time such as "2030-01-15T10:30:00Z" or { "value": 5, "unit": "second" }`,
      )
    },
  ],
  [
    OWN_META.dryRun,
    (value, key) => {
      const options = typeof value === 'boolean' ? { enabled: value } : value
      if (!isRecord(options)) throw invalidParams(`_meta["${key}"] must be true or an object`)
      return [toEntry(DRY_RUN, options, key)]
    },
  ],
  [OWN_META.extensions, readExtensionList],
])

function readExtensionList(value: Json | undefined, key: string): readonly ExtensionEntry[] {
  if (!Array.isArray(value)) {
    throw invalidParams(`_meta["${key}"] must be a list of { "urn": …, "options": … }`)
  }
  return value.map((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['urn'] !== 'string') {
      throw invalidParams(`_meta["${key}"]: every entry needs a "urn"`)
    }
    const options = isRecord(entry['options']) ? (entry['options'] as JsonObject) : NO_PARAMS
    return toEntry(entry['urn'], options, key)
  })
}

function toEntry(urn: string, options: JsonObject, key: string): ExtensionEntry {
  return { urn, options, pointer: `/params/_meta/${key.replaceAll('/', '~1')}` }
}
