import { compilePattern, isRegExp } from '../../schema/index.ts'
import { isRecord } from '../../values/index.ts'
import { quote, type SpecPlace } from './finding.ts'
import { HEADER_PATTERN, MAX_FIELD_DEPTH } from './schema.ts'
import type { FieldDef, FieldType } from './types.ts'

/** What a field stands for, which decides the keys that mean something on it. */
export type FieldRole = 'params' | 'body' | 'property' | 'element' | 'alternative'

/** Checks a field and everything below it. */
export function checkField(field: FieldDef, place: SpecPlace, role: FieldRole, depth = 1): void {
  if (depth > MAX_FIELD_DEPTH) {
    const message = `fields nest deeper than ${MAX_FIELD_DEPTH} levels`
    place.say('E057', message, 'leave properties out: the object is free-form')
    return
  }
  checkEnum(field, place.at('enum'))
  checkDefault(field, place.at('default'))
  checkConstant(field, place.at('const'))
  checkShape(field, place, role)
  checkBounds(field, place)
  checkPlace(field, place, role)
  checkPropertyNames(field, place)
  eachChild(field, place, (child, at, childRole) => checkField(child, at, childRole, depth + 1))
}

/** An empty description tells a model nothing about when to use a tool. */
export function checkDescription(
  { description }: { readonly description: string },
  place: SpecPlace,
): void {
  if (description.trim() !== '') return
  place.at('description').say('E022', 'must say something; found an empty text', 'describe it')
}

/** Visits the fields directly below a field. */
function eachChild(
  field: FieldDef,
  place: SpecPlace,
  visit: (child: FieldDef, place: SpecPlace, role: FieldRole) => void,
): void {
  if (field.items) visit(field.items, place.at('items'), 'element')
  if (field.values) visit(field.values, place.at('values'), 'element')
  place.at('properties').each(field.properties, (child, at) => visit(child, at, 'property'))
  place.at('any_of').each(field.any_of, (child, at) => visit(child, at, 'alternative'))
}

function checkEnum({ type, enum: members }: FieldDef, place: SpecPlace): void {
  if (members === undefined) return
  if (members.length === 0) {
    const message = 'must hold at least one value; found an empty list'
    place.say('E052', message, 'list the allowed values, or remove enum')
  }
  const seen = new Set<unknown>()
  place.each(members, (member, at) => {
    if (seen.has(member)) at.say('E052', `the value ${quote(member)} is listed twice`, 'remove one')
    seen.add(member)
  })
  if (type === 'array' || type === 'object') {
    const message = `enum restricts a string; found it on type ${type}`
    place.say('E051', message, 'put enum on items or on a property')
    return
  }
  place.each(members, (member, at) => {
    if (hasType(member, type)) return
    const hint = type === 'string' ? `write it in quotes: "${member}"` : undefined
    at.wrong('E051', `must be of type ${type}`, hint)
  })
}

/** Warns about defaults in a PATCH body: each call would change those fields, too. */
export function warnAboutDefaults(field: FieldDef, place: SpecPlace): void {
  if (field.default !== undefined) {
    const message =
      'a default in a PATCH body is sent with every call and changes fields the caller did not name'
    const hint = 'remove default; say in the description what the API assumes'
    place.at('default').say('W058', message, hint)
  }
  eachChild(field, place, warnAboutDefaults)
}

function checkConstant(field: FieldDef, place: SpecPlace): void {
  const { const: value, enum: members, type } = field
  if (value === undefined) return
  if (!hasType(value, type)) {
    place.wrong('E053', `must be of type ${type}`, `write a ${type}`)
  } else if (members && !members.includes(value)) {
    place.wrong('E053', `must be one of ${members.map(String).join(', ')}`)
  }
}

function checkDefault(field: FieldDef, place: SpecPlace): void {
  const { default: value, type, enum: members } = field
  if (value === undefined) return
  const types = [type, ...(field.any_of ?? []).map((alternative) => alternative.type)]
  const nullIsFine = value === null && field.nullable === true
  if (!nullIsFine && !types.some((one) => hasType(value, one))) {
    place.wrong('E053', `must be of type ${type}`, `write a ${type}, or remove default`)
  } else if (members && !nullIsFine && !members.some((member) => member === value)) {
    place.wrong('E053', `must be one of ${members.map(String).join(', ')}`)
  }
  if (field.required === true) {
    const message = 'a default on a required field is never used'
    place.say('W054', message, 'remove default or required')
  }
}

function hasType(value: unknown, type: FieldType): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const NEEDED = { items: 'array', properties: 'object', values: 'object', rest: 'object' } as const

function checkShape(field: FieldDef, place: SpecPlace, role: FieldRole): void {
  const { type } = field
  for (const [key, needed] of Object.entries(NEEDED)) {
    if (!field[key as keyof typeof NEEDED] || type === needed) continue
    const message = `${key} needs type: ${needed}; found type: ${type}`
    place.at(key).sayKey('E055', message, `write type: ${needed}, or remove ${key}`)
  }
  // Among alternatives "any list" is how "any value" is spelled.
  if (type === 'array' && !field.items && !field.any_of && role !== 'alternative') {
    const message = 'an array without items takes elements of any kind'
    place.say('W056', message, 'add for example items: { type: string }')
  }
}

function checkBounds(field: FieldDef, place: SpecPlace): void {
  const pairs = [
    ['minimum', 'maximum'],
    ['min_length', 'max_length'],
    ['min_items', 'max_items'],
  ] as const
  for (const [low, high] of pairs) {
    const [from, to] = [field[low], field[high]]
    if (from === undefined || to === undefined || from <= to) continue
    const message = `${low} is above ${high}; found ${from} and ${to}`
    place.at(low).say('E059', message, 'no value can fit: swap them')
  }
  if (field.pattern !== undefined) checkPattern(field.pattern, place.at('pattern'))
}

function checkPattern(pattern: string, place: SpecPlace): void {
  if (!isRegExp(pattern)) {
    place.wrong('E058', 'must be a regular expression')
    return
  }
  const { unchecked } = compilePattern(pattern)
  if (unchecked === undefined) return
  const hint = 'write it without looking around, referring back or repeating more than 1000 times'
  place.say('W059', `is not checked before a call: ${unchecked}`, hint)
}

function checkPlace(field: FieldDef, place: SpecPlace, role: FieldRole): void {
  const ignored = (key: keyof FieldDef, code: string, why: string): void => {
    if (field[key] !== undefined) place.at(key).sayKey(code, `${key} has ${why}`, 'remove it')
  }
  if (role === 'element' || role === 'alternative') {
    ignored('required', 'W050', 'no meaning on an element and is ignored')
  }
  if (role !== 'body') ignored('rest', 'W057', 'a meaning in body only and is ignored here')
  if (role !== 'params') {
    for (const key of ['in', 'allow_reserved', 'const'] as const)
      ignored(key, 'W057', 'a meaning in params only and is ignored here')
    return
  }
  const inHead = field.in === 'header' || field.in === 'cookie'
  if (inHead && !HEADER_PATTERN.test(field.name ?? '')) {
    place.at('name').wrong('E065', 'must be a header name (letters, digits and "-")')
  }
}

function checkPropertyNames({ properties }: FieldDef, place: SpecPlace): void {
  const seen = new Set<string>()
  place.at('properties').each(properties, ({ name = '' }, at) => {
    if (seen.has(name)) at.at('name').say('E035', `the property "${name}" is there twice`)
    seen.add(name)
  })
}
