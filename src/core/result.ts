import { CallError, type CallErrorShape } from '../errors/index.ts'
import { isRecord, type JsonObject, toShort } from '../values/index.ts'
import { EVERYTHING, type View } from './access/access.ts'
import type { Service } from './service.ts'

/** Refuses a text that is longer than an answer of the service may be. */
export function assertFits(text: string, { limits }: Pick<Service, 'limits'>): void {
  // No character takes more than three bytes: most texts need not be measured.
  if (text.length * 3 <= limits.maxResponseBytes) return
  if (Buffer.byteLength(text) <= limits.maxResponseBytes) return
  throw resultTooLarge(limits.maxResponseBytes)
}

/** Makes the error for a result that is longer than allowed. */
export function resultTooLarge(maxBytes: number): CallError {
  return new CallError('INTERNAL_ERROR', {
    message: `The result is larger than ${maxBytes} bytes; ask for fewer items or fields`,
  })
}

/**
 * Tells whether the JSON text of a value may be as short as that, and stops where it is too long: writing 300 MB only to
 * measure them stops every other call for seconds. Quotes, colons and commas are counted, escapes are not.
 */
export function mayFit(value: unknown, maxBytes: number): boolean {
  return leastLength(value, maxBytes, 0) <= maxBytes
}

/** Deeper values, and those that hold themselves, are left to what writes them. */
const DEEPEST = 500

function leastLength(value: unknown, most: number, depth: number): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null || depth === DEEPEST) return 1
  // What writes itself is not looked into: a date, or a result that is text already.
  if ('toJSON' in value) return 2
  let length = 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && length <= most; index += 1) {
      length += 1 + leastLength(value[index], most - length, depth + 1)
    }
    return length
  }
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (member === undefined || typeof member === 'function') continue
    length += name.length + 4 + leastLength(member, most - length, depth + 1)
    if (length > most) break
  }
  return length
}

type Errors = readonly [CallErrorShape, ...CallErrorShape[]]

/** What errors of one answer may come to before they are cut; what services say of their own accord is shorter. */
const MOST_CHARACTERS = 16_384
const MOST_ERRORS = 100
const MOST_MEMBERS = 50
const BOUNDED_ERRORS_DEEPEST = 8

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
  if (depth === BOUNDED_ERRORS_DEEPEST) return '…'
  if (Array.isArray(value)) {
    return value.slice(0, MOST_MEMBERS).map((member) => boundValue(member, depth + 1))
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).slice(0, MOST_MEMBERS)
  return Object.fromEntries(
    members.map(([name, member]) => [toShort(name), boundValue(member, depth + 1)]),
  )
}

/** A result whose JSON text was made ahead of time. */
export interface Prepared {
  readonly [prepared]: true
  readonly json: string
}

// Shared by every copy of the package in a process: one may serve what another has prepared.
const prepared: unique symbol = Symbol.for('waymark.prepared')

/** Marks JSON text as the result of a call, so that no surface serialises it again. */
export function toPrepared(json: string): Prepared {
  return { [prepared]: true, json }
}

/** Tells whether a result is already JSON text. */
export function isPrepared(value: unknown): value is Prepared {
  return typeof value === 'object' && value !== null && prepared in value
}

/** Writes a result as JSON text, unless it is that already; one that cannot fit is refused before it is written. */
export function toResultText(result: unknown, maxBytes: number): string {
  if (isPrepared(result)) return result.json
  if (!mayFit(result, maxBytes)) throw resultTooLarge(maxBytes)
  return JSON.stringify(result) ?? 'null'
}

/** Creates a getter that builds and serialises a value once per state of its source and view. */
export function createPreparedResult(
  source: { readonly revision: () => number },
  build: (view: View) => unknown,
): (view?: View) => Prepared {
  return perView(source, (view) => toPrepared(JSON.stringify(build(view))))
}

/** How many views are kept: callers choose which scopes a token has, so they must not choose how much is remembered. */
const MOST_VIEWS = 32

/** Creates a getter that makes a value once per state of its source and view. */
export function perView<Value>(
  source: { readonly revision: () => number },
  make: (view: View) => Value,
): (view?: View) => Value {
  const known = new Map<string, Value>()
  let revision = -1
  return (view = EVERYTHING) => {
    if (source.revision() !== revision) {
      revision = source.revision()
      known.clear()
    }
    const found = known.get(view.key)
    if (found !== undefined) return found
    const value = make(view)
    const [oldest] = known.keys()
    if (known.size >= MOST_VIEWS && oldest !== undefined) known.delete(oldest)
    known.set(view.key, value)
    return value
  }
}
