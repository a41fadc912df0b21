import { toToolName } from '../../core/index.ts'
import type { SiteExample, SiteFunction, SiteModel, SiteVersion } from '../../discovery/index.ts'
import { describeSchema, type JsonSchema } from '../../schema/index.ts'
import { extensionName, isRecord, toText } from '../../values/index.ts'
import { type Html, html, renderMarkdown } from './html.ts'

const DEEPEST = 4

/** Writes a schema in one line: `string (date-time)`, `Event[]`, `"draft" | "published"`. */
export function formatType(schema: unknown): Html {
  const described = describeSchema(schema)
  switch (described.kind) {
    case 'reference':
      return html`<a href="schemas.html#${encodeURIComponent(described.name)}">${described.name}</a>`
    case 'values':
      return html`${described.values.map(toLiteral).join(' | ')}`
    case 'choice': {
      const { parts } = described
      return html`${parts.map((part, index) => html`${index > 0 && ' | '}${formatType(part)}`)}`
    }
    case 'array':
      return html`${formatType(described.items)}[]`
    case 'plain':
      return html`${described.text}`
    default:
      return html`${isRecord(schema) ? toText(schema['type'] ?? 'anything') : 'anything'}`
  }
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

function toLiteral(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

/** Writes the page of one function. */
export function renderFunction(model: SiteModel, entry: SiteFunction): Html {
  const { name, latest, versions } = entry
  const { object } = latest
  return html`<h1>${name}</h1>
<p class="soft">version ${object.version}${object.stability !== 'stable' && `, ${object.stability}`}${effects(latest)}</p>
${renderDeprecation(latest)}
${object.summary !== undefined && html`<p>${object.summary}</p>`}
${object.description !== object.summary && renderMarkdown(object.description)}
${renderArguments(latest)}
${renderResult(latest)}
${renderErrors(latest)}
${renderQuery(latest)}
${renderExtensions(latest)}
${latest.examples.length > 0 && html`<h2>Examples</h2>${latest.examples.map(renderExample)}`}
${renderCalls(model, entry)}
${renderLinks(model, latest)}
${versions.length > 1 && html`<h2>Versions</h2><table><tbody>${versions.map(renderVersion)}</tbody></table>`}`
}

function effects({ object }: SiteVersion): string {
  const { sideEffects } = object
  if (sideEffects === undefined) return ''
  return sideEffects.length === 0 ? ', changes nothing' : `, ${sideEffects.join(', ')}`
}

function renderDeprecation({ object: { deprecated } }: SiteVersion): Html | undefined {
  if (deprecated === undefined) return undefined
  const { reason, sunset } = deprecated
  return html`<p class="note"><span class="deprecated">Deprecated.</span> ${reason} ${sunset && `It goes away on ${sunset}.`}</p>`
}

function renderArguments(version: SiteVersion): Html {
  if (version.arguments.length === 0) return html`<h2>Arguments</h2><p class="soft">None.</p>`
  return html`<h2>Arguments</h2><table><tbody>${version.arguments.map(
    ({ name, schema, required = false, description, summary }) =>
      renderRow({ name, schema, required, description: description ?? summary }),
  )}</tbody></table>`
}

function renderResult({ result }: SiteVersion): Html | undefined {
  if (result === undefined) return undefined
  return html`<h2>Result</h2><p><span class="type">${formatType(result.schema)}</span> ${result.description}</p>${renderFields(result.schema)}`
}

function renderErrors({ errors }: SiteVersion): Html | undefined {
  if (errors.length === 0) return undefined
  return html`<h2>Errors</h2><table><tbody>${errors.map(
    ({ code, message }) =>
      html`<tr><td><a href="errors.html#${code}"><code>${code}</code></a></td><td>${message}</td></tr>`,
  )}</tbody></table>`
}

function renderQuery({ object: { query } }: SiteVersion): Html | undefined {
  if (query === undefined) return undefined
  const { filters, sorts, fields, relationships, pagination } = query
  const rows = [
    ['Filters', filters?.allowed],
    ['Operators', filters?.operators],
    ['Sorts', sorts?.allowed],
    ['Fields', fields?.allowed],
    ['Relationships', relationships?.allowed],
    ['Pagination', pagination?.strategies],
  ] as const
  return html`<h2>Query</h2><table><tbody>${rows.map(
    ([label, values]) =>
      values !== undefined &&
      html`<tr><td>${label}</td><td><code>${values.join(', ')}</code></td></tr>`,
  )}</tbody></table>`
}

function renderExtensions({ object: { extensions = [] } }: SiteVersion): Html | undefined {
  if (extensions.length === 0) return undefined
  return html`<h2>Extensions</h2><table><tbody>${extensions.map(({ urn, ...settings }) => {
    const text = Object.keys(settings).length > 0 ? JSON.stringify(settings) : ''
    return html`<tr><td><code>${extensionName(urn)}</code></td><td><code>${text}</code></td></tr>`
  })}</tbody></table>`
}

function renderExample({ name, text, hasResult, result, ...example }: SiteExample): Html {
  const shown = hasResult && html`<pre>${JSON.stringify(result, null, 2) ?? 'null'}</pre>`
  return html`<h3>${name}</h3>${renderMarkdown(text)}<pre>${JSON.stringify(example.arguments, null, 2)}</pre>${shown}`
}

/** The same call for a service, a person at a shell and an agent. */
function renderCalls({ document }: SiteModel, { name, latest }: SiteFunction): Html {
  const url = document.servers?.[0]?.url ?? 'http://127.0.0.1:4000/forrst'
  const input = latest.examples[0]?.arguments ?? {}
  const envelope = {
    protocol: { name: 'forrst', version: document.forrst },
    id: 'req_1',
    call: { function: name, version: latest.object.version, arguments: input },
  }
  const shell = `npx waymark call ${url} ${name} ${quote(JSON.stringify(input))}`
  const curl = `curl -s ${url} -H 'content-type: application/json' \\\n  -d ${quote(JSON.stringify(envelope))}`
  return html`<h2>Call it</h2><pre>${shell}</pre><pre>${curl}</pre><p class="soft">Agents find it over MCP as the tool <code>${toToolName(name)}</code>.</p>`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function renderLinks({ functions }: SiteModel, { links }: SiteVersion): Html | undefined {
  if (links.length === 0) return undefined
  return html`<h2>Goes on with</h2><ul>${links.map((link) => {
    const target = functions.find(({ name }) => name === link.function)
    const shown = target
      ? html`<a href="${target.page}">${target.name}</a>`
      : html`${link.function}`
    return html`<li>${shown} ${link.summary ?? link.description}</li>`
  })}</ul>`
}

function renderVersion({ object }: SiteVersion): Html {
  const { version, stability, deprecated, summary } = object
  return html`<tr><td><code>${version}</code></td><td>${stability}${deprecated && ', deprecated'} <span class="soft">${summary}</span></td></tr>`
}
