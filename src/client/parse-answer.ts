import { parseExactJson } from '../core/exact-json.ts'
import { findJsonError } from '../wire/json-error.ts'

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
