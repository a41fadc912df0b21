import { LINE_WIDTH, toLiteral, toPropertyKey, toStringLiteral } from '../literals.ts'
import type { Writer } from '../writer.ts'
import { toMethodDoc } from './emit-functions.ts'
import { createMemberPlan } from './names.ts'
import type { PlannedFunction, PlannedGroup } from './plan-functions.ts'
import type { TreeNode } from './tree.ts'

/** Finds the version of a function that a link leads to. */
export type FindFunction = (name: string) => PlannedFunction | undefined

/** Writes the members of the client's interface. */
export function writeTreeTypes(
  writer: Writer,
  nodes: readonly TreeNode[],
  find: FindFunction,
  path = '',
): void {
  for (const { member, group, children } of nodes) {
    const here = `${path}.${member}`
    const key = `readonly ${toPropertyKey(member)}: `
    const writeChildren = (): void => writeTreeTypes(writer, children, find, here)
    if (group === undefined) writer.block(`${key}{`, '}', writeChildren)
    else {
      const below = children.length > 0 ? writeChildren : undefined
      writeMethodType(writer, { key, group, find, path: here }, below)
    }
  }
}

interface MethodPlace {
  /** What a line begins with before the method. */
  readonly key: string
  readonly group: PlannedGroup
  readonly find: FindFunction
}

/** Writes one method with its older versions and links. */
export function writeMethodType(
  writer: Writer,
  { key, group, find, path }: MethodPlace & { readonly path: string },
  writeChildren?: () => void,
): void {
  const { main, others } = group
  writer.doc(toMethodDoc(group, main, path))
  const type = printMethod(main, writer.indent(), key.length)
  if (others.length === 0 && main.model.links.length === 0 && writeChildren === undefined) {
    writer.line(key + type)
    return
  }
  writer.block(`${key}${type} & {`, '}', () => {
    writeLinkTypes(writer, main, find)
    for (const { member, planned } of others) {
      writer.doc(toMethodDoc(group, planned, `${path}.${member}`))
      const start = `readonly ${member}: `
      const own = printMethod(planned, writer.indent(), start.length)
      if (planned.model.links.length === 0) writer.line(start + own)
      else writer.block(`${start}${own} & {`, '}', () => writeLinkTypes(writer, planned, find))
    }
    writeChildren?.()
  })
}

function writeLinkTypes(writer: Writer, planned: PlannedFunction, find: FindFunction): void {
  const { links } = planned.model
  if (links.length === 0) return
  writer.doc({ text: 'Calls that a result leads to.' })
  writer.block('readonly links: {', '}', () => {
    for (const { member, link } of nameLinks(planned)) {
      const target = find(link.function)
      const text = link.summary ?? link.description ?? link.name
      writer.doc({ text: typeof text === 'string' ? text : '' })
      const parameters = `[result: ${planned.resultType}, options?: CallOptions]`
      const args = [parameters, target?.resultType ?? 'unknown', errorType(target)]
      const start = `readonly ${member}: `
      writer.line(start + printGeneric('Method', args, writer.indent(), start.length))
    }
  })
}

/** Gives every link of a function a member name of its own. */
function nameLinks(planned: PlannedFunction): readonly {
  readonly member: string
  readonly link: PlannedFunction['model']['links'][number]['link']
}[] {
  const plan = createMemberPlan()
  return planned.model.links.map(({ wished, link }) => ({ member: plan.take(wished), link }))
}

