import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  andThen,
  asRecord,
  findNoJson,
  formatPointer,
  isRecord,
  nearest,
  resolvePointer,
  shortenPointer,
  toText,
} from '../values/index.ts'
import { closeArguments, closeObjects, openUnnamedArguments } from './arguments.ts'
import { printFile } from './file.ts'
import { formatUnknownProperty, isLongName } from './messages.ts'
import { compileNames } from './names.ts'
import { MAX_PROBLEMS } from './problems.ts'
import type { Check, JsonSchema, Problem, StandardSchema, Validation } from './schema.ts'
import { followReference, roleOf } from './walk/index.ts'

/** Checks values with the schema library's own rules, transforms and defaults included. */
export function toStandardCheck(schema: StandardSchema): Check {
  const { validate } = schema['~standard']
  return (value) => andThen(validate(value), (result) => toValidation(result, schema, value))
}

/**
 * Closes what a Standard Schema printed: Zod drops members at every level, so every level is closed. A library that
 * prints no member at all was told to take any object.
 */
export function closeStandardSchema(schema: StandardSchema, printed: JsonSchema): JsonSchema {
  return schema['~standard'].vendor === 'zod'
    ? closeObjects(printed)
    : closeArguments(openUnnamedArguments(printed))
}

/** Checks values with the library's own rules, and the names of their members first: the library may drop some. */
export function toClosedCheck(schema: StandardSchema, closed: JsonSchema): Check {
  const check = toStandardCheck(schema)
  const names = compileNames(closed)
  if (names === undefined) return check
  return (value) =>
    names.admits(value)
      ? check(value)
      : andThen(check(value), (checked) => join(names.explain(value), checked))
}

function join([first, ...rest]: readonly [Problem, ...Problem[]], checked: Validation): Validation {
  // Half of the room is for the others.
  const unknown = [first, ...rest.slice(0, MAX_PROBLEMS / 2)] as const
  const known = new Set(unknown.map(({ pointer }) => pointer))
  const others = checked.ok ? [] : checked.problems.filter(({ pointer }) => !known.has(pointer))
  return { ok: false, problems: [...unknown, ...others.slice(0, MAX_PROBLEMS / 2 - 1)] }
}

/** Prints a Standard Schema as JSON Schema 2020-12, seen from the caller or from the handler. */
export function toStandardJsonSchema(
  schema: StandardSchema,
  direction: 'input' | 'output',
): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard']
  if (jsonSchema === undefined) {
    throw new TypeError(
      `this ${vendor} schema cannot print itself as JSON Schema; use a version that implements Standard JSON Schema (Zod 4.2, ArkType 2.1.28, Valibot with toStandardJsonSchema) or give plain JSON Schema`,
    )
  }
  const wrong: string[] = []
  const inspect = (node: ZodNode, found: string[]): void => {
    if (direction === 'output') openResult(node)
    noteLost(node, found)
  }
  const libraryOptions = { override: (node: ZodNode) => inspect(node, wrong) }
  const print = (options: Readonly<Record<string, unknown>> = {}) =>
    jsonSchema[direction]({
      target: 'draft-2020-12',
      ...(vendor === 'zod' && { libraryOptions: { ...libraryOptions, ...options } }),
    })
  try {
    const { $schema: _dialect, ...document } = print()
    if (wrong[0] !== undefined) throw new TypeError(wrong[0])
    return document
  } catch (thrown) {
    const found: string[] = []
    if (vendor !== 'zod' || wrong.length > 0) throw thrown
    const override = (node: ZodNode): void => {
      noteNoJson(node, found)
      inspect(node, found)
    }
    print({ unrepresentable: 'any', override })
    throw found[0] === undefined ? thrown : new TypeError(found[0], { cause: thrown })
  }
}

/** What Zod tells about a schema it has printed. */
interface ZodNode {
  readonly zodSchema: { readonly _zod: { readonly def: ZodDefinition } }
  readonly jsonSchema: { additionalProperties?: unknown } & JsonSchema
  readonly path: readonly (string | number)[]
}

interface ZodDefinition {
  readonly type: string
  /** Of `default` and `prefault`. */
  readonly defaultValue?: unknown
  /** Of `literal`. */
  readonly values?: readonly unknown[]
  /** Of `object`: the schema of members that it does not name. */
  readonly catchall?: unknown
}

/**
 * Zod prints an object of a result as closed, because it drops what it does not know. A result is sent as the handler gave it,
 * so only `z.strictObject` promises that there is nothing else: clients refuse an answer that breaks its schema.
 */
function openResult({ zodSchema, jsonSchema }: ZodNode): void {
  const { type, catchall } = zodSchema._zod.def
  if (type === 'object' && catchall === undefined) delete jsonSchema.additionalProperties
}

/** Notes what Zod prints although JSON has no form for it: values as null or as an empty object. */
function noteLost(node: ZodNode, found: string[]): void {
  const { def } = node.zodSchema._zod
  if (def.type === 'file') printFile(node.jsonSchema)
  const isDefault = def.type === 'default' || def.type === 'prefault'
  const values = { ...node.jsonSchema, ...(isDefault && { default: def.defaultValue }) }
  for (const [keyword, value] of Object.entries(values)) {
    // What is undefined or a function is left out, also of what `meta` adds.
    if (value === undefined || typeof value === 'function' || isStructure(keyword, value)) continue
    const noJson = findNoJson(value)
    if (noJson === undefined) continue
    const place = `${keyword}${noJson.pointer.replaceAll('/', '.')}`
    found.push(`${toField(node)}: ${place} is what JSON cannot hold: ${noJson.found}`)
  }
}

