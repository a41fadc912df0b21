import { type ContentDescriptor, isReference, type Reference } from '../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/index.ts'
import { addressOf, describeSchema, referenceLabel } from '../schema/index.ts'
import { groupBy, isRecord, ownMember } from '../values/index.ts'
import { formatSection, type Paint, printable } from './print.ts'

/** Writes a discovery document as an overview for people. */
export function formatDocument(document: DiscoveryDocument, paint: Paint): string {
  const { info, servers = [], functions } = document
  const sections = [...groupBy(functions, groupName)].map(([name, members]) => {
    const rows = members.map((member) => toRow(member, paint))
    return formatSection(printable(name), rows, paint)
  })
  const places = servers.map(({ name, url }) => [printable(name), printable(url)])
  return [
    `${paint.bold(printable(info.title))} ${printable(info.version)}\n`,
    info.description ? `${printable(info.description)}\n` : '',
    ...sections,
    formatSection('Servers', places, paint),
    `\n${functions.length} functions, Forrst ${printable(document.forrst)}. More about one: waymark describe <url> <function>\n`,
  ].join('')
}

/** Writes one function, references resolved, for people. */
export function formatFunction(object: FunctionObject, paint: Paint): string {
  const { name, version, stability, summary, description, deprecated, sideEffects } = object
  const rowsOf = <Entry>(
    entries: readonly (Entry | Reference)[] = [],
    toCells: (entry: Entry) => readonly (string | undefined)[],
  ): string[][] =>
    entries.map((entry) =>
      isReference(entry)
        ? [addressOf(entry) ?? '', '']
        : toCells(entry).map((cell) => printable(cell ?? '')),
    )
  const section = (title: string, rows: readonly string[][]) => formatSection(title, rows, paint)
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
      rowsOf(object.errors, (error) => [error.code, error.message]),
    ),
    section(
      'Simulations',
      rowsOf(object.simulations, (scenario) => [scenario.name, scenario.description]),
    ),
    section(
      'Related',
      rowsOf(object.links, (link) => [link.function ?? link.name, link.summary]),
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
  if (isReference(descriptor)) return [addressOf(descriptor) ?? '', '', '']
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
  const described = describeSchema(schema)
  const formatAll = (parts: readonly unknown[], between: string): string =>
    parts.map((part) => formatPart(part, definitions)).join(between)
  switch (described.kind) {
    case 'reference': {
      // A shared choice is worth its values; anything larger is worth its name.
      const target = ownMember(definitions, described.name)
      const isShort = describeSchema(target).kind === 'values'
      return isShort ? formatPart(target, {}) : described.name
    }
    case 'values':
      return described.values
        .map((item) =>
          typeof item === 'string' && !isConstant(schema) ? item : JSON.stringify(item),
        )
        .join(' | ')
    case 'choice':
      return formatAll(described.parts, ' | ')
    case 'all':
      return formatAll(described.parts, ' & ')
    case 'array':
      return `array of ${formatPart(described.items, definitions)}`
    case 'object':
      return `{ ${described.names.join(', ')} }`
    case 'plain':
      return described.text
  }
}

function isConstant(schema: unknown): boolean {
  return isRecord(schema) && schema['const'] !== undefined
}

function groupName({ name, tags }: FunctionObject): string {
  const tag = tags?.[0]
  if (tag !== undefined)
    return isReference(tag) ? referenceLabel(addressOf(tag) ?? '') : (tag.summary ?? tag.name)
  const [space = name] = name.split('.')
  return space.charAt(0).toUpperCase() + space.slice(1)
}
