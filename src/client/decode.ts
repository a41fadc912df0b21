import type { Outcome, ReplyEntry } from '../core/index.ts'
import { type CallErrorShape, type ErrorSource, resolveCode } from '../errors/index.ts'
import { isRecord, type JsonObject, parseExactJson, parseRetryAfter } from '../values/index.ts'
import { findJsonError, PROTOCOL } from '../wire/index.ts'
import { invalidResponse, toForeignError } from './foreign-answer.ts'
import type { Answer } from './outcome.ts'
import type { TransportResponse } from './transport.ts'

/** JSON of an answer, or the reason why there is none. */
export type ParsedAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string }

const MAX_DEPTH = 200

/**
 * Parses the text of an answer; text that a program could not safely walk or copy counts as broken. Integers that a number
 * would round become strings of their digits.
 */
export function parseAnswer(text: string): ParsedAnswer {
  if (text.trim() === '') return { ok: false, problem: 'is empty' }
  let value: unknown
  try {
    value = parseExactJson(text)
  } catch {
    const { offset, expected } = findJsonError(text)
    return { ok: false, problem: `is not JSON (character ${offset}: expected ${expected})` }
  }
  const problem = findDanger(value, MAX_DEPTH)
  return problem === undefined ? { ok: true, value } : { ok: false, problem }
}

function findDanger(value: unknown, depthLeft: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (depthLeft === 0) return `nests deeper than ${MAX_DEPTH} levels`
  for (const key in value) {
    // As soon as somebody copies the object by assignment, this key becomes its prototype.
    if (key === '__proto__') return 'has a member named "__proto__"'
    const problem = findDanger((value as Record<string, unknown>)[key], depthLeft - 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** What an answer is checked against. */
export interface Expectation {
  readonly id: string
  /** True where the body may be the result itself, as discovery's describe answers. */
  readonly bare: boolean
  /** Epoch milliseconds, for a Retry-After that is a date. */
  readonly now: number
}

/** Decodes an answer; throws a CallError that says what is wrong with one that is not a Forrst response. */
export function decodeResponse(response: TransportResponse, expected: Expectation): Answer {
  const retryAfterMs = parseRetryAfter(response.header('retry-after'), expected.now)
  const parsed = parseAnswer(response.body)
  const document = parsed.ok ? parsed.value : undefined
  if (!isRecord(document) || !isRecord(document['protocol'])) {
    if (expected.bare && isBareResult(document)) return decodeBare(document, response, expected)
    throw toForeignError(response, parsed, retryAfterMs)
  }
  assertProtocolName(document['protocol'])
  const decoded = decodeOutcome(document)
  assertId(document['id'], expected.id, decoded)
  return {
    outcome: decoded,
    extensions: decodeEntries(document['extensions']),
    meta: decodeMeta(document['meta']),
    retryAfterMs,
    status: response.status,
  }
}

function isBareResult(document: unknown): document is Record<string, unknown> {
  if (!isRecord(document)) return false
  if ('forrst' in document) return true
  return typeof document['name'] === 'string' && typeof document['version'] === 'string'
}

function decodeBare(
  document: Record<string, unknown>,
  response: TransportResponse,
  expected: Expectation,
): Answer {
  // Without an envelope only the header can tell whose answer this is.
  const id = response.header('x-forrst-request-id')
  if (id !== undefined && id !== expected.id) throw wrongId(id, expected.id)
  return { outcome: { ok: true, result: document }, extensions: [], meta: {} }
}

function assertProtocolName({ name }: Record<string, unknown>): void {
  if (typeof name === 'string' && name.startsWith(PROTOCOL.name)) return
  throw invalidResponse(`protocol.name must be "${PROTOCOL.name}"`, { field: '/protocol/name' })
}

const MAJOR = `${PROTOCOL.version.split('.')[0]}.`

function decodeOutcome(document: Record<string, unknown>): Outcome {
  const errors = document['errors'] ?? []
  if (!Array.isArray(errors)) {
    throw invalidResponse('errors must be an array', { field: '/errors' })
  }
  const [first, ...rest] = errors.slice(0, MAX_ERRORS).map(decodeError)
  if (first !== undefined) return { ok: false, errors: [first, ...rest] }
  // Checked on success only: a service of another major says so in its errors.
  const { version } = document['protocol'] as Record<string, unknown>
  if (typeof version !== 'string' || !version.startsWith(MAJOR)) {
    throw invalidResponse(`protocol.version must be ${MAJOR}x`, { field: '/protocol/version' })
  }
  if (!Object.hasOwn(document, 'result')) {
    throw invalidResponse('The answer has neither result nor errors', { field: '/result' })
  }
  return { ok: true, result: document['result'] }
}

const MAX_ERRORS = 100

/** Decodes one error of an answer. */
export function decodeError(value: unknown, index: number): CallErrorShape {
  const error = isRecord(value) ? value : {}
  const { code, message, details } = error
  if (typeof code !== 'string' || code === '') {
    throw invalidResponse(`errors[${index}].code must be a string`, {
      field: `/errors/${index}/code`,
    })
  }
  const source = decodeSource(error['source'])
  return {
    code,
    message: typeof message === 'string' ? message : resolveCode(code).message,
    ...(source && { source }),
    ...(isRecord(details) && { details: details as JsonObject }),
  }
}

function decodeSource(value: unknown): ErrorSource | undefined {
  if (!isRecord(value)) return undefined
  const { pointer, position } = value
  if (typeof pointer === 'string') return { pointer }
  return typeof position === 'number' ? { position } : undefined
}

function assertId(id: unknown, expected: string, outcome: Outcome): void {
  // A service that could not read the request answers null.
  if (id === expected || (id === null && !outcome.ok)) return
  throw wrongId(id, expected)
}

function wrongId(id: unknown, expected: string): Error {
  return invalidResponse('The answer belongs to another request: its id differs', {
    field: '/id',
    expected,
    received: typeof id === 'string' ? id.slice(0, 255) : null,
  })
}

function decodeEntries(value: unknown): readonly ReplyEntry[] {
  const entries = value ?? []
  if (!Array.isArray(entries)) {
    throw invalidResponse('extensions must be an array', { field: '/extensions' })
  }
  return entries.map((entry: unknown, index) => {
    if (!isRecord(entry) || typeof entry['urn'] !== 'string') {
      throw invalidResponse(`extensions[${index}].urn must be a string`, {
        field: `/extensions/${index}/urn`,
      })
    }
    const { urn, data } = entry
    return isRecord(data) ? { urn, data: data as JsonObject } : { urn }
  })
}

function decodeMeta(value: unknown): JsonObject {
  if (value === undefined || value === null) return {}
  if (isRecord(value)) return value as JsonObject
  throw invalidResponse('meta must be an object', { field: '/meta' })
}
