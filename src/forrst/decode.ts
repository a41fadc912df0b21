import { type Call, createReply, type ExtensionEntry, type Principal } from '../core/call.ts'
import { CallError } from '../core/error.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import { PROTOCOL_VERSION } from '../core/protocol.ts'
import type { Service } from '../core/service.ts'
import { toShort } from '../core/text.ts'
import type { HttpRequest, JudgeLocal } from '../wire/http.ts'
import { parseJson } from '../wire/json.ts'
import { codingNotTaken, findCoding, isJsonMediaType } from '../wire/media-type.ts'
import type { RequestDocument } from './envelope.ts'
import { findEnvelopeProblems, isPlainEnvelope, MAX_ID_LENGTH } from './envelope-problems.ts'
import { readHeaderEntries } from './headers.ts'

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
  if (!isPlainEnvelope(document)) {
    const problems = findEnvelopeProblems(document)
    if (problems !== undefined) throw CallError.all(problems)
  }
  const envelope = document as RequestDocument
  if (!envelope.protocol.version.startsWith(SUPPORTED_MAJOR)) {
    throw new CallError('INVALID_PROTOCOL_VERSION', {
      message: `Protocol version ${toShort(envelope.protocol.version)} is not supported`,
      source: { pointer: '/protocol/version' },
      details: { requested: toShort(envelope.protocol.version), supported: [PROTOCOL_VERSION] },
    })
  }
  return envelope
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
