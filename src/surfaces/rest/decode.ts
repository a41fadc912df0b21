import {
  type Contracts,
  type HttpAddress,
  parseVersionedName,
  readHeaderOptions,
} from '../../contract/index.ts'
import {
  addReplyHeader,
  type Call,
  createReply,
  type ExtensionEntry,
  type FunctionEntry,
  type Principal,
  type Service,
  type Target,
} from '../../core/index.ts'
import { STREAM_URN } from '../../extensions/stream/index.ts'
import { canonicalUrn, extensionUrn } from '../../values/index.ts'
import { type HttpRequest, selectMediaType } from '../../wire/index.ts'
import { gatherArguments } from './arguments.ts'
import { readJsonBody } from './body.ts'
import type { FileBody } from './files.ts'
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
  /** Where it is asked for; undefined when all arguments are in the body. */
  readonly at: AskedAt | undefined
  readonly streamType: StreamType | undefined
  readonly surface: RestParts
}

/** What all requests of one mount share. */
export interface RestParts {
  readonly contracts: Contracts
  readonly nextId: () => string
  /** Where functions are. */
  readonly prefix: string
}

/** A function at an address where arguments may be outside the body. */
export interface AskedAt {
  readonly address: HttpAddress
  /** What stands in the path for arguments. */
  readonly values: readonly string[]
  /** True when the answer says how to ask whether it has changed. */
  readonly conditional: boolean
}

const NO_FACTS: Call['facts'] = Object.freeze({})
const FILE_FACTS: Call['facts'] = Object.freeze({ takesFiles: true })

const STREAMED: ExtensionEntry = {
  urn: STREAM_URN,
  options: { accept: true },
  pointer: '',
  implicit: true,
}

const CACHING = extensionUrn('caching')

const BACKGROUND: ExtensionEntry = {
  urn: extensionUrn('async'),
  options: {},
  pointer: '',
  implicit: true,
}

const CACHED: ExtensionEntry = { urn: CACHING, options: {}, pointer: '', implicit: true }

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
  if (!target?.streams || request.method === 'HEAD') return undefined
  const type = selectMediaType(request.header('accept'), ['application/json', ...STREAM_TYPES])
  return type === 'application/json' ? undefined : type
}

/** Makes the neutral call of a REST request. */
export function decodeCall(
  request: HttpRequest,
  asked: Asked,
  service: Service,
  principal: Principal | undefined,
  body?: FileBody,
): Call {
  const { target, surface } = asked
  // Nearly every call: all arguments in the body.
  const isPlain = asked.at === undefined && request.query === ''
  const decoded = isPlain ? undefined : gatherArguments(request, asked, service, body)
  const asking = readHeaderOptions(request.header)
  // Bytes that are sent while they are read are not kept, so nobody can tell whether they have changed.
  const entries = sendsFile(asked) ? asking.filter(({ urn }) => urn !== CACHING) : asking
  const id = request.header('x-request-id')?.slice(0, 255)
  const reply = createReply()
  if (id) addReplyHeader(reply, 'x-request-id', id)
  return {
    id: id || surface.nextId(),
    function: target.name,
    version: target.version,
    arguments: decoded?.arguments ?? body?.arguments ?? readJsonBody(request, service),
    context: undefined,
    extensions: joinEntries(entries, decoded?.query, asked),
    principal,
    signal: request.signal,
    facts: sendsFile(asked) ? FILE_FACTS : NO_FACTS,
    startedAt: service.clock.elapsed(),
    reply,
  }
}

/** Tells whether the whole result is a file, whose bytes are the answer. */
function sendsFile({ version }: Asked): boolean {
  return version?.outputFiles?.rule !== undefined
}

function joinEntries(
  entries: readonly ExtensionEntry[],
  query: ExtensionEntry | undefined,
  asked: Asked,
): readonly ExtensionEntry[] {
  const { streamType, at, version, surface } = asked
  const conditional = at?.conditional === true && !sendsFile(asked)
  const background =
    version?.definition.extensions !== undefined &&
    streamType === undefined &&
    surface.contracts.of(version).modes[0] === 'background' &&
    !entries.some(({ urn }) => canonicalUrn(urn) === BACKGROUND.urn)
  if (query === undefined && streamType === undefined && !conditional && !background) return entries
  // A reader is told how to ask next time, also one who does not ask yet.
  const cached = conditional && !entries.some(({ urn }) => urn === CACHING)
  return [
    ...entries,
    ...(query ? [query] : []),
    ...(streamType === undefined ? [] : [STREAMED]),
    ...(cached && streamType === undefined ? [CACHED] : []),
    ...(background ? [BACKGROUND] : []),
  ]
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
