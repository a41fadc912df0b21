import type { Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { isRecord, type JsonObject } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
} from '../../wire/index.ts'

/** Reads the arguments that are in the body; none when there is no body. */
export function readJsonBody(request: HttpRequest, { limits }: Service): JsonObject {
  if (request.bodyTooLarge) {
    throw new CallError('INVALID_REQUEST', {
      message: `The request body is larger than ${limits.maxRequestBytes} bytes`,
      status: 413,
    })
  }
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  if (request.body.byteLength === 0) return {}
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') {
    throw new CallError('INVALID_REQUEST', {
      message: `A ${request.method} request has no body: send arguments in the query string, or use POST`,
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
