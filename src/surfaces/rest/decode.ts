import {
  type Contract,
  type Contracts,
  parseVersionedName,
  readHeaderOptions,
  toQueryEntry,
} from '../../contract/index.ts'
import {
  type Call,
  createReply,
  type ExtensionEntry,
  type FunctionEntry,
  type Principal,
  type Service,
  type Target,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { STREAM_URN } from '../../extensions/stream/index.ts'
import { isRecord, type JsonObject, nearest } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
  selectMediaType,
} from '../../wire/index.ts'
import type { FileBody } from './files.ts'
import { coerceArguments, parseQueryString } from './query-string.ts'
import { STREAM_TYPES, type StreamType } from './stream.ts'

/** Which function a path under the mount names, and in which version. */
export interface RestTarget {
  readonly name: string
  readonly version: string | undefined
}

/** What is asked for, before who asks is known. */
export interface Asked {
  readonly target: RestTarget
  /** The version that is meant; undefined when there is no such version. */
  readonly version: Target | undefined
  readonly contracts: Contracts
  readonly streamType: StreamType | undefined
  readonly nextId: () => string
}

const NO_FACTS: Call['facts'] = Object.freeze({})
const FILE_FACTS: Call['facts'] = Object.freeze({ takesFiles: true })

const STREAMED: ExtensionEntry = {
  urn: STREAM_URN,
  options: { accept: true },
  pointer: '',
  implicit: true,
}

/** Reads `/{function}` or `/{function}@{version}`; undefined when the path is neither. */
export function decodeTarget(path: string): RestTarget | undefined {
  if (path.length < 2 || path.lastIndexOf('/') !== 0) return undefined
  // A segment without escapes is the name as it stands; nearly every path is that.
  const segment = path.includes('%') ? decodeSegment(path.slice(1)) : path.slice(1)
  if (!segment.includes('@')) return { name: segment, version: undefined }
  const { name, version } = parseVersionedName(segment)
  return version === '' ? undefined : { name, version }
}

/** Finds the version that a path means; undefined when there is none. */
export function findVersion(
  { versions, latest }: FunctionEntry,
  { version }: RestTarget,
): Target | undefined {
  return version === undefined ? latest : versions.get(version)
}

/** Tells how the caller wants to read partial results; undefined when it wants the whole, or there are none. */
export function decodeStreamType(
  request: HttpRequest,
  target: Target | undefined,
): StreamType | undefined {
  if (!target?.streams) return undefined
  const type = selectMediaType(request.header('accept'), ['application/json', ...STREAM_TYPES])
  return type === 'application/json' ? undefined : type
}

/** Makes the neutral call of a REST request: arguments are the body, headers and query string stand for extensions. */
export function decodeCall(
  request: HttpRequest,
  asked: Asked,
  service: Service,
  principal: Principal | undefined,
  files?: FileBody,
): Call {
  const { target, streamType, nextId } = asked
  const entries = readHeaderOptions(request.header)
  const call: Call = {
    id: request.header('x-request-id')?.slice(0, 255) || nextId(),
    function: target.name,
    version: target.version,
    arguments: files?.arguments ?? readBody(request, service),
    context: undefined,
    extensions: streamType !== undefined ? [...entries, STREAMED] : entries,
    principal,
    signal: request.signal,
    facts: asked.version?.outputFiles?.rule === undefined ? NO_FACTS : FILE_FACTS,
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
  return request.query === '' ? call : withQueryString(call, request, asked, service, files)
}

function readBody(request: HttpRequest, { limits }: Service): JsonObject {
  if (request.bodyTooLarge) {
    throw new CallError('INVALID_REQUEST', {
      message: `The request body is larger than ${limits.maxRequestBytes} bytes`,
      status: 413,
    })
  }
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  if (request.body.byteLength === 0) return {}
  if (request.method === 'GET') {
    throw new CallError('INVALID_REQUEST', {
      message: 'A GET request has no body: send arguments in the query string, or use POST',
    })
  }
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

/** What a query may say is in the query string; with GET, so are the arguments. */
function withQueryString(
  call: Call,
  request: HttpRequest,
  asked: Asked,
  service: Service,
  files: FileBody | undefined,
): Call {
  const contract = asked.version && asked.contracts.of(asked.version)
  const values = parseQueryString(request.query)
  const names = Object.keys(contract?.parameters.query?.properties ?? {})
  const isQuery = (name: string) => names.includes(name)
  const own = Object.entries(values).filter(([name]) => !isQuery(name))
  const query = Object.entries(values).filter(([name]) => isQuery(name))
  const options =
    query.length > 0 && contract?.parameters.query?.fromText(Object.fromEntries(query))
  const extensions = options ? [...call.extensions, toQueryEntry(options)] : call.extensions
  if (contract === undefined || (request.method !== 'GET' && !files?.isRaw)) {
    refuseArguments(own, names, asked, contract)
    return { ...call, extensions }
  }
  const given = coerceArguments(Object.fromEntries(own), contract, service)
  return { ...call, arguments: { ...given, ...files?.arguments }, extensions }
}

/** With POST arguments are read from the body alone; one in the query string would be dropped, so none may be there. */
function refuseArguments(
  given: readonly (readonly [string, unknown])[],
  queryNames: readonly string[],
  { target: { name } }: Asked,
  contract: Contract | undefined,
): void {
  const target = contract?.target
  const { properties } = target?.inputSchema ?? {}
  const names = isRecord(properties) ? Object.keys(properties) : []
  for (const [key] of given) {
    const [parameter] = nearest(key, queryNames)
    const [meant] = nearest(key, names)
    // Where others are passed over, one that was meant for the body is still not lost.
    if (meant === undefined && parameter === undefined && target?.ignoresUnknown) continue
    const hint =
      parameter !== undefined && meant === undefined
        ? `; did you mean "${parameter}"?`
        : meant === undefined
          ? ''
          : `; did you mean "${meant}" there?`
    throw new CallError('INVALID_ARGUMENTS', {
      message: `${key.slice(0, 100)}: arguments of ${name} are members of a JSON object in the body, not of the query string${hint}`,
    })
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
