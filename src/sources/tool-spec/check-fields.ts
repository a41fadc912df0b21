import { compilePattern, isRegExp } from '../../schema/index.ts'
import { isRecord } from '../../values/index.ts'
import { quote, type Report } from './finding.ts'
import { ENV_PATTERN, HEADER_PATTERN, MAX_FIELD_DEPTH } from './schema.ts'
import type { AuthConfig, FieldDef, FieldType } from './types.ts'
import type { PathStep } from './yaml.ts'

/** Checks an auth configuration: variable names, header names and what belongs together. */
export function checkAuth(auth: AuthConfig, path: readonly PathStep[], report: Report): void {
  checkEnv(auth, path, report)
  checkHeader(auth, path, report)
  for (const key of ['token_url', 'authorization_url', 'discovery_url'] as const) {
    const url = auth[key]
    if (url === undefined || isSafeUrl(url)) continue
    const message = `must be an https address (http on this machine only); found ${quote(url)}`
    report({ code: 'E068', path: [...path, key], message })
  }
  for (const key of ['also', 'or'] as const) {
    for (const [index, other] of (auth[key] ?? []).entries()) {
      checkAuth(other, [...path, key, index], report)
      if (other.or !== undefined) {
        const message = 'or has a meaning on the first of the ways only and is ignored here'
        const at = [...path, key, index, 'or']
        report({ code: 'W057', path: at, atKey: true, message, hint: 'move its entries up' })
      }
    }
  }
}

/** Checks the name of an environment variable that holds something secret. */
export function checkEnvName(name: string, path: readonly PathStep[], report: Report): void {
  if (looksSecret(name)) {
    report({
      code: 'E066',
      path,
      message: `must be the name of an environment variable; found what looks like the secret itself (${mask(name)})`,
      hint: 'put the secret into the environment and write the name of the variable here',
    })
  } else if (!ENV_PATTERN.test(name)) {
    const message = `must be the name of an environment variable (A-Z, 0-9 and "_"); found ${quote(name)}`
    const upper = name.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')
    report({ code: 'E061', path, message, hint: `for example ${upper.replace(/^(\d)/, '_$1')}` })
  }
}

const SUFFIXES = {
  basic: { suffix: '_USERNAME', code: 'E062', partner: '_PASSWORD' },
  oauth2: { suffix: '_CLIENT_ID', code: 'E063', partner: '_CLIENT_SECRET' },
} as const

function checkEnv(auth: AuthConfig, path: readonly PathStep[], report: Report): void {
  const at = [...path, 'env']
  if (auth.env === undefined) {
    if (auth.type === 'none') return
    const example =
      auth.type === 'basic'
        ? 'API_USERNAME'
        : auth.type === 'oauth2'
          ? 'API_CLIENT_ID'
          : 'API_TOKEN'
    report({
      code: 'E060',
      path: at,
      message: `required for type ${auth.type} but missing; expected the name of an environment variable`,
      hint: `add for example env: ${example}`,
    })
    return
  }
  checkEnvName(auth.env, at, report)
  if (auth.type !== 'basic' && auth.type !== 'oauth2') return
  const { suffix, code, partner } = SUFFIXES[auth.type]
  if (!ENV_PATTERN.test(auth.env) || looksSecret(auth.env) || auth.env.endsWith(suffix)) return
  report({
    code,
    path: at,
    message: `must end in ${suffix} for type ${auth.type}, so that ${partner} can be derived; found ${quote(auth.env)}`,
    hint: `for example ${auth.env}${suffix}`,
  })
}

function checkHeader(auth: AuthConfig, path: readonly PathStep[], report: Report): void {
  const inHeader = auth.type === 'api_key' && (auth.in ?? 'header') === 'header'
  if (auth.header !== undefined && !inHeader) {
    const message = 'header means something for an api_key in a header only and is ignored'
    report({ code: 'W064', path: [...path, 'header'], atKey: true, message, hint: 'remove it' })
  }
  if (auth.header !== undefined && !HEADER_PATTERN.test(auth.header)) {
    const message = `must be a header name (letters, digits and "-"); found ${quote(auth.header)}`
    report({ code: 'E065', path: [...path, 'header'], message })
  }
  if (auth.prefix !== undefined && /[^\t\x20-\x7e]/.test(auth.prefix)) {
    const message = `must be plain text in one line; found ${quote(auth.prefix)}`
    report({ code: 'E065', path: [...path, 'prefix'], message })
  }
  if (auth.in !== undefined && auth.in !== 'header' && auth.name === undefined) {
    const message = `in: ${auth.in} needs the name of the ${auth.in} ${auth.in === 'query' ? 'parameter' : ''}`
    report({ code: 'E067', path: [...path, 'name'], message: message.trim(), hint: 'add name: …' })
  }
  if (auth.name !== undefined && auth.in !== 'query' && !HEADER_PATTERN.test(auth.name)) {
    const message = `must be a header or cookie name; found ${quote(auth.name)}`
    report({ code: 'E065', path: [...path, 'name'], message })
  }
}

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)
}

