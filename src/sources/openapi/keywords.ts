import { compilePattern, isRegExp, requireAll } from '../../schema/index.ts'
import { asList } from '../../values/index.ts'
import type { EnumValue, FieldType } from '../tool-spec/index.ts'
import { showValue } from './describe.ts'
import type { Folded } from './fold-objects.ts'
import { asFilledText, asFlag, asNumber } from './node.ts'
import type { FieldDraft } from './tool.ts'

/** Says what a field cannot keep of its schema. */
type Lose = (message: string) => void

/** Turns the members of an enum into values of the type; tells what could not be kept. */
function coerceEnum(
  members: readonly unknown[],
  type: FieldType,
): { readonly values: readonly EnumValue[]; readonly hasNull: boolean; readonly lost: number } {
  const values = new Set<EnumValue>()
  let lost = 0
  for (const member of members) {
    if (member === null) continue
    const value = coerceScalar(member, type)
    if (value === undefined) lost += 1
    else values.add(value)
  }
  return { values: [...values], hasNull: members.includes(null), lost }
}

/** Reads a scalar as the type says, whatever YAML made of it; nothing when it does not fit. */
function coerceScalar(value: unknown, type: FieldType): EnumValue | undefined {
  if (type === 'string') {
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value
    return value === 'true' ? true : value === 'false' ? false : undefined
  }
  if (type !== 'number' && type !== 'integer') return undefined
  const number = asNumber(value)
  if (number === undefined || (type === 'integer' && !Number.isSafeInteger(number)))
    return undefined
  return number
}

/** Guesses the type of a field from its allowed values. */
export function typeOfEnum(members: readonly unknown[]): FieldType {
  const present = members.filter((member) => member !== null)
  if (present.length > 0 && present.every((member) => Number.isInteger(member))) return 'integer'
  if (present.length > 0 && present.every((member) => typeof member === 'number')) return 'number'
  if (present.length > 0 && present.every((member) => typeof member === 'boolean')) return 'boolean'
  return 'string'
}

/** Tells whether any of the numbers is an integer a JavaScript number cannot hold. */
function isBeyondSafe(values: readonly unknown[]): boolean {
  return values.some((value) => {
    const number = asNumber(value)
    return number !== undefined && Number.isInteger(number) && !Number.isSafeInteger(number)
  })
}

/** Puts the keywords of a schema on a field; gives sentences for its description. */
export function applyKeywords(draft: FieldDraft, folded: Folded, lose: Lose): string[] {
  const notes = noteDefault(folded)
  if (folded.type === undefined) return notes
  const isBig = draft.type === 'integer' && isBigInteger(folded)
  if (isBig) makeDigits(draft, lose)
  else applyEnum(draft, folded, lose)
  applyFormat(draft, folded, notes)
  if (draft.type === 'integer' || draft.type === 'number') applyNumeric(draft, folded, lose)
  else if (draft.type === 'array') applyList(draft, folded, lose)
  else if (draft.type === 'string' && !isBig) applyText(draft, folded, lose)
  return notes
}

function isBigInteger(folded: Folded): boolean {
  const { keywords } = folded
  const { default: preset, const: only, example, enum: members } = keywords
  if (preset === undefined && only === undefined && example === undefined && !members) return false
  return isBeyondSafe([preset, only, example, ...asList(members)])
}

/** Digits of an integer beyond 2^53 survive only as text. */
function makeDigits(draft: FieldDraft, lose: Lose): void {
  draft.type = 'string'
  draft.wire_type = 'integer'
  draft.pattern = '^-?\\d+$'
  lose('integers beyond 2^53 are taken as a text of digits; enum is left out')
}

function applyEnum(draft: FieldDraft, folded: Folded, lose: Lose): void {
  const { keywords } = folded
  const hasConst = Object.hasOwn(keywords, 'const')
  if (!hasConst && keywords['enum'] === undefined) return
  const members = hasConst ? [keywords['const']] : asList(keywords['enum'])
  if (draft.type === 'array' && takeForElements(folded, members)) {
    lose('an enum on a list is taken for its elements')
    return
  }
  if (draft.type === 'array' || draft.type === 'object') {
    lose(`an enum on type ${draft.type} is ignored`)
    return
  }
  const { values, lost } = coerceEnum(members, draft.type)
  const kinds = new Set(members.filter((member) => member !== null).map((member) => typeof member))
  if (folded.types.length === 0 && kinds.size > 1) lose('enum values of several types become texts')
  if (lost > 0) lose(`${lost} enum values are not of type ${draft.type}; the enum is ignored`)
  else if (values.length > 0) draft.enum = values
  else if (members.length === 0) lose('an empty enum is ignored')
}

