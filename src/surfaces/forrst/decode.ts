import {
  type Call,
  createReply,
  type ExtensionEntry,
  isVersion,
  type Principal,
  type Service,
} from '../../core/index.ts'
import { CallError, type CallErrorShape } from '../../errors/index.ts'
import {
  canonicalUrn,
  extensionUrn,
  isRecord,
  type JsonObject,
  toShort,
} from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  type JudgeLocal,
  PROTOCOL_VERSION,
  parseJson,
  type RequestDocument,
} from '../../wire/index.ts'

const TRACING = extensionUrn('tracing')
const LOCALE = extensionUrn('locale')

const NONE: readonly ExtensionEntry[] = []

/** Reads the extension entries that HTTP headers stand for; an entry in the body wins over its header. */
export function readHeaderEntries(
  request: HttpRequest,
  service: Service,
): readonly ExtensionEntry[] {
  const { header } = request
  const traceparent = header('traceparent')
  const traceId = header('x-forrst-trace-id')
  const languages = readLanguages(header('accept-language'))
  if (traceparent === undefined && traceId === undefined && languages === undefined) return NONE
  const entries: ExtensionEntry[] = []
  const imply = (urn: string, options: JsonObject) => {
    if (service.supports(urn)) entries.push({ urn, options, pointer: '', implicit: true })
  }
  if (traceparent !== undefined || traceId !== undefined) {
    imply(TRACING, {
      traceparent,
      tracestate: header('tracestate'),
      trace_id: traceId,
      span_id: header('x-forrst-span-id'),
      parent_span_id: header('x-forrst-parent-span-id'),
    })
  }
  if (languages !== undefined) imply(LOCALE, { accept_language: languages })
  return entries
}

/** `*` is what clients send when nobody chose a language. */
function readLanguages(value: string | undefined): string | undefined {
  return value === '*' ? undefined : value
}

/** The longest id a request may carry. */
export const MAX_ID_LENGTH = 255
const MAX_ENTRIES = 50
const URN = /^urn:[a-z0-9][a-z0-9-]{0,31}:[\x21-\x7e]+$/i
const MAX_URN_LENGTH = 255

type Problems = [CallErrorShape, ...CallErrorShape[]]

/** Recognises, without allocating anything, the envelope nearly every caller sends: right, and without extensions. */
export function isPlainEnvelope(document: unknown): boolean {
  if (!isRecord(document) || document['extensions'] !== undefined) return false
  const { protocol, id, call, context } = document
  if (!isRecord(protocol) || protocol['name'] !== 'forrst' || !isRecord(call)) return false
  if (protocol['version'] !== PROTOCOL_VERSION) return false
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return false
  const { function: name, version, arguments: input } = call
  return (
    typeof name === 'string' &&
    name !== '' &&
    (version === undefined || typeof version === 'string') &&
    (input === undefined || isRecord(input)) &&
    (context === undefined || isRecord(context))
  )
}

/** Lists everything wrong with an envelope; undefined when nothing is. */
export function findEnvelopeProblems(document: unknown): Problems | undefined {
  if (!isRecord(document)) {
    const found = Array.isArray(document)
      ? 'an array (batches are not part of the protocol; send parallel requests)'
      : JSON.stringify(document)?.slice(0, 40)
    return [problem('', `The request must be a JSON object, not ${found}`)]
  }
  const problems: CallErrorShape[] = []
  const report = (pointer: string, message: string) => {
    problems.push(problem(pointer, message))
  }
  checkProtocol(document['protocol'], report)
  checkId(document['id'], report)
  checkCall(document['call'], report)
  if (!isOmitted(document['context']) && !isRecord(document['context'])) {
    report('/context', 'context must be an object')
  }
  if (!isOmitted(document['extensions'])) checkExtensions(document['extensions'], report)
  const [first, ...rest] = problems
  return first === undefined ? undefined : [first, ...rest]
}

