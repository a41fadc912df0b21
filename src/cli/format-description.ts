import { type ContentDescriptor, isReference, type Reference } from '../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/index.ts'
import { isRecord, toText } from '../values/index.ts'
import { formatTable, type Paint, printable } from './print.ts'

/** Writes a discovery document as an overview for people. */
export function formatDocument(document: DiscoveryDocument, paint: Paint): string {
  const { info, servers = [], functions } = document
  const sections = [...groupByTag(functions)].map(
    ([name, members]) =>
      `\n${paint.bold(printable(name))}\n${formatTable(members.map((member) => toRow(member, paint)))}`,
  )
  const places = servers.map(({ name, url }) => [printable(name), printable(url)])
  return [
    `${paint.bold(printable(info.title))} ${printable(info.version)}\n`,
    info.description ? `${printable(info.description)}\n` : '',
    ...sections,
    places.length > 0 ? `\n${paint.bold('Servers')}\n${formatTable(places)}` : '',
    `\n${functions.length} functions, Forrst ${printable(document.forrst)}. More about one: waymark describe <url> <function>\n`,
  ].join('')
}

/** Writes one function, references resolved, for people. */
export function formatFunction(object: FunctionObject, paint: Paint): string {
  const { name, version, stability, summary, description, deprecated, sideEffects } = object
  const section = (title: string, rows: readonly string[][]) =>
    rows.length === 0 ? '' : `\n${paint.bold(title)}\n${formatTable(rows)}`
  const facts = [
    stability,
    ...(sideEffects === undefined
      ? []
      : [sideEffects.length === 0 ? 'read-only' : sideEffects.join(', ')]),
  ]
  return [
    `${paint.bold(printable(name))} ${printable(version)}  ${paint.dim(printable(facts.join(' · ')))}\n`,
    summary ? `${printable(summary)}\n` : '',
    description && description !== summary ? `\n${printable(description)}\n` : '',
    deprecated
      ? `${paint.warn(`Deprecated: ${printable(deprecated.reason ?? '')}${deprecated.sunset ? ` (until ${printable(deprecated.sunset)})` : ''}`)}\n`
      : '',
    section(
      'Arguments',
      (object.arguments ?? []).map((argument) => toDescriptorRow(argument, paint)),
    ),
    section('Result', object.result ? [toDescriptorRow(object.result, paint)] : []),
    section(
      'Errors',
      (object.errors ?? []).map((error) =>
        isReference(error) ? [error.$ref, ''] : [printable(error.code), printable(error.message)],
      ),
    ),
    section(
      'Simulations',
      (object.simulations ?? []).map((scenario) => [
        printable(scenario.name),
        printable(scenario.description ?? ''),
      ]),
    ),
    section(
      'Related',
      (object.links ?? []).map((link) =>
        isReference(link)
          ? [link.$ref, '']
          : [printable(link.function ?? link.name), printable(link.summary ?? '')],
      ),
    ),
  ].join('')
}

function toRow(
  { name, version, summary = '', deprecated, stability }: FunctionObject,
  paint: Paint,
): string[] {
  const mark = deprecated
    ? paint.warn('deprecated ')
    : stability === 'experimental'
      ? paint.warn('experimental ')
      : ''
  return [printable(name), paint.dim(printable(version)), `${mark}${printable(summary)}`]
}

function toDescriptorRow(descriptor: ContentDescriptor | Reference, paint: Paint): string[] {
  if (isReference(descriptor)) return [descriptor.$ref, '', '']
  const { name, schema, summary, description, required } = descriptor
  return [
    `${printable(name)}${required === false ? paint.dim('?') : ''}`,
    paint.dim(printable(formatSchema(schema))),
    printable(summary ?? description ?? ''),
  ]
}

/** Writes a schema in a few words: `string (uuid)`, `draft | published`, `array of EventResource`. */
export function formatSchema(schema: unknown): string {
  const definitions = isRecord(schema) && isRecord(schema['$defs']) ? schema['$defs'] : {}
  return formatPart(schema, definitions)
}

function formatPart(schema: unknown, definitions: Readonly<Record<string, unknown>>): string {
  if (!isRecord(schema)) return 'anything'
  const { type, format, enum: values, items, const: value, anyOf, oneOf } = schema
  const { allOf, properties, $ref } = schema
  if (typeof $ref === 'string') return formatReference($ref, definitions)
  if (value !== undefined) return JSON.stringify(value)
  if (Array.isArray(values))
    return values
      .map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
      .join(' | ')
  const options = anyOf ?? oneOf
  if (Array.isArray(options))
    return options.map((option) => formatPart(option, definitions)).join(' | ')
  if (Array.isArray(allOf) && type === undefined && properties === undefined)
    return allOf.map((part) => formatPart(part, definitions)).join(' & ')
  if (type === 'array') return `array of ${formatPart(items, definitions)}`
  if (isRecord(properties)) return `{ ${Object.keys(properties).join(', ')} }`
  const base = Array.isArray(type) ? type.map(toText).join(' | ') : toText(type ?? 'anything')
  return typeof format === 'string' ? `${base} (${format})` : base
}

/** A shared choice is worth its values; anything larger is worth its name. */
function formatReference(ref: string, definitions: Readonly<Record<string, unknown>>): string {
  const name = ref.split('/').at(-1) ?? ref
  const target = Object.hasOwn(definitions, name) ? definitions[name] : undefined
  return isRecord(target) && Array.isArray(target['enum']) ? formatPart(target, {}) : name
}

function groupName({ name, tags }: FunctionObject): string {
  const tag = tags?.[0]
  if (tag !== undefined) return isReference(tag) ? (tag.$ref.split('/').at(-1) ?? '') : tag.name
  const [space = name] = name.split('.')
  return space.charAt(0).toUpperCase() + space.slice(1)
}

function groupByTag(functions: readonly FunctionObject[]): Map<string, FunctionObject[]> {
  const groups = new Map<string, FunctionObject[]>()
  for (const entry of functions) {
    const name = groupName(entry)
    groups.set(name, [...(groups.get(name) ?? []), entry])
  }
  return groups
}
