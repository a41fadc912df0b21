import {
  type Call,
  createReply,
  type ExtensionEntry,
  type FunctionEntry,
  type Principal,
  type Service,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { STREAM_URN } from '../../extensions/stream/index.ts'
import { extensionUrn, isRecord, type JsonObject, nearest } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
  selectMediaType,
} from '../../wire/index.ts'
import { STREAM_TYPES, type StreamType } from './stream.ts'

/** Which function a path under the mount names, and in which version. */
export interface RestTarget {
  readonly name: string
  readonly version: string | undefined
}

/** What is asked for, before who asks is known. */
export interface Asked {
  readonly target: RestTarget
  readonly streamType: StreamType | undefined
  readonly nextId: () => string
}

const NO_ENTRIES: readonly ExtensionEntry[] = []
const NO_FACTS: Call['facts'] = Object.freeze({})

const STREAMED: ExtensionEntry = {
  urn: STREAM_URN,
  options: { accept: true },
  pointer: '',
  implicit: true,
}

/** Reads `/{function}` or `/{function}/{version}`; undefined when the path is neither. */
export function decodeTarget(path: string): RestTarget | undefined {
  // One segment without escapes is the name as it stands; nearly every path is that.
  if (path.length > 1 && path.lastIndexOf('/') === 0 && !path.includes('%')) {
    return { name: path.slice(1), version: undefined }
  }
  const [name, version, ...rest] = path.slice(1).split('/').map(decodeSegment)
  if (name === undefined || name === '' || version === '' || rest.length > 0) return undefined
  return { name, version }
}

/** Tells how the caller wants to read partial results; undefined when it wants the whole, or there are none. */
export function decodeStreamType(
  request: HttpRequest,
  { versions, latest }: FunctionEntry,
  { version }: RestTarget,
): StreamType | undefined {
  const target = version === undefined ? latest : versions.get(version)
  if (!target?.streams) return undefined
  const type = selectMediaType(request.header('accept'), ['application/json', ...STREAM_TYPES])
  return type === 'application/json' ? undefined : type
}

/** Makes the neutral call of a REST request: the body is the arguments, headers stand for extensions. */
export function decodeCall(
  request: HttpRequest,
  { target, streamType, nextId }: Asked,
  service: Service,
  principal: Principal | undefined,
): Call {
  const entries = readHeaderEntries(request, service)
  return {
    id: request.header('x-request-id')?.slice(0, 255) || nextId(),
    function: target.name,
    version: target.version,
    arguments: readArguments(request, target, service),
    context: undefined,
    extensions: streamType !== undefined ? [...entries, STREAMED] : entries,
    principal,
    signal: request.signal,
    facts: NO_FACTS,
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

function readArguments(request: HttpRequest, target: RestTarget, service: Service): JsonObject {
  const { limits } = service
  if (request.query !== '') refuseQuery(request.query, target, service)
  if (request.bodyTooLarge) {
    throw new CallError('INVALID_REQUEST', {
      message: `The request body is larger than ${limits.maxRequestBytes} bytes`,
      status: 413,
    })
  }
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  if (request.body.byteLength === 0) return {}
  if (!isJsonMediaType(request.header('content-type'))) {
    throw new CallError('INVALID_REQUEST', {
      message: 'Content-Type must be application/json',
      status: 415,
    })
  }
  const value = parseJson(request.body, limits.maxDepth)
  if (isRecord(value)) return value as JsonObject
  throw new CallError('INVALID_REQUEST', {
    message: 'The body must be a JSON object with the arguments of the function',
    source: { pointer: '' },
  })
}

/** Arguments are read from the body alone; one in the query string would be dropped, so none may be there. */
function refuseQuery(query: string, { name, version }: RestTarget, { registry }: Service): void {
  const entry = registry.find(name)
  const target = version === undefined ? entry?.latest : entry?.versions.get(version)
  const { properties } = target?.inputSchema ?? {}
  const names = isRecord(properties) ? Object.keys(properties) : []
  for (const key of new URLSearchParams(query).keys()) {
    const [meant] = nearest(key, names)
    // Where others are passed over, one that was meant for the body is still not lost.
    if (meant === undefined && target?.ignoresUnknown) continue
    const hint = meant === undefined ? '' : `; did you mean "${meant}" there?`
    throw new CallError('INVALID_ARGUMENTS', {
      message: `${key.slice(0, 100)}: arguments of ${name} are members of a JSON object in the body, not of the query string${hint}`,
    })
  }
}

/** Headers are offers: HTTP clients send them to every server, so one that means nothing here is passed over. */
function readHeaderEntries({ header }: HttpRequest, service: Service): readonly ExtensionEntry[] {
  const key = header('idempotency-key')
  const traceparent = header('traceparent')
  const languages = header('accept-language')
  if (key === undefined && traceparent === undefined && languages === undefined) return NO_ENTRIES
  const entries: ExtensionEntry[] = []
  const imply = (name: string, options: JsonObject) => {
    const urn = extensionUrn(name)
    if (service.supports(urn)) entries.push({ urn, options, pointer: '', implicit: true })
  }
  if (key !== undefined) imply('idempotency', { key: key.replace(/^"(.*)"$/, '$1') })
  if (traceparent !== undefined) imply('tracing', { traceparent, tracestate: header('tracestate') })
  if (languages !== undefined && languages !== '*') imply('locale', { accept_language: languages })
  return entries
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
