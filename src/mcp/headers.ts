import { isRecord, type JsonObject } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { toText } from '../core/text.ts'
import type { HttpRequest } from '../wire/http.ts'
import { headerMismatch } from './errors.ts'

/** An argument that clients repeat in a header, so that proxies can route by it. */
export interface HeaderParameter {
  /** Lower case: `mcp-param-region`. */
  readonly header: string
  /** Where the argument stands. */
  readonly path: readonly string[]
}

/** Which parameter `Mcp-Name` repeats. */
const NAME_SOURCE: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Throws unless the headers say what the body says: others on the way may have decided by them. */
export function checkRoutingHeaders(
  { header }: Pick<HttpRequest, 'header'>,
  method: string,
  params: JsonObject,
): void {
  compare('Mcp-Method', header('mcp-method'), method)
  const source = NAME_SOURCE.get(method)
  const name = source === undefined ? undefined : params[source]
  if (typeof name === 'string') compare('Mcp-Name', header('mcp-name'), name)
}

/** Throws unless the headers of marked arguments say what the arguments say. */
export function checkParameterHeaders(
  { header }: Pick<HttpRequest, 'header'>,
  parameters: readonly HeaderParameter[],
  input: JsonObject,
): void {
  for (const parameter of parameters) {
    const value = parameter.path.reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      input,
    )
    const given = header(parameter.header)
    if (value !== undefined && value !== null) compare(parameter.header, given, value)
    else if (given !== undefined)
      throw headerMismatch(`${parameter.header} has no value in the body`)
  }
}

/** Lists the arguments that a schema marks with `x-mcp-header`. */
export function findHeaderParameters(
  schema: JsonSchema,
  path: readonly string[] = [],
): readonly HeaderParameter[] {
  const { properties } = schema
  if (!isRecord(properties) || path.length > 8) return []
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isRecord(property)) return []
    const here = [...path, key]
    const name = property['x-mcp-header']
    const marked = typeof name === 'string' && TOKEN.test(name) && PRIMITIVE.has(property['type'])
    return [
      ...(marked ? [{ header: `mcp-param-${name.toLowerCase()}`, path: here }] : []),
      ...findHeaderParameters(property, here),
    ]
  })
}

function compare(name: string, header: string | undefined, value: unknown): void {
  if (header === undefined) throw headerMismatch(`the ${name} header is missing`)
  if (header === value) return
  const given = decodeValue(name, header.trim())
  const same =
    given === toText(value) ||
    (typeof value === 'number' && Number(given) === value && given !== '')
  if (same) return
  throw headerMismatch(`the ${name} header says "${given.slice(0, 100)}", the body something else`)
}

function decodeValue(name: string, header: string): string {
  const encoded = SENTINEL.exec(header)?.[1]
  if (encoded === undefined) return header
  if (!BASE64.test(encoded)) throw headerMismatch(`the ${name} header is not valid base64`)
  return Buffer.from(encoded, 'base64').toString('utf8')
}
