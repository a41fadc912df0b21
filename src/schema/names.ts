import { asRecord, isList, isRecord } from '../values/index.ts'
import { compileSchema, type SchemaCheck } from './compile.ts'
import { isScalar } from './rules.ts'
import type { JsonSchema, Problem } from './schema.ts'
import {
  addressOf,
  isChoice,
  isSubschema,
  keywordSet,
  mapSubschemas,
  resolveLocal,
} from './walk/index.ts'

/** Tells which members a value may have by a schema, and nothing else about it. */
export interface NamesCheck {
  readonly admits: (value: unknown) => boolean
  /** Lists the members that a value must not have. */
  readonly explain: (value: unknown) => readonly [Problem, ...Problem[]]
}

/**
 * Makes a check of the names alone, for schemas of libraries that drop members: everything else is for the library to
 * judge, which may convert values before it does. Undefined when any member will do.
 */
export function compileNames(schema: JsonSchema): NamesCheck | undefined {
  const names = toNamesOnly(schema, false)
  const admits = needsValidator(names) ? toMatches(compileSchema(names)) : createAdmits(names)
  if (admits === undefined) return undefined
  // The whole schema knows better than the names alone which of several choices was meant.
  const check = compileSchema(schema)
  return {
    admits,
    explain(value) {
      const checked = check(value)
      const problems = checked.ok ? [] : checked.problems
      const unknown = problems.filter(({ code }) => UNKNOWN.includes(code))
      // Each member may be known to one of several forms, and no form to know them all.
      const found = unknown.length > 0 ? unknown : problems.filter(({ code }) => isChoice(code))
      const [first = NOWHERE, ...rest] = found
      return [first, ...rest]
    },
  }
}

function toMatches(check: SchemaCheck): Admits {
  return (value) => check(value).ok
}

const NOWHERE: Problem = {
  pointer: '',
  code: 'additionalProperties',
  message: 'has a member that no form of it knows',
}

const UNKNOWN = ['additionalProperties', 'unevaluatedProperties']

const IN_PLACE = ['allOf', 'dependentSchemas', 'dependencies', '$dynamicRef']
const ABOUT_NAMES = new Set([
  ...IN_PLACE,
  ...UNKNOWN,
  ...keywordSet(
    '$defs $ref anyOf definitions items oneOf patternProperties prefixItems properties',
  ),
])

function toNamesOnly(schema: JsonSchema, isChosen: boolean): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      // A constant tells choices apart.
      if (keyword === 'const' && isChosen && isScalar(value)) return [[keyword, value]]
      if (!ABOUT_NAMES.has(keyword)) return []
      const chooses = isChoice(keyword)
      const inner = (part: JsonSchema): JsonSchema => ({
        ...toNamesOnly(part, isChosen || chooses),
        ...(chooses && excludeOthers(part)),
      })
      // Without the values several of the choices may fit.
      return [[keyword === 'oneOf' ? 'anyOf' : keyword, mapSubschemas(keyword, value, inner)]]
    }),
  )
}

/** Of several choices one for texts or numbers must not let every object pass. */
function excludeOthers({ type }: JsonSchema): JsonSchema {
  const types = [type].flat()
  const excluded = type === undefined ? [] : STRUCTURES.filter((one) => !types.includes(one))
  return excluded.length === 0 ? {} : { not: { type: excluded } }
}

const STRUCTURES = ['object', 'array']

/** What is rare enough to leave it to the validator, which takes a while to load. */
function needsValidator(schema: unknown): boolean {
  if (!isRecord(schema)) return Array.isArray(schema) && schema.some(needsValidator)
  const rare = [...IN_PLACE, 'unevaluatedProperties', 'patternProperties']
  return (
    rare.some((keyword) => Object.hasOwn(schema, keyword)) ||
    Object.values(schema).some(needsValidator)
  )
}

type Admits = (value: unknown) => boolean

/** Makes functions of a schema of names; undefined where every value will do. */
function createAdmits(root: JsonSchema): Admits | undefined {
  const known = new Map<unknown, { admits: Admits | undefined }>()

  function toAdmits(schema: unknown): Admits | undefined {
    if (!isSubschema(schema) || typeof schema === 'boolean') return undefined
    const made = known.get(schema)
    // A schema inside itself is not ready yet; it will be when a value comes.
    if (made !== undefined) return made.admits ?? ((value) => made.admits?.(value) ?? true)
    const slot: { admits: Admits | undefined } = { admits: undefined }
    known.set(schema, slot)
    slot.admits = all([
      fromConstant(schema),
      fromMembers(schema, toAdmits),
      fromItems(schema, toAdmits),
    ])
    const address = addressOf(schema)
    if (address !== undefined)
      slot.admits = all([slot.admits, toAdmits(resolveLocal(root, address))])
    if (Array.isArray(schema['anyOf'])) {
      slot.admits = all([slot.admits, any(schema['anyOf'].map(toAdmits))])
    }
    return slot.admits
  }
  return toAdmits(root)
}

function fromConstant(schema: JsonSchema): Admits | undefined {
  if (Object.hasOwn(schema, 'const')) return (value) => value === schema['const']
  if (!isRecord(schema['not'])) return undefined
  const excluded = [schema['not']['type']].flat()
  return (value) => isScalar(value) || !excluded.includes(isList(value) ? 'array' : 'object')
}

function fromMembers(
  schema: JsonSchema,
  toAdmits: (inner: unknown) => Admits | undefined,
): Admits | undefined {
  const { properties = {}, additionalProperties } = schema
  const named = Object.entries(asRecord(properties))
  // Null for a member that may be anything: one look finds both whether it is known and what it must be.
  const members = new Map(named.map(([name, inner]) => [name, toAdmits(inner) ?? null]))
  const others = toAdmits(additionalProperties)
  const isClosed = additionalProperties === false
  if (!isClosed && others === undefined && [...members.values()].every((one) => one === null)) {
    return undefined
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return true
    // A loop without a list of keys: this runs on nearly every call.
    for (const name in value) {
      const admits = members.get(name)
      if (admits === null) continue
      if (admits === undefined && isClosed) return false
      if ((admits ?? others)?.((value as Record<string, unknown>)[name]) === false) return false
    }
    return true
  }
}

function fromItems(
  schema: JsonSchema,
  toAdmits: (inner: unknown) => Admits | undefined,
): Admits | undefined {
  const { items, prefixItems } = schema
  const first = Array.isArray(prefixItems) ? prefixItems.map(toAdmits) : []
  const rest = toAdmits(items)
  if (rest === undefined && !first.some((admits) => admits !== undefined)) return undefined
  return (value) => {
    if (!isList(value)) return true
    for (let index = 0; index < value.length; index++) {
      const admits = index < first.length ? first[index] : rest
      if (admits?.(value[index]) === false) return false
    }
    return true
  }
}

function all(checks: readonly (Admits | undefined)[]): Admits | undefined {
  const [first, ...rest] = checks.filter((admits) => admits !== undefined)
  if (first === undefined || rest.length === 0) return first
  return (value) => first(value) && rest.every((admits) => admits(value))
}

function any(checks: readonly (Admits | undefined)[]): Admits | undefined {
  const needed = checks.filter((admits) => admits !== undefined)
  return needed.length < checks.length
    ? undefined
    : (value) => needed.some((admits) => admits(value))
}