function printMethod(planned: PlannedFunction, indent: string, used: number): string {
  const { model, firstParameter, resultType, queryName, attributesType } = planned
  const parameters = `[${firstParameter}, options?: CallOptions]`
  const failures = errorType(planned)
  const parts = [printGeneric('Method', [parameters, resultType, failures], indent, used)]
  if (queryName !== undefined) {
    const optional = parameters.replace(/^\[callArguments: /, '[callArguments?: ')
    const args = [queryName, model.readOnly ? optional : parameters, attributesType, failures]
    parts.push(printGeneric('Queryable', args, `${indent}  `, 0))
  }
  if (model.streams) {
    const streaming = `[${firstParameter}, options?: StreamOptions]`
    parts.push(printGeneric('Streamable', [streaming, 'unknown', resultType], `${indent}  `, 0))
  }
  if (model.isAsync) {
    parts.push(printGeneric('Startable', [parameters, resultType, failures], `${indent}  `, 0))
  }
  return parts.join(` &\n${indent}  `)
}

function errorType(planned: PlannedFunction | undefined): string {
  return planned?.errorName ?? 'never'
}

/** Prints a type with arguments, on several lines when one is too long. */
function printGeneric(name: string, args: readonly string[], indent: string, used: number): string {
  const oneLine = `${name}<${args.join(', ')}>`
  if (indent.length + used + oneLine.length <= LINE_WIDTH && !oneLine.includes('\n')) return oneLine
  const inner = args.map((arg) => `${indent}  ${arg.replaceAll('\n', '\n  ')}`).join(',\n')
  return `${name}<\n${inner}\n${indent}>`
}

/** Writes the members of the object that the factory gives. */
export function writeTreeValues(
  writer: Writer,
  nodes: readonly TreeNode[],
  find: FindFunction,
): void {
  for (const { member, group, children } of nodes) {
    const key = `${toPropertyKey(member)}: `
    const writeChildren = (): void => writeTreeValues(writer, children, find)
    if (group === undefined) writer.block(`${key}{`, '},', writeChildren)
    else {
      const below = children.length > 0 ? writeChildren : undefined
      writeMethodValue(writer, { key, group, find }, below)
    }
  }
}

/** Writes what makes one method. */
export function writeMethodValue(
  writer: Writer,
  { key, group: { main, others }, find }: MethodPlace,
  writeChildren?: () => void,
): void {
  const writeOthers = (): void => {
    for (const { member, planned } of others) writeCall(writer, `${member}: `, planned, find)
    writeChildren?.()
  }
  const hasMore = others.length > 0 || writeChildren !== undefined
  writeCall(writer, key, main, find, hasMore ? writeOthers : undefined)
}

function writeCall(
  writer: Writer,
  key: string,
  planned: PlannedFunction,
  find: FindFunction,
  writeMore?: () => void,
): void {
  const { model } = planned
  const target = [
    ...listTarget(model.name, planned),
    ...(planned.queryName === undefined ? [] : ['query: true']),
    ...(model.streams ? ['stream: true'] : []),
    ...(model.isAsync ? ['start: true'] : []),
  ]
  if (model.links.length === 0 && writeMore === undefined) {
    writeLaidOut(writer, `${key}method(`, target, '),')
    return
  }
  writer.block(`${key}method(`, '),', () => {
    writeLaidOut(writer, '', target, ',')
    writer.block('{', '},', () => {
      if (model.links.length > 0) {
        writer.block('links: {', '},', () => writeLinks(writer, planned, find))
      }
      writeMore?.()
    })
  })
}

function writeLinks(writer: Writer, planned: PlannedFunction, find: FindFunction): void {
  for (const { member, link } of nameLinks(planned)) {
    writer.block(`${member}: link(`, '),', () => {
      writeLaidOut(writer, '', listTarget(link.function, find(link.function)), ',')
      writer.line(`${toLiteral(link.params ?? {}, writer.indent())},`)
    })
  }
}

function listTarget(name: string, planned: PlannedFunction | undefined): readonly string[] {
  const members = [`function: ${toStringLiteral(name)}`]
  if (planned !== undefined) members.push(`version: ${toStringLiteral(planned.model.version)}`)
  if (planned?.model.readOnly) members.push('readOnly: true')
  if (planned?.errorName !== undefined) members.push(`codes: ${planned.codesName}`)
  return members
}

/** Writes an object on one line where it fits, else a line for each member. */
function writeLaidOut(
  writer: Writer,
  start: string,
  members: readonly string[],
  end: string,
): void {
  const oneLine = `${start}{ ${members.join(', ')} }${end}`
  if (writer.indent().length + oneLine.length <= LINE_WIDTH) writer.line(oneLine)
  else {
    writer.block(`${start}{`, `}${end}`, () => {
      for (const member of members) writer.line(`${member},`)
    })
  }
}
