import { expect } from 'vitest'
import { type CompileSchemaOptions, compileSchema } from '../../src/schema/compile.ts'
import type { Subschema } from '../../src/schema/walk/keywords.ts'

/** What is wrong with a value, one line per problem: pointer, code, sentence. */
export function problems(
  schema: Subschema,
  value: unknown,
  options?: CompileSchemaOptions,
): string[] {
  const validation = compileSchema(schema, options)(value)
  if (validation.ok) return []
  return validation.problems.map((each) => `${each.pointer} ${each.code}: ${each.message}`)
}

/** The verdicts of the interpreted first call and of compiled code; they must not differ. */
export function isValid(
  schema: Subschema,
  value: unknown,
  options?: CompileSchemaOptions,
): boolean {
  const first = compileSchema(schema, options)(value).ok
  const compiled = compileSchema(schema, { ...options, now: true })(value).ok
  expect(compiled).toBe(first)
  return compiled
}
