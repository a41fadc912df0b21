import type { FunctionObject } from '../../discovery/index.ts'
import type { Doc, DocTag } from '../../schema/index.ts'
import { writeType } from '../emit-types.ts'
import { LINE_WIDTH, toLiteral, toPropertyKey, toStringLiteral } from '../literals.ts'
import type { Writer } from '../writer.ts'
import type { FunctionModel } from './model.ts'
import type { PlannedFunction, PlannedGroup } from './plan-functions.ts'
import { printQueryMembers } from './query-type.ts'

/** Writes the types of one version of a function: arguments, result, errors with their guard, query. */
export function writeFunctionTypes(writer: Writer, planned: PlannedFunction): void {
  const { model } = planned
  const at = `${model.name} ${model.version}`
  if (planned.arguments !== undefined) {
    writer.gap()
    writer.doc({ text: `What ${at} takes.` })
    writeType(writer, planned.arguments.name, {
      kind: 'object',
      members: planned.arguments.members,
    })
  }
  if (planned.resultName !== undefined) {
    writer.gap()
    writer.doc({ text: `What ${at} answers.` })
    writeType(writer, planned.resultName, planned.resultNode)
  }
  writeErrors(writer, planned)
  writeQuery(writer, planned)
}

function writeErrors(
  writer: Writer,
  { model, errorName, errors, ...names }: PlannedFunction,
): void {
  if (errorName === undefined) return
  const at = `${model.name} ${model.version}`
  for (const { definition, details } of errors) {
    if (details === undefined) continue
    writer.gap()
    writer.doc({ text: `What ${at} says about ${definition.code}.` })
    writeType(writer, details.name, details.node)
  }
  writer.gap()
  writer.doc({ text: `Errors that ${at} declares; \`code\` tells them apart.` })
  const types = errors.map(({ definition, details }) => {
    const type = details === undefined ? '' : `, ${details.name}`
    return `MethodError<${toStringLiteral(definition.code)}${type}>`
  })
  writeUnion(writer, `export type ${errorName} =`, types)
  writer.gap()
  const codes = errors.map(({ definition }) => definition.code)
  const start = `const ${names.codesName}: readonly string[] = `
  writer.line(`${start}${toLiteral(codes, '', start.length)}`)
  writer.gap()
  writer.doc({ text: `Tells whether something thrown is an error that ${at} declares.` })
  writer.block(
    `export function ${names.guardName}(thrown: unknown): thrown is ${errorName} {`,
    '}',
    () => writer.line(`return hasErrorCode(thrown, ${names.codesName})`),
  )
}

function writeUnion(writer: Writer, start: string, types: readonly string[]): void {
  const oneLine = `${start} ${types.join(' | ')}`
  if (oneLine.length <= LINE_WIDTH && !oneLine.includes('\n')) writer.line(oneLine)
  else if (types.length === 1) writer.line(`${start} ${types[0]}`)
  else writer.line(start, ...types.map((type) => `  | ${type}`))
}

function writeQuery(writer: Writer, planned: PlannedFunction): void {
  const { model, queryName, attributeType, resource } = planned
  if (queryName === undefined || model.query === undefined) return
  writer.gap()
  writer.doc({ text: `What a query of ${model.name} ${model.version} may ask for.` })
  const members = printQueryMembers({ query: model.query, attributeType, resource })
  writer.line(`export interface ${queryName} {`)
  writer.raw(members)
  writer.line('}')
}

/** Makes the doc comment of a method. */
export function toMethodDoc(group: PlannedGroup, planned: PlannedFunction, path: string): Doc {
  const { source } = planned.model
  const texts = [source.summary, source.description].filter((text) => typeof text === 'string')
  const text = [...new Set(texts.map((part) => part.trim()))].join('\n\n')
  const named = text === '' ? `Calls ${group.name} ${source.version}.` : text
  return { text: named, tags: [...toDeprecation(source), ...toExamples(planned, path)] }
}

function toDeprecation({ deprecated, stability }: FunctionObject): readonly DocTag[] {
  if (deprecated === undefined && stability !== 'deprecated') return []
  const { reason, sunset } = deprecated ?? {}
  const parts = [
    typeof reason === 'string' ? reason : '',
    typeof sunset === 'string' ? `(until ${sunset})` : '',
  ].filter((part) => part !== '')
  return [{ name: 'deprecated', ...(parts.length > 0 && { text: parts.join(' ') }) }]
}

const MAX_EXAMPLE_LENGTH = 240

function toExamples({ model }: PlannedFunction, path: string): readonly DocTag[] {
  return listExamples(model)
    .map((values) => `await client${path}(${values})`)
    .filter((text) => text.length <= MAX_EXAMPLE_LENGTH)
    .slice(0, 2)
    .map((text) => ({ name: 'example', text }))
}

/** Writes the arguments of example calls; their params correspond to the arguments by position. */
function listExamples(model: FunctionModel): readonly string[] {
  return model.examples.map((params) => {
    const given = (model.arguments ?? []).flatMap(({ name }, index) => {
      const { value } = params[index] ?? {}
      return value === undefined ? [] : [`${toPropertyKey(name)}: ${printOneLine(value)}`]
    })
    return given.length === 0 ? '' : `{ ${given.join(', ')} }`
  })
}

function printOneLine(value: unknown): string {
  return toLiteral(value, '', 0).replace(/(?<!\s)\s*\n\s*/g, ' ')
}
