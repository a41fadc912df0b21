import type { StandardSchemaV1 } from '@standard-schema/spec'
import { andThen } from './maybe.ts'
import { formatPointer } from './pointer.ts'
import type { Check, JsonSchema, Problem, StandardSchema, Validation } from './schema.ts'

/** How many problems of one value are reported; more would only be noise. */
const MAX_PROBLEMS = 100

/** Checks values with the schema library's own rules, transforms and defaults included. */
export function toStandardCheck(schema: StandardSchema): Check {
  const { validate } = schema['~standard']
  return (value) => andThen(validate(value), toValidation)
}

/** Prints a Standard Schema as JSON Schema 2020-12, seen from the caller or from the handler. */
export function toStandardJsonSchema(
  schema: StandardSchema,
  direction: 'input' | 'output',
): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined) {
    throw new TypeError(
      `this ${vendor} schema cannot print itself as JSON Schema; use a version that implements Standard JSON Schema (Zod 4.2, ArkType 2.1.28, Valibot with toStandardJsonSchema) or give plain JSON Schema`,
    )
  }
  const { $schema: _dialect, ...document } = jsonSchema[direction]({ target: 'draft-2020-12' })
  return document
}

function toValidation(result: StandardSchemaV1.Result<unknown>): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  const [first, ...rest] = result.issues.slice(0, MAX_PROBLEMS).map(toProblem)
  const fallback = { pointer: '', code: 'invalid', message: 'is not valid' }
  return { ok: false, problems: [first ?? fallback, ...rest] }
}

function toProblem(issue: StandardSchemaV1.Issue & { readonly code?: unknown }): Problem {
  const path = (issue.path ?? []).map((segment) =>
    typeof segment === 'object' ? segment.key : segment,
  )
  const code = typeof issue.code === 'string' ? issue.code : 'invalid'
  return { pointer: formatPointer(path.map(String)), code, message: issue.message }
}
