import { isRecord } from '../../../src/values/json.ts'
import type { Schema, ToolDetail, ToolSummary } from './types.ts'

/** Reads a tool of a list; what is not of its type is left out, because tools are taken as they come. */
export function decodeSummary(value: unknown): ToolSummary {
  const { name, description, annotations } = isRecord(value) ? value : {}
  return {
    name: toWords(name) ?? '',
    description: toWords(description) ?? '',
    ...(isRecord(annotations) && { annotations }),
  }
}

/** Reads a tool with its schema, whose keywords can be relied on from here. */
export function decodeDetail(value: unknown): ToolDetail {
  const source = isRecord(value) ? value['inputSchema'] : undefined
  return { ...decodeSummary(value), inputSchema: decodeSchema(source) ?? {}, source }
}

type Decode = (value: unknown) => unknown

const toWords = (value: unknown) => (typeof value === 'string' ? value : undefined)
const toAmount: Decode = (value) => (typeof value === 'number' ? value : undefined)
const toFlag: Decode = (value) => (typeof value === 'boolean' ? value : undefined)
const toList: Decode = (value) => (Array.isArray(value) ? value : undefined)
const toNames: Decode = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
const toType: Decode = (value) => toWords(value) ?? toNames(value)
const toBound: Decode = (value) => toAmount(value) ?? toFlag(value)
const toSchemas: Decode = (value) =>
  Array.isArray(value) ? value.flatMap((one) => decodeSchema(one) ?? []) : undefined
const toItems: Decode = (value) => toSchemas(value) ?? decodeSchema(value)
const toMembers: Decode = (value) =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, decodeSchema(member) ?? true]),
      )
    : undefined

/** How each keyword the page knows is read; others are passed on as they are. */
const KEYWORDS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ...entriesOf(toWords, '$ref', 'title', 'description', 'format', 'pattern'),
  ...entriesOf(toWords, 'contentMediaType', 'contentEncoding'),
  ...entriesOf(toAmount, 'minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'),
  ...entriesOf(toAmount, 'minItems', 'maxItems'),
  ...entriesOf(toBound, 'exclusiveMinimum', 'exclusiveMaximum'),
  ...entriesOf(toFlag, 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly', 'nullable'),
  ...entriesOf(toType, 'type'),
  ...entriesOf(toNames, 'required'),
  ...entriesOf(toList, 'enum', 'examples'),
  ...entriesOf(toMembers, 'properties', 'patternProperties', '$defs', 'definitions'),
  ...entriesOf(toSchemas, 'prefixItems', 'allOf', 'anyOf', 'oneOf'),
  ...entriesOf(toItems, 'items'),
  ...entriesOf(decodeSchema, 'additionalProperties', 'not'),
])

function decodeSchema(value: unknown): Schema | undefined {
  if (typeof value === 'boolean') return value
  if (!isRecord(value)) return undefined
  const known = Object.entries(value).map(([keyword, said]) => {
    const decode = KEYWORDS.get(keyword)
    return [keyword, decode === undefined ? said : decode(said)] as const
  })
  return Object.fromEntries(known.filter(([, said]) => said !== undefined))
}

function entriesOf(decode: Decode, ...keywords: readonly string[]): (readonly [string, Decode])[] {
  return keywords.map((keyword) => [keyword, decode])
}