/** Some languages write an empty object as `[]`, and an absent one as null. */
function isOmitted(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

type Report = (pointer: string, message: string) => void

function checkProtocol(protocol: unknown, report: Report): void {
  if (!isRecord(protocol)) {
    report('/protocol', 'protocol must be an object such as {"name":"forrst","version":"0.1.0"}')
    return
  }
  const { name, version } = protocol
  if (name !== 'forrst') report('/protocol/name', 'protocol.name must be "forrst"')
  if (typeof version !== 'string' || !isVersion(version)) {
    report('/protocol/version', 'protocol.version must be a semantic version such as "0.1.0"')
  }
}

function checkId(id: unknown, report: Report): void {
  if (typeof id !== 'string' || id === '') report('/id', 'id must be a non-empty string')
  else if (id.length > MAX_ID_LENGTH) {
    report('/id', `id must have at most ${MAX_ID_LENGTH} characters`)
  }
}

function checkCall(call: unknown, report: Report): void {
  if (!isRecord(call)) {
    report('/call', 'call must be an object with a function name')
    return
  }
  const { function: name, version, arguments: input } = call
  if (typeof name !== 'string' || name === '') {
    report('/call/function', 'call.function must be a non-empty string')
  }
  // The registry is asked first for a version that looks right; only an unknown one is worth the expression.
  if (version !== undefined && version !== null && typeof version !== 'string') {
    report('/call/version', 'call.version must be a semantic version such as "1.0.0"')
  }
  if (!isOmitted(input) && !isRecord(input)) {
    report('/call/arguments', 'call.arguments must be an object; positional arguments do not exist')
  }
}

function checkExtensions(extensions: unknown, report: Report): void {
  if (!Array.isArray(extensions)) {
    report('/extensions', 'extensions must be an array of { urn, options } entries')
    return
  }
  if (extensions.length > MAX_ENTRIES) {
    report('/extensions', `extensions must have at most ${MAX_ENTRIES} entries`)
    return
  }
  const seen = new Set<string>()
  for (const [index, entry] of extensions.entries()) {
    checkEntry(entry, `/extensions/${index}`, seen, report)
  }
}

function checkEntry(entry: unknown, pointer: string, seen: Set<string>, report: Report): void {
  if (!isRecord(entry)) {
    report(pointer, 'an extension entry must be an object with a urn')
    return
  }
  const { urn, options } = entry
  if (typeof urn !== 'string' || urn.length > MAX_URN_LENGTH || !URN.test(urn)) {
    report(`${pointer}/urn`, `urn must be a URN such as "${extensionUrn('deadline')}"`)
  } else if (seen.has(canonicalUrn(urn))) {
    report(`${pointer}/urn`, `${urn} is declared twice`)
  } else seen.add(canonicalUrn(urn))
  if (!isOmitted(options) && !isRecord(options)) {
    report(`${pointer}/options`, 'options must be an object')
  }
}

function problem(pointer: string, message: string): CallErrorShape {
  return { code: 'INVALID_REQUEST', message, source: { pointer } }
}

const SUPPORTED_MAJOR = `${PROTOCOL_VERSION.split('.')[0]}.`
const NO_ARGUMENTS: JsonObject = Object.freeze({})
const NO_ENTRIES: readonly ExtensionEntry[] = []
const NO_FACTS: Call['facts'] = Object.freeze({})

/** Reads the body of a request as JSON; throws what transport and parser refuse, its id known where it can be read. */
export function readDocument(
  request: HttpRequest,
  service: Service,
  onId: (id: string | null) => void,
): unknown {
  if (request.bodyTooLarge) {
    throw new CallError('INVALID_REQUEST', {
      message: `The request body is larger than ${service.limits.maxRequestBytes} bytes`,
      details: { max_request_bytes: service.limits.maxRequestBytes },
      status: 413,
    })
  }
  const document = parseJson(request.body, service.limits.maxDepth, (refusal, value) => {
    onId(readId(value))
    throw refusal
  })
  onId(readId(document))
  return document
}

/** Throws unless the body is declared as JSON. */
export function assertJson(request: HttpRequest): void {
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  const mediaType = request.header('content-type')
  if (isJsonMediaType(mediaType)) return
  throw new CallError('INVALID_REQUEST', {
    message: `Content-Type must be application/json${mediaType ? `; got "${mediaType.slice(0, 100)}"` : ''}`,
    details: { expected: 'application/json' },
    status: 415,
  })
}

/** Reads the id of any document, so that even a refused one is answered under its own id. */
function readId(document: unknown): string | null {
  const id = isRecord(document) ? document['id'] : undefined
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH ? id : null
}

/** Checks the envelope and throws one error per finding. */
export function decodeEnvelope(document: unknown): RequestDocument {
  const isPlain = isPlainEnvelope(document)
  const problems = isPlain ? undefined : findEnvelopeProblems(document)
  if (problems !== undefined) throw CallError.all(problems)
  const given = document as RequestDocument
  const envelope = isPlain ? given : withoutOmitted(given)
  if (!envelope.protocol.version.startsWith(SUPPORTED_MAJOR)) {
    throw new CallError('INVALID_PROTOCOL_VERSION', {
      message: `Protocol version ${toShort(envelope.protocol.version)} is not supported`,
      source: { pointer: '/protocol/version' },
      details: { requested: toShort(envelope.protocol.version), supported: [PROTOCOL_VERSION] },
    })
  }
  return envelope
}

/** Leaves out what counts as omitted, so that nobody further in meets it. */
function withoutOmitted(envelope: RequestDocument): RequestDocument {
  const { context, extensions, ...rest } = envelope
  const { arguments: input, ...call } = envelope.call
  return {
    ...rest,
    call: isOmitted(input) ? call : envelope.call,
    ...(context !== undefined && !isOmitted(context) && { context }),
    ...(extensions !== undefined &&
      !isOmitted(extensions) && {
        extensions: extensions.map(({ options, ...entry }) =>
          options === undefined || isOmitted(options) ? entry : { ...entry, options },
        ),
      }),
  }
}

/** A request, and who judges whether it came from this machine. */
interface Received {
  readonly request: HttpRequest
  readonly judgeLocal: JudgeLocal | undefined
}

/** Makes the neutral call of a checked envelope. */
export function decodeCall(
  envelope: RequestDocument,
  { request, judgeLocal }: Received,
  service: Service,
  principal: Principal | undefined,
  startedAt: number,
): Call {
  return {
    id: envelope.id,
    function: envelope.call.function,
    version: envelope.call.version ?? undefined,
    arguments: envelope.call.arguments ?? NO_ARGUMENTS,
    context: readContext(envelope, request),
    extensions: readEntries(envelope, request, service),
    principal,
    signal: request.signal,
    facts: NO_FACTS,
    startedAt,
    reply: createReply(),
    judgeLocal: judgeLocal && (() => judgeLocal(request)),
  }
}

function readContext(envelope: RequestDocument, request: HttpRequest): JsonObject | undefined {
  if (envelope.context !== undefined) return envelope.context
  const caller = request.header('x-forrst-caller')
  return caller === undefined ? undefined : { caller }
}

function readEntries(
  envelope: RequestDocument,
  request: HttpRequest,
  service: Service,
): readonly ExtensionEntry[] {
  const implied = readHeaderEntries(request, service)
  if (envelope.extensions === undefined || envelope.extensions.length === 0) {
    return implied.length === 0 ? NO_ENTRIES : implied
  }
  const declared = envelope.extensions.map((extension, index) => ({
    urn: extension.urn,
    options: extension.options ?? {},
    pointer: `/extensions/${index}`,
    ...(extension.required === false && {
      implicit: !service.supports(canonicalUrn(extension.urn)),
    }),
  }))
  const urns = new Set(declared.map(({ urn }) => canonicalUrn(urn)))
  return [...declared, ...implied.filter(({ urn }) => !urns.has(urn))]
}