/** Variable names are upper case; keys and tokens have small letters, are long, or start like one. */
function looksSecret(text: string): boolean {
  if (text.length > 64) return true
  if (/^(sk|pk|rk|ghp|gho|xox[abp]|key|token)[-_]/.test(text)) return true
  return !ENV_PATTERN.test(text) && /[a-z]/.test(text) && /\d/.test(text) && text.length >= 16
}

function mask(text: string): string {
  return `"${text.slice(0, 3)}…", ${text.length} characters`
}

/** What a field stands for, which decides the keys that mean something on it. */
export type FieldRole = 'params' | 'body' | 'property' | 'element' | 'alternative'

/** Checks a list of fields and everything below them. */
export function checkFields(
  fields: readonly FieldDef[],
  path: readonly PathStep[],
  role: FieldRole,
  report: Report,
): void {
  for (const [index, field] of fields.entries())
    checkField(field, [...path, index], role, 1, report)
}

/** Checks a field that stands alone: the root of a body. */
export function checkRootField(field: FieldDef, path: readonly PathStep[], report: Report): void {
  checkField(field, path, 'body', 1, report)
}

function checkField(
  field: FieldDef,
  path: readonly PathStep[],
  role: FieldRole,
  depth: number,
  report: Report,
): void {
  if (depth > MAX_FIELD_DEPTH) {
    const message = `fields nest deeper than ${MAX_FIELD_DEPTH} levels`
    report({ code: 'E057', path, message, hint: 'leave properties out: the object is free-form' })
    return
  }
  checkEnum(field, path, report)
  checkDefault(field, path, report)
  checkConstant(field, path, report)
  checkShape(field, path, role, report)
  checkBounds(field, path, report)
  checkPlace(field, path, role, report)
  checkPropertyNames(field, path, report)
  const below = (child: FieldDef, at: readonly PathStep[], childRole: FieldRole): void =>
    checkField(child, at, childRole, depth + 1, report)
  if (field.items) below(field.items, [...path, 'items'], 'element')
  if (field.values) below(field.values, [...path, 'values'], 'element')
  for (const [index, child] of (field.properties ?? []).entries()) {
    below(child, [...path, 'properties', index], 'property')
  }
  for (const [index, child] of (field.any_of ?? []).entries()) {
    below(child, [...path, 'any_of', index], 'alternative')
  }
}

function checkEnum(field: FieldDef, path: readonly PathStep[], report: Report): void {
  if (field.enum === undefined) return
  const at = [...path, 'enum']
  if (field.enum.length === 0) {
    const message = 'must hold at least one value; found an empty list'
    report({ code: 'E052', path: at, message, hint: 'list the allowed values, or remove enum' })
  }
  const seen = new Set<unknown>()
  for (const [index, member] of field.enum.entries()) {
    if (!seen.has(member)) {
      seen.add(member)
      continue
    }
    const message = `the value ${quote(member)} is listed twice`
    report({ code: 'E052', path: [...at, index], message, hint: 'remove one' })
  }
  if (field.type === 'array' || field.type === 'object') {
    const message = `enum restricts a string; found it on type ${field.type}`
    report({ code: 'E051', path: at, message, hint: 'put enum on items or on a property' })
    return
  }
  for (const [index, member] of field.enum.entries()) {
    if (hasType(member, field.type)) continue
    report({
      code: 'E051',
      path: [...at, index],
      message: `must be of type ${field.type}; found ${quote(member)}`,
      hint: field.type === 'string' ? `write it in quotes: "${member}"` : undefined,
    })
  }
}

/** Warns about defaults in a PATCH body: each call would change those fields, too. */
export function warnAboutDefaults(
  field: FieldDef,
  path: readonly PathStep[],
  report: Report,
): void {
  if (field.default !== undefined) {
    report({
      code: 'W058',
      path: [...path, 'default'],
      message:
        'a default in a PATCH body is sent with every call and changes fields the caller did not name',
      hint: 'remove default; say in the description what the API assumes',
    })
  }
  const below = { properties: field.properties, any_of: field.any_of }
  for (const [key, children] of Object.entries(below)) {
    for (const [index, child] of (children ?? []).entries())
      warnAboutDefaults(child, [...path, key, index], report)
  }
  if (field.items) warnAboutDefaults(field.items, [...path, 'items'], report)
  if (field.values) warnAboutDefaults(field.values, [...path, 'values'], report)
}

function checkConstant(field: FieldDef, path: readonly PathStep[], report: Report): void {
  const value = field.const
  if (value === undefined) return
  const at = [...path, 'const']
  if (!hasType(value, field.type)) {
    const message = `must be of type ${field.type}; found ${quote(value)}`
    report({ code: 'E053', path: at, message, hint: `write a ${field.type}` })
  } else if (field.enum && !field.enum.includes(value)) {
    const members = field.enum.map(String).join(', ')
    report({ code: 'E053', path: at, message: `must be one of ${members}; found ${quote(value)}` })
  }
}