function isStructure(keyword: string, value: unknown): boolean {
  const role = roleOf(keyword, value)
  return role === 'one' || role === 'list' || role === 'map'
}

function noteNoJson(node: ZodNode, found: string[]): void {
  const { type, values = [] } = node.zodSchema._zod.def
  const lost = values.findIndex((value) => typeof value === 'bigint' || value === undefined)
  const kind = lost === -1 ? type : typeof values[lost]
  const instead = INSTEAD[kind]
  if (instead === undefined) return
  const name =
    lost === -1 ? `${type}()` : `literal(${toText(values[lost])}${kind === 'bigint' ? 'n' : ''})`
  found.push(`${toField(node)}: z.${name} cannot be sent as JSON; ${instead}`)
}

/** The field a schema stands for, after the name of the whole: `.order.due`. */
function toField({ path }: ZodNode): string {
  const field = path
    .map(String)
    .join('.')
    .replace(/(^|\.)properties\.([^.]+)/g, '$1$2')
  return field && `.${field}`
}

/** What to use for the types of Zod that have no form in JSON. */
const INSTEAD: Readonly<Record<string, string>> = {
  bigint: 'use z.string().regex(/^-?\\d+$/), its digits',
  custom: 'describe its JSON form',
  date: 'use z.iso.datetime()',
  function: 'leave it out',
  map: 'use z.record()',
  nan: 'use z.null()',
  set: 'use z.array()',
  symbol: 'use z.string()',
  transform: 'use z.pipe() to say what it gives, or transform in the handler',
  undefined: 'use z.null() or .optional()',
  void: 'use z.null()',
}

function toValidation(
  result: StandardSchemaV1.Result<unknown>,
  schema: StandardSchema,
  value: unknown,
): Validation {
  if (result.issues === undefined) return { ok: true, value: result.value }
  const [first, ...rest] = result.issues
    .slice(0, MAX_PROBLEMS)
    .flatMap((issue) => toProblems(issue, schema, value))
    .slice(0, MAX_PROBLEMS)
  const fallback = { pointer: '', code: 'invalid', message: 'is not valid' }
  return { ok: false, problems: [first ?? fallback, ...rest] }
}

/** What Zod adds to an issue. */
interface ZodIssue extends StandardSchemaV1.Issue {
  readonly code?: unknown
  /** The members that a strict object does not know. */
  readonly keys?: unknown
}

function toProblems(issue: ZodIssue, schema: StandardSchema, value: unknown): readonly Problem[] {
  const path = (issue.path ?? []).map((segment) =>
    String(typeof segment === 'object' ? segment.key : segment),
  )
  const code = typeof issue.code === 'string' ? issue.code : 'invalid'
  if (code !== 'unrecognized_keys' || !Array.isArray(issue.keys)) {
    const message = `${issue.message}${findMisspelt(path, schema, value)}`
    return [{ pointer: shortenPointer(formatPointer(path)), code, message }]
  }
  const known = listMembers(schema, path)
  return issue.keys
    .slice(0, MAX_PROBLEMS)
    .map(String)
    .map((key) => ({
      pointer: shortenPointer(formatPointer(isLongName(key) ? path : [...path, key])),
      code,
      message: formatUnknownProperty(key, known),
    }))
}

/** A member that is missing may be there under a name that an object which takes any member passes over. */
function findMisspelt(path: readonly string[], schema: StandardSchema, value: unknown): string {
  const above = path.slice(0, -1)
  const parent = resolvePointer(value, formatPointer(above))
  const [missing] = path.slice(-1)
  if (missing === undefined || !isRecord(parent) || Object.hasOwn(parent, missing)) return ''
  const given = Object.keys(parent)
  const near = given.length > MOST_SEARCHED ? [] : nearest(missing, given, { count: 3 })
  if (near.length === 0) return ''
  const known = new Set(listMembers(schema, above))
  const misspelt = near.find((name) => !known.has(name))
  return misspelt === undefined ? '' : `; did you mean it by "${misspelt.slice(0, LONGEST_NAME)}"?`
}

/** Nobody misspells among so many; every missing member would have them compared again. */
const MOST_SEARCHED = 100
/** Names come from outside and may be of any length. */
const LONGEST_NAME = 100

/** Lists the properties that the schema printed as JSON Schema has at a path; none where it has a choice. */
function listMembers(schema: StandardSchema, path: readonly string[]): readonly string[] {
  if (schema['~standard'].jsonSchema === undefined) return []
  const root = toStandardJsonSchema(schema, 'input')
  let place: unknown = root
  for (const segment of path) {
    const { properties, items } = schemaAt(place, root)
    place = isRecord(properties) && Object.hasOwn(properties, segment) ? properties[segment] : items
  }
  const { properties } = schemaAt(place, root)
  return isRecord(properties) ? Object.keys(properties) : []
}

function schemaAt(place: unknown, root: JsonSchema): JsonSchema {
  const target = followReference(place, root)
  return asRecord(target)
}
