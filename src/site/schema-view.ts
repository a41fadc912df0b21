import { isRecord } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { toText } from '../core/text.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'

const DEEPEST = 4

/** Writes a schema in one line: `string (date-time)`, `Event[]`, `"draft" | "published"`. */
export function formatType(schema: unknown): Html {
  if (schema === true || !isRecord(schema)) return html`anything`
  const { $ref, type, format } = schema
  if (typeof $ref === 'string') return toReference($ref)
  if (Array.isArray(schema['enum'])) return html`${schema['enum'].map(toLiteral).join(' | ')}`
  if ('const' in schema) return html`${toLiteral(schema['const'])}`
  if (type === 'array') return html`${formatType(schema['items'])}[]`
  const choices = schema['oneOf'] ?? schema['anyOf']
  if (Array.isArray(choices)) {
    return html`${choices.map((choice, index) => html`${index > 0 && ' | '}${formatType(choice)}`)}`
  }
  const name = Array.isArray(type)
    ? type.map(toText).join(' | ')
    : typeof type === 'string'
      ? type
      : 'anything'
  return typeof format === 'string' ? html`${name} (${format})` : html`${name}`
}

/** Writes the fields of an object schema as a table; undefined when there are none. */
export function renderFields(schema: JsonSchema, depth = 0): Html | undefined {
  const { properties } = isRecord(schema['items']) ? schema['items'] : schema
  if (!isRecord(properties) || depth > DEEPEST) return undefined
  const owner = isRecord(schema['items']) ? schema['items'] : schema
  const required = new Set(Array.isArray(owner['required']) ? owner['required'] : [])
  const rows = Object.entries(properties).map(([name, field]) =>
    renderRow({ name, schema: isRecord(field) ? field : {}, required: required.has(name), depth }),
  )
  return html`<table class="fields"><tbody>${rows}</tbody></table>`
}

/** Writes one argument or field with what it may hold. */
export function renderRow(field: {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly description?: string | undefined
  readonly depth?: number
}): Html {
  const { name, schema, required, depth = 0 } = field
  const text = field.description ?? schema['description']
  const limits = formatLimits(schema)
  return html`<tr>
<td><code>${name}</code>${required && html` <span class="required">required</span>`}</td>
<td><span class="type">${formatType(schema)}</span>${limits !== '' && html`<div class="limits">${limits}</div>`}
${renderMarkdown(typeof text === 'string' ? text : undefined)}
${renderFields(schema, depth + 1)}</td>
</tr>`
}

const LIMITS: readonly (readonly [keyword: string, before: string, after: string])[] = [
  ['minimum', 'at least ', ''],
  ['exclusiveMinimum', 'more than ', ''],
  ['maximum', 'at most ', ''],
  ['exclusiveMaximum', 'less than ', ''],
  ['multipleOf', 'a multiple of ', ''],
  ['minLength', 'at least ', ' characters'],
  ['maxLength', 'at most ', ' characters'],
  ['minItems', 'at least ', ' items'],
  ['maxItems', 'at most ', ' items'],
  ['pattern', 'matches ', ''],
  ['default', 'default ', ''],
]

function formatLimits(schema: JsonSchema): string {
  return LIMITS.filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, before, after]) => `${before}${toLiteral(schema[keyword])}${after}`)
    .join(', ')
}

function toReference(reference: string): Html {
  const name = reference.split('/').at(-1) ?? reference
  return html`<a href="schemas.html#${encodeURIComponent(name)}">${name}</a>`
}

function toLiteral(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
