import {
  andThen,
  asRecord,
  isList,
  isPromise,
  isRecord,
  type Maybe,
  parsePointer,
  resolvePointer,
} from '../values/index.ts'
import { readDialect, to202012 } from './dialect.ts'
import {
  createDefinitionFinder,
  type FindDefinition,
  matchDefinition,
} from './reference/definitions.ts'
import type { Check, JsonSchema, Problem, Validation } from './schema.ts'
import { IN_PLACE, listInPlace, mapSubschemas, mapValues, resolveLocal } from './walk/index.ts'

/** What happens to arguments that a function does not have. */
export type UnknownArguments = 'reject' | 'ignore'

const STATED = ['additionalProperties', 'unevaluatedProperties']
const NAMING = ['properties', 'patternProperties']

/** Says of an object how many members it has or what they are called, without naming them. */
const COUNTING = ['minProperties', 'maxProperties', 'propertyNames', 'const', 'enum']

/** Closes an arguments object that does not say what becomes of members it does not name; it may name none. */
export function closeArguments(
  schema: JsonSchema,
  components: { readonly schemas?: Readonly<Record<string, JsonSchema>> | undefined } = {},
): JsonSchema {
  if (has(schema, STATED)) return schema
  const find = createDefinitionFinder([components.schemas ?? {}])
  if (!namesMembers(schema, find) && mentions(schema, COUNTING, find)) return schema
  const whole = withRequired(schema, find)
  if (!has(schema, ['$ref', '$dynamicRef', ...IN_PLACE]))
    return { ...whole, additionalProperties: false }
  // Draft 7 has no word for members that none of several schemas knows.
  const modern = readDialect(whole) === 'draft-07' ? to202012(whole) : whole
  return { ...modern, unevaluatedProperties: false }
}

/** Says that an arguments object which names no member takes any, for sources where that is its meaning. */
export function openUnnamedArguments(schema: JsonSchema): JsonSchema {
  const isNamed = namesMembers(schema, createDefinitionFinder([]))
  return isNamed ? schema : { ...schema, additionalProperties: true }
}

/** Closes every object of a schema whose library drops members it does not know, wherever the object stands. */
export function closeObjects(schema: JsonSchema): JsonSchema {
  const closed = mapValues(schema, (value, keyword) =>
    // What stands in allOf sees the members of its neighbours as well.
    keyword === 'allOf' ? value : mapSubschemas(keyword, value, closeObjects),
  )
  if (has(schema, STATED)) return closed
  if (has(schema, ['allOf'])) {
    return namesMembers(schema, createDefinitionFinder([]))
      ? { ...closed, unevaluatedProperties: false }
      : closed
  }
  return has(schema, NAMING) ? { ...closed, additionalProperties: false } : closed
}

/** Says of an argument that a function does not have which function that is. */
export function withFunctionName(check: Check, name: string): Check {
  const rename = (checked: Validation): Validation => {
    if (checked.ok) return checked
    const [first, ...rest] = checked.problems
    return { ok: false, problems: [reword(first, name), ...rest.map((one) => reword(one, name))] }
  }
  return (value) => {
    const checked = check(value)
    if (isPromise(checked)) return checked.then(rename)
    return checked.ok ? checked : rename(checked)
  }
}

const UNKNOWN = 'is not a known property'

function reword(problem: Problem, name: string): Problem {
  const { pointer, message } = problem
  if (!message.startsWith(UNKNOWN) || pointer.lastIndexOf('/') !== 0) return problem
  return { ...problem, message: `is not an argument of ${name}${message.slice(UNKNOWN.length)}` }
}

/** Lists the names of the members that an object may have by a schema, as far as it names them. */
export function listMemberNames(schema: JsonSchema, find: FindDefinition): readonly string[] {
  const names = listParts(schema, find).flatMap(({ properties }) =>
    Object.keys(asRecord(properties)),
  )
  return [...new Set(names)]
}

/** What is required can be given, named or not. */
function withRequired(schema: JsonSchema, find: FindDefinition): JsonSchema {
  const required = listParts(schema, find).flatMap((part) =>
    [part['required'], ...Object.values(asRecord(part['dependentRequired']))].filter(isList).flat(),
  )
  const named = new Set(listMemberNames(schema, find))
  const others = required
    .filter((name) => typeof name === 'string')
    .filter((name) => !named.has(name))
  if (others.length === 0) return schema
  const properties = Object.fromEntries(others.map((name) => [name, {}]))
  return { ...schema, properties: { ...asRecord(schema['properties']), ...properties } }
}

function namesMembers(schema: JsonSchema, find: FindDefinition): boolean {
  return mentions(schema, [...NAMING, ...STATED], find)
}

function mentions(schema: JsonSchema, keywords: readonly string[], find: FindDefinition): boolean {
  return listParts(schema, find).some((part) => has(part, keywords))
}

/** Lists a schema and all that look at the same object, through references. */
function listParts(root: JsonSchema, find: FindDefinition): readonly JsonSchema[] {
  const resolve = (ref: string): unknown => {
    const match = matchDefinition(ref, find)
    return match === undefined ? resolveLocal(root, ref) : resolvePointer(match.schema, match.rest)
  }
  return listInPlace([root], resolve, IN_PLACE)
}

function has(schema: JsonSchema, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => Object.hasOwn(schema, keyword) && schema[keyword] !== undefined)
}

/**
 * Lets a check take null for an optional argument that does not admit it: models write null for what they do not want to
 * give. The handler still sees the null, and leaves the argument out.
 */
export function withNullLeftOut(check: Check, schema: JsonSchema): Check {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const names = Object.keys(asRecord(schema['properties']))
  const optional = new Set(names.filter((name) => !required.has(name)))

  const checkRest = (value: unknown): Maybe<Validation> =>
    andThen(check(value), (checked) => {
      if (checked.ok || !isRecord(value)) return checked
      const refused = checked.problems.flatMap(({ pointer }) => {
        const [name, ...inner] = parsePointer(pointer) ?? []
        return name !== undefined && inner.length === 0 ? [name] : []
      })
      const nulls = new Set(refused.filter((name) => optional.has(name) && value[name] === null))
      if (nulls.size === 0) return checked
      const rest = Object.entries(value).filter(([name]) => !nulls.has(name))
      return checkRest(Object.fromEntries(rest))
    })

  return (value) =>
    andThen(checkRest(value), (checked): Validation => {
      if (!checked.ok || !isRecord(value) || !isRecord(checked.value)) return checked
      const kept = checked.value
      const left = Object.entries(value).filter(([name]) => !Object.hasOwn(kept, name))
      return left.length === 0
        ? checked
        : { ok: true, value: { ...kept, ...Object.fromEntries(left) } }
    })
}