/** A common slip: what a list may hold is written on the list. */
function takeForElements(folded: Folded, members: readonly unknown[]): boolean {
  const isScalar = members.every((member) => typeof member !== 'object')
  if (!isScalar || members.length === 0) return false
  folded.items = requireAll([folded.items ?? {}, { enum: members }])
  return true
}

/** What the server assumes when nothing is sent: it is told, never sent, since sending it could change something. */
function noteDefault({ keywords }: Folded): string[] {
  const value = keywords['default']
  if (value === undefined) return []
  if (value === '' || value === null) return [`Server default: ${JSON.stringify(value)}`]
  const shown = isBeyondSafe([value]) ? undefined : showValue(value)
  return shown === undefined ? [] : [`Server default: ${shown}`]
}

function applyFormat(draft: FieldDraft, folded: Folded, notes: string[]): void {
  const { keywords } = folded
  const encoded = keywords['contentEncoding'] === 'base64' ? 'byte' : undefined
  const isFile = keywords['contentMediaType'] === 'application/octet-stream'
  const format = asFilledText(keywords['format']) ?? encoded ?? (isFile ? 'binary' : undefined)
  if (format === undefined) return
  draft.format = format.trim()
  const isBytes = draft.type === 'string' && (format === 'binary' || format === 'byte')
  notes.push(isBytes ? 'Base64' : `Format: ${format.trim().slice(0, 60)}`)
}

function applyNumeric(draft: FieldDraft, { keywords }: Folded, lose: Lose): void {
  for (const end of ['minimum', 'maximum'] as const) {
    const exclusive = `exclusive_${end}` as const
    const beyond = keywords[end === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum']
    const bound = asBound(keywords[end])
    // 3.0 writes exclusiveMinimum: true beside minimum, 3.1 writes the number itself.
    const isOpen = beyond === true
    const open = isOpen ? bound : typeof beyond === 'number' ? asBound(beyond) : undefined
    if (bound !== undefined && !isOpen) draft[end] = bound
    if (open !== undefined) draft[exclusive] = open
  }
  const step = asNumber(keywords['multipleOf'])
  if (step !== undefined && step > 0) draft.multiple_of = step
  dropEmptyRange(draft, 'minimum', 'maximum', lose)
}

/** A bound beyond 2^53 restricts nothing that a JavaScript number can hold. */
function asBound(value: unknown): number | undefined {
  const number = asNumber(value)
  return number !== undefined && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined
}

/** Puts the least and the most of a length or number of items on a field. */
function applyCounts(
  draft: FieldDraft,
  { keywords }: Folded,
  [least, most]: readonly ['minLength', 'maxLength'] | readonly ['minItems', 'maxItems'],
  lose: Lose,
): void {
  const [low, high] = least === 'minLength' ? LENGTHS : ITEMS
  const [from, to] = [asCount(keywords[least]), asCount(keywords[most])]
  if (from !== undefined && from > 0) draft[low] = from
  if (to !== undefined) draft[high] = to
  dropEmptyRange(draft, low, high, lose)
}

const LENGTHS = ['min_length', 'max_length'] as const
const ITEMS = ['min_items', 'max_items'] as const

function applyText(draft: FieldDraft, folded: Folded, lose: Lose): void {
  applyCounts(draft, folded, ['minLength', 'maxLength'], lose)
  const pattern = asFilledText(folded.keywords['pattern'])
  if (pattern === undefined) return
  const usable = toPattern(pattern)
  if (usable === undefined)
    lose('the pattern is not a regular expression of JavaScript and is ignored')
  else {
    draft.pattern = usable
    const { unchecked } = compilePattern(usable)
    if (unchecked !== undefined) lose(`the pattern is not checked before a call: ${unchecked}`)
  }
}

/** Accepts a pattern that compiles; `/x/` literals lose their slashes. */
function toPattern(pattern: string): string | undefined {
  if (pattern.length > 2000) return undefined
  const bare = /^\/(.*)\/[a-z]*$/s.exec(pattern)?.[1]
  const tries = bare === undefined ? [pattern] : [bare, pattern]
  return tries.find(isRegExp)
}

function applyList(draft: FieldDraft, folded: Folded, lose: Lose): void {
  applyCounts(draft, folded, ['minItems', 'maxItems'], lose)
  if (asFlag(folded.keywords['uniqueItems'])) draft.unique_items = true
}

type Bound = 'minimum' | 'maximum' | 'min_length' | 'max_length' | 'min_items' | 'max_items'

function dropEmptyRange(draft: FieldDraft, low: Bound, high: Bound, lose: Lose): void {
  const [from, to] = [draft[low], draft[high]]
  if (from === undefined || to === undefined || from <= to) return
  delete draft[low]
  delete draft[high]
  lose(`${low} is above ${high}; both are ignored`)
}

function asCount(value: unknown): number | undefined {
  const number = asNumber(value)
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}
