import { CallError } from './error.ts'
import type { Service } from './service.ts'

/** Refuses a text that is longer than an answer of the service may be. */
export function assertFits(text: string, { limits }: Pick<Service, 'limits'>): void {
  // No character takes more than three bytes: most texts need not be measured.
  if (text.length * 3 <= limits.maxResponseBytes) return
  if (Buffer.byteLength(text) <= limits.maxResponseBytes) return
  throw tooLarge(limits.maxResponseBytes)
}

/** Makes the error for a result that is longer than allowed. */
export function tooLarge(maxBytes: number): CallError {
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
