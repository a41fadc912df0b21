import {
  isKeyword,
  keyword,
  type ObjectNode,
  type TupleNode,
  type TypeNode,
  toUnion,
} from '../schema/index.ts'
import { LINE_WIDTH, toDocLines, toPropertyKey, toStringLiteral } from './literals.ts'

/** Prints a type; lines after the first start at `indent`. */
export function printType(type: TypeNode, indent = ''): string {
  switch (type.kind) {
    case 'keyword':
    case 'reference':
      return type.name
    case 'literal':
      return printLiteralType(type.value)
    case 'array':
      return `${printOperand(type.items, indent)}[]`
    case 'tuple':
      return printTuple(type, indent)
    case 'object':
      return printObject(type, indent)
    case 'union':
      return printJoined(type.types, '|', indent)
    case 'intersection':
      return printJoined(type.types, '&', indent)
  }
}

/** Prints the members of an object between braces, one line each. */
export function printMembers(type: ObjectNode, indent: string): string {
  const inner = `${indent}  `
  const lines = type.members.flatMap((member) => {
    const mark = member.optional ? '?' : ''
    const text = afterColon(printType(member.type, inner))
    return [...toDocLines(member.doc, inner), `${inner}${toPropertyKey(member.key)}${mark}:${text}`]
  })
  const index =
    type.index && `${inner}[key: string]: ${printType(widenIndex(type, type.index), inner)}`
  const all = index === undefined ? lines : [...lines, index]
  return all.length === 0 ? '{}' : `{\n${all.join('\n')}\n${indent}}`
}

/** Sets a printed type off from the colon or equals sign before it. */
export function afterColon(text: string): string {
  return text.startsWith('\n') ? text : ` ${text}`
}

function printObject(type: ObjectNode, indent: string): string {
  if (type.members.length > 0) return printMembers(type, indent)
  if (type.index === undefined) return 'Record<string, never>'
  // An index signature, not Record: only the former may refer to the type it stands in.
  return isKeyword(type.index, 'unknown')
    ? 'Record<string, unknown>'
    : `{ [key: string]: ${printType(type.index, indent)} }`
}

// Every member must fit the index signature, so it takes in the types of all members.
function widenIndex(type: ObjectNode, index: TypeNode): TypeNode {
  const optional = type.members.some((member) => member.optional) ? [keyword('undefined')] : []
  return toUnion([index, ...type.members.map((member) => member.type), ...optional])
}

function printTuple(type: TupleNode, indent: string): string {
  const places = type.items.map((item, index) => {
    return index < type.required ? printType(item, indent) : `${printOperand(item, indent)}?`
  })
  const rest = type.rest ? [`...${printOperand(type.rest, indent)}[]`] : []
  return `[${[...places, ...rest].join(', ')}]`
}

function printJoined(types: readonly TypeNode[], operator: '|' | '&', indent: string): string {
  const isBroken = (text: string): boolean => text.includes('\n')
  const parts = types.map((type) => printOperand(type, indent))
  const oneLine = parts.join(` ${operator} `)
  const fits = indent.length + oneLine.length <= LINE_WIDTH - 20
  if (fits || parts.some(isBroken)) return oneLine
  const inner = `${indent}  `
  return parts.map((part) => `\n${inner}${operator} ${part}`).join('')
}

function printOperand(type: TypeNode, indent: string): string {
  const text = printType(type, indent)
  return type.kind === 'union' || type.kind === 'intersection' ? `(${text})` : text
}

function printLiteralType(value: unknown): string {
  if (typeof value === 'string') return toStringLiteral(value)
  if (typeof value === 'number') return Number.isFinite(value) ? printNumber(value) : 'number'
  if (typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(printLiteralType).join(', ')}]`
  if (typeof value !== 'object') return 'unknown'
  const members = Object.entries(value).map(([key, item]) => {
    return `${toPropertyKey(key)}: ${printLiteralType(item)}`
  })
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

// A literal type has no exponent sign or minus zero of its own; those become plain numbers.
function printNumber(value: number): string {
  return Object.is(value, -0) ? '0' : String(value)
}
