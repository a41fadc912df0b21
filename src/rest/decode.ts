import { randomUUID } from 'node:crypto'
import { type Call, createReply, type ExtensionEntry, type Principal } from '../core/call.ts'
import { CallError } from '../core/error.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import type { HttpRequest } from '../wire/http.ts'
import { parseJson } from '../wire/json.ts'
import { isJsonMediaType } from '../wire/media-type.ts'

/** Which function a path under the mount names, and in which version. */
export interface RestTarget {
  readonly name: string
  readonly version: string | undefined
}

/** Reads `/{function}` or `/{function}/{version}`; undefined when the path is neither. */
export function decodeTarget(path: string): RestTarget | undefined {
  const [name, version, ...rest] = path.slice(1).split('/').map(decodeSegment)
  if (name === undefined || name === '' || version === '' || rest.length > 0) return undefined
  return { name, version }
}

/** Makes the neutral call of a REST request: the body is the arguments, headers stand for extensions. */
export function decodeCall(
  request: HttpRequest,
  target: RestTarget,
  service: Service,
  principal: Principal | undefined,
): Call {
  return {
    id: request.header('x-request-id')?.slice(0, 255) || `rest_${randomUUID()}`,
    function: target.name,
    version: target.version,
    arguments: readArguments(request, service),
    context: undefined,
    extensions: readHeaderEntries(request, service),
    principal,
    signal: request.signal,
    facts: {},
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

function readArguments(request: HttpRequest, { limits }: Service): JsonObject {
  if (request.bodyTooLarge) {
    throw new CallError('INVALID_REQUEST', {
      message: `The request body is larger than ${limits.maxRequestBytes} bytes`,
      status: 413,
    })
  }
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

/** Headers are offers: HTTP clients send them to every server, so one that means nothing here is passed over. */
function readHeaderEntries({ header }: HttpRequest, service: Service): readonly ExtensionEntry[] {
  const entries: ExtensionEntry[] = []
  const imply = (name: string, options: JsonObject) => {
    const urn = `urn:forrst:ext:${name}`
    if (service.supports(urn)) entries.push({ urn, options, pointer: '', implicit: true })
  }
  const key = header('idempotency-key')
  if (key !== undefined) imply('idempotency', { key: key.replace(/^"(.*)"$/, '$1') })
  const traceparent = header('traceparent')
  if (traceparent !== undefined) imply('tracing', { traceparent, tracestate: header('tracestate') })
  const languages = header('accept-language')
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