function checkDefault(field: FieldDef, path: readonly PathStep[], report: Report): void {
  const value = field.default
  if (value === undefined) return
  const at = [...path, 'default']
  const types = [field.type, ...(field.any_of ?? []).map((alternative) => alternative.type)]
  const nullIsFine = value === null && field.nullable === true
  if (!nullIsFine && !types.some((type) => hasType(value, type))) {
    const message = `must be of type ${field.type}; found ${quote(value)}`
    report({ code: 'E053', path: at, message, hint: `write a ${field.type}, or remove default` })
  } else if (field.enum && !nullIsFine && !field.enum.some((member) => member === value)) {
    const members = field.enum.map(String).join(', ')
    report({ code: 'E053', path: at, message: `must be one of ${members}; found ${quote(value)}` })
  }
  if (field.required === true) {
    const message = 'a default on a required field is never used'
    report({ code: 'W054', path: at, message, hint: 'remove default or required' })
  }
}

function hasType(value: unknown, type: FieldType): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function checkShape(
  field: FieldDef,
  path: readonly PathStep[],
  role: FieldRole,
  report: Report,
): void {
  const wrong = (key: 'items' | 'properties' | 'values' | 'rest', type: FieldType): void => {
    report({
      code: 'E055',
      path: [...path, key],
      atKey: true,
      message: `${key} needs type: ${type}; found type: ${field.type}`,
      hint: `write type: ${type}, or remove ${key}`,
    })
  }
  if (field.items && field.type !== 'array') wrong('items', 'array')
  if (field.properties && field.type !== 'object') wrong('properties', 'object')
  if (field.values && field.type !== 'object') wrong('values', 'object')
  if (field.rest && field.type !== 'object') wrong('rest', 'object')
  // Among alternatives "any list" is how "any value" is spelled.
  if (field.type === 'array' && !field.items && !field.any_of && role !== 'alternative') {
    const message = 'an array without items takes elements of any kind'
    report({ code: 'W056', path, message, hint: 'add for example items: { type: string }' })
  }
}

function checkBounds(field: FieldDef, path: readonly PathStep[], report: Report): void {
  const pairs = [
    ['minimum', 'maximum'],
    ['min_length', 'max_length'],
    ['min_items', 'max_items'],
  ] as const
  for (const [low, high] of pairs) {
    const [from, to] = [field[low], field[high]]
    if (from === undefined || to === undefined || from <= to) continue
    const message = `${low} is above ${high}; found ${from} and ${to}`
    report({ code: 'E059', path: [...path, low], message, hint: 'no value can fit: swap them' })
  }
  if (field.pattern !== undefined) checkPattern(field.pattern, [...path, 'pattern'], report)
}

function checkPattern(pattern: string, path: readonly PathStep[], report: Report): void {
  if (!isRegExp(pattern)) {
    const message = `must be a regular expression; found ${quote(pattern)}`
    report({ code: 'E058', path, message })
    return
  }
  const { unchecked } = compilePattern(pattern)
  if (unchecked === undefined) return
  const message = `is not checked before a call: ${unchecked}`
  const hint = 'write it without looking around, referring back or repeating more than 1000 times'
  report({ code: 'W059', path, message, hint })
}

function checkPlace(
  field: FieldDef,
  path: readonly PathStep[],
  role: FieldRole,
  report: Report,
): void {
  if ((role === 'element' || role === 'alternative') && field.required !== undefined) {
    const message = 'required has no meaning on an element and is ignored'
    report({ code: 'W050', path: [...path, 'required'], atKey: true, message, hint: 'remove it' })
  }
  if (role !== 'body' && field.rest !== undefined) {
    const message = 'rest has a meaning in body only and is ignored here'
    report({ code: 'W057', path: [...path, 'rest'], atKey: true, message, hint: 'remove it' })
  }
  if (role !== 'params') {
    for (const key of ['in', 'allow_reserved', 'const'] as const) {
      if (field[key] === undefined) continue
      const message = `${key} has a meaning in params only and is ignored here`
      report({ code: 'W057', path: [...path, key], atKey: true, message, hint: 'remove it' })
    }
    return
  }
  const inHead = field.in === 'header' || field.in === 'cookie'
  if (inHead && !HEADER_PATTERN.test(field.name ?? '')) {
    const message = `must be a header name (letters, digits and "-"); found ${quote(field.name)}`
    report({ code: 'E065', path: [...path, 'name'], message })
  }
}

function checkPropertyNames(field: FieldDef, path: readonly PathStep[], report: Report): void {
  const seen = new Set<string>()
  for (const [index, { name = '' }] of (field.properties ?? []).entries()) {
    if (seen.has(name)) {
      const message = `the property "${name}" is there twice`
      report({ code: 'E035', path: [...path, 'properties', index, 'name'], message })
    }
    seen.add(name)
  }
}
