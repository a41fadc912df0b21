import { type ImportOptions, importOpenApi } from '../../src/sources/openapi/import.ts'
import { checkToolSpec } from '../../src/sources/tool-spec/parse.ts'
import type { FieldDef, ToolDef, ToolSpec } from '../../src/sources/tool-spec/types.ts'

/** What a test looks at. */
export interface Imported {
  readonly spec: ToolSpec
  readonly codes: readonly string[]
  readonly messages: readonly string[]
}

/** Imports a document that must import, and checks that the spec is valid. */
export function run(document: unknown, options: ImportOptions = {}): Imported {
  const result = importOpenApi(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const checked = checkToolSpec(result.spec)
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
  return {
    spec: result.spec,
    codes: [...new Set(result.warnings.map((warning) => warning.code))].sort(),
    messages: result.warnings.map(({ code, path, message }) => `${code} ${path} ${message}`),
  }
}

/** The head of a document. */
export const V3: object = {
  openapi: '3.0.3',
  info: { title: 'Orchard', version: '1' },
  servers: [{ url: 'https://a.example/api/' }],
}

/** A document with one operation. */
export function withOperation(
  operation: object,
  extra: object = {},
  path = '/x',
  method = 'post',
): object {
  return {
    ...V3,
    ...extra,
    paths: {
      [path]: { [method]: { operationId: 'one', summary: 'Does one thing.', ...operation } },
    },
  }
}

export function toolOf(
  operation: object,
  extra: object = {},
  path = '/x',
  method = 'post',
): ToolDef {
  const [tool] = run(withOperation(operation, extra, path, method)).spec.tools
  if (!tool) throw new Error('no tool')
  return tool
}

export function json(schema: object): object {
  return { requestBody: { required: true, content: { 'application/json': { schema } } } }
}

/** The fields of a JSON body, by name. */
export function bodyOf(schema: object, extra: object = {}): Record<string, FieldDef> {
  const { body = [] } = toolOf(json(schema), extra)
  return Object.fromEntries(body.map((field) => [field.name, field]))
}

/** The one field `a` of a body. */
export function fieldOf(schema: object, extra: object = {}): FieldDef {
  const field = bodyOf(
    { type: 'object', properties: { a: { description: 'A.', ...schema } } },
    extra,
  )['a']
  if (!field) throw new Error('no field')
  return field
}
