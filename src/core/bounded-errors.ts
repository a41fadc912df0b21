import type { CallErrorShape } from './error.ts'
import { isRecord, type JsonObject } from './json.ts'
import { mayFit } from './response-limit.ts'
import { toShort } from './text.ts'

type Errors = readonly [CallErrorShape, ...CallErrorShape[]]

/** What errors of one answer may come to before they are cut; what services say of their own accord is shorter. */
const MOST_CHARACTERS = 16_384
const MOST_ERRORS = 100
const MOST_MEMBERS = 50
const DEEPEST = 8

/** Cuts errors that repeat what a caller sent: a name of half a megabyte, or a finding for each of its million items. */
export function boundErrors(errors: Errors): Errors {
  if (mayFit(errors, MOST_CHARACTERS)) return errors
  const [first, ...rest] = errors
  return [boundError(first), ...rest.slice(0, MOST_ERRORS - 1).map(boundError)]
}

function boundError({ code, message, source, details }: CallErrorShape): CallErrorShape {
  return {
    code: toShort(code),
    message: toShort(message, 1_000),
    ...(source && { source: 'pointer' in source ? { pointer: toShort(source.pointer) } : source }),
    ...(details && { details: boundValue(details, 0) as JsonObject }),
  }
}

function boundValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toShort(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === DEEPEST) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, MOST_MEMBERS).map((member) => boundValue(member, depth + 1))
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).slice(0, MOST_MEMBERS)
  return Object.fromEntries(
    members.map(([name, member]) => [toShort(name), boundValue(member, depth + 1)]),
  )
}
