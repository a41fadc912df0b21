import { didYouMean, toText } from '../values/index.ts'
import { isScalar } from './rules.ts'

/** One thing that is wrong with a value, before it is put into words. */
export interface SchemaViolation {
  /** Where in the schema, as far as the validator says. */
  readonly schemaPath: string
  readonly pointer: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** Said instead of the keyword's own sentence. */
  readonly message?: string
}

/** Puts a finding into words: what was expected, and what was found instead. */
export function formatFinding(
  { keyword, params, message }: SchemaViolation,
  found: unknown,
): string {
  return message ?? SENTENCES[keyword]?.(params, found) ?? 'does not match the schema'
}

type Sentence = (params: Readonly<Record<string, unknown>>, found: unknown) => string

const SENTENCES: Readonly<Record<string, Sentence>> = {
  additionalProperties: () => 'is not a known property',
  const: ({ allowedValue }, found) => `must be ${formatChoice([allowedValue])}; got ${show(found)}`,
  contains: ({ minContains, maxContains }) => formatContains(minContains, maxContains),
  dependencies: ({ property }) => `is required when ${toText(property)} is present`,
  dependentRequired: ({ property }) => `is required when ${toText(property)} is present`,
  enum: ({ allowedValues }, found) => `must be ${formatChoice(allowedValues)}; got ${show(found)}`,
  exclusiveMaximum: ({ limit }, found) => `must be less than ${toText(limit)}; got ${show(found)}`,
  exclusiveMinimum: ({ limit }, found) =>
    `must be greater than ${toText(limit)}; got ${show(found)}`,
  'false schema': () => 'is not allowed',
  format: ({ format }, found) => `must be a valid ${toText(format)}; got ${show(found)}`,
  if: ({ failingKeyword }) => `must match the "${toText(failingKeyword)}" part of a condition`,
  maxItems: countedSentence('at most', 'item'),
  maxLength: countedSentence('at most', 'character'),
  maxProperties: countedSentence('at most', 'member'),
  maximum: ({ limit }, found) =>
    `must be at most ${toText(limit)}; got ${show(found)}${explainEnd(limit)}`,
  minItems: countedSentence('at least', 'item'),
  minLength: countedSentence('at least', 'character'),
  minProperties: countedSentence('at least', 'member'),
  minimum: ({ limit }, found) =>
    `must be at least ${toText(limit)}; got ${show(found)}${explainEnd(limit)}`,
  multipleOf: ({ multipleOf }, found) =>
    `must be a multiple of ${toText(multipleOf)}; got ${show(found)}`,
  not: (_, found) => `must not have the form that the schema excludes; got ${show(found)}`,
  pattern: ({ pattern }, found) =>
    `must match the pattern ${toText(pattern instanceof RegExp ? pattern.source : pattern)}; got ${show(found)}`,
  required: () => 'is required',
  type: ({ type }, found) => `must be ${formatTypes(type)}; got ${typeName(found, type)}`,
  unevaluatedItems: () => 'is not an expected item',
  unevaluatedProperties: () => 'is not a known property',
  uniqueItems: ({ duplicate }) =>
    Array.isArray(duplicate)
      ? `must not repeat items; items ${duplicate.map(toText).join(' and ')} are equal`
      : 'must not repeat items',
}

function countedSentence(bound: string, noun: string): Sentence {
  return ({ limit }, found) => `must have ${bound} ${count(limit, noun)}; got ${size(found)}`
}

function explainEnd(limit: unknown): string {
  return Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER
    ? ' (beyond that a JSON number loses digits; send a string of digits where the schema allows one)'
    : ''
}

/** Says that a property is not among the known ones, and which of them may have been meant. */
export function formatUnknownProperty(name: string, known: Iterable<string>): string {
  // A pointer with such a name would be no help to anybody.
  if (isLongName(name)) return `has a member ${show(name)} that is not known`
  const hint = didYouMean(name, known)
  return hint === undefined ? 'is not a known property' : `is not a known property; ${hint}`
}

/** Names come from outside and may be of any length; the longest ones are not repeated. */
export function isLongName(name: string): boolean {
  return name.length > 100
}

/** Lists values to choose from: `one of draft, published`. */
export function formatChoice(values: unknown): string {
  const list = Array.isArray(values) ? values : []
  if (list.length === 1) return isScalar(list[0]) ? show(list[0]) : showPlain(list[0])
  const shown = list.slice(0, MAX_CHOICES).map(showPlain).join(', ')
  return list.length > MAX_CHOICES
    ? `one of ${shown} or ${list.length - MAX_CHOICES} more`
    : `one of ${shown}`
}

/** Lists types: `a string or null`. */
export function formatTypes(types: unknown): string {
  const names = [types].flat().map((type) => TYPE_NAMES[toText(type)] ?? toText(type))
  const last = names.pop() ?? 'nothing'
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`
}

/** Shows a value in a sentence, cut to a length that can be read. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (!isScalar(value)) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : toText(value)
  return typeof value === 'string' && value.length > 60 ? `${text.slice(0, -1)}…"` : text
}

const MAX_CHOICES = 12

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}

function typeName(value: unknown, expected: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  // "must be an integer; got number" would puzzle: the number itself says why.
  const isNumber = typeof value === 'number'
  return isNumber && [expected].flat().includes('integer') ? String(value) : typeof value
}

function showPlain(value: unknown): string {
  if (isScalar(value)) {
    return typeof value === 'string' && /^[\w.:/-]{1,60}$/.test(value) ? value : show(value)
  }
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function size(value: unknown): string {
  if (typeof value === 'string') return String([...value].length)
  return typeof value === 'object' && value !== null ? String(Object.keys(value).length) : '0'
}

function count(limit: unknown, noun: string): string {
  return limit === 1 ? `1 ${noun}` : `${toText(limit)} ${noun}s`
}

function formatContains(minimum: unknown, maximum: unknown): string {
  const least = `must contain at least ${count(minimum ?? 1, 'item')} of the expected form`
  return maximum === undefined ? least : `${least} and at most ${toText(maximum)}`
}
