import type { DiscoveryDocument } from '../../../src/discovery/decode.ts'
import type { ChangeClass, DiffSource, RuleId } from '../../../src/entries/diff.ts'

/** One pair of descriptions and everything that differs between them. */
export interface DiffCase {
  readonly name: string
  readonly old: DiffSource
  readonly now: DiffSource
  /** Rule, class, and the place in the new document (in the old one for what went). */
  readonly expected: readonly (readonly [RuleId, ChangeClass, string])[]
}

/** Makes a discovery document of functions and components. */
export function discovery(
  functions: readonly object[],
  rest: Readonly<Record<string, unknown>> = {},
): DiffSource {
  const named = functions.map((entry) => ({
    name: 'f',
    version: '1.0.0',
    stability: 'stable',
    ...entry,
  }))
  const document = {
    forrst: '0.1.0',
    discovery: '0.1',
    info: { title: 'T', version: '1.0.0' },
    functions: named,
    ...rest,
  }
  return { kind: 'discovery', document: document as unknown as DiscoveryDocument }
}

/** Makes a document with one function that takes a value of a schema. */
export function takes(schema: unknown, rest: Readonly<Record<string, unknown>> = {}): DiffSource {
  return discovery([{ arguments: [{ name: 'a', required: true, schema }] }], rest)
}

/** Makes a document with one function that answers a value of a schema. */
export function gives(schema: unknown, rest: Readonly<Record<string, unknown>> = {}): DiffSource {
  return discovery([{ result: { name: 'result', schema } }], rest)
}

/** Makes an OpenAPI 3.0 document of paths. */
export function openapi(
  paths: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): DiffSource {
  return {
    kind: 'openapi',
    document: { openapi: '3.0.3', info: { title: 'T', version: '1.0.0' }, paths, ...rest },
  }
}

/** Makes an OpenAPI document with one operation, `GET /x`. */
export function operation(own: Readonly<Record<string, unknown>>): DiffSource {
  return openapi({ '/x': { get: { responses: { '200': { description: 'ok' } }, ...own } } })
}
