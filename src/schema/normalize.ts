import { isList, isRecord, ownMember } from '../values/index.ts'
import { DIALECT_URIS, type Dialect, readDialect } from './dialect.ts'
import { toNamePatterns, toTestedRegExp } from './patterns.ts'
import { type FindDefinition, matchDefinition } from './reference/definitions.ts'
import {
  forbidOthers,
  isScalar,
  type Refinement,
  requireDigitRange,
  requireMultipleOf,
  requireOneOf,
  requireUnique,
} from './rules.ts'
import type { JsonSchema } from './schema.ts'
import { isSubschema, keywordSet, mapSubschemas, roleOf, type Subschema } from './walk/index.ts'

/** How schemas are read before the validator compiles them. */
export interface NormalizeOptions {
  readonly findDefinition: FindDefinition
  readonly assertFormats: boolean
  /** Integers end at ±(2^53−1), where numbers begin to lose digits. */
  readonly safeIntegers: boolean
  /** True for a schema in the service's own code; see `compilePattern`. */
  readonly isOwn: boolean
  /** Names of members of the value to be checked, where a bundle has said that it needs them. */
  readonly names?: readonly string[]
}

/** A schema as the validator gets it. */
export interface NormalizedSchema {
  readonly schema: Subschema
  /** Finds what became of a schema inside the one that was read. */
  readonly find: (original: unknown) => Subschema | undefined
  /** True when it names a member that every JavaScript object inherits, such as `toString`. */
  readonly namesInherited: boolean
  /** True when names of members decide about the schema; see `toNamePatterns`. */
  readonly needsNames: boolean
}

/**
 * Rewrites a schema so that the validator, which reads one mix of all drafts, gives every keyword the
 * meaning its dialect gives it.
 */
export function normalizeSchema(
  schema: Subschema,
  dialect: Dialect,
  options: NormalizeOptions,
  /** The reference this schema is known by, when it is a component; its local references are put below. */
  key?: string,
): NormalizedSchema {
  const results = new Map<unknown, Subschema>()
  const state: State = { options, results, namesInherited: false, needsNames: false }
  const normalized = normalize(schema, { dialect, key, validates: true }, state)
  // The validator takes a root without $schema for an old one, where $id means something else.
  const $schema = dialect === '2020-12' && { $schema: DIALECT_URIS[dialect] }
  return {
    schema: isRecord(normalized) ? Object.assign(normalized, $schema) : normalized,
    find: (original) => (typeof original === 'boolean' ? original : results.get(original)),
    namesInherited: state.namesInherited,
    needsNames: state.needsNames,
  }
}

interface State {
  readonly options: NormalizeOptions
  readonly results: Map<unknown, Subschema>
  namesInherited: boolean
  needsNames: boolean
}

interface Reading {
  readonly dialect: Dialect
  /** The reference that local ones are put below; undefined under an `$id` of its own. */
  readonly key: string | undefined
  /** False below a meta-schema whose vocabularies leave the validation keywords out. */
  readonly validates: boolean
}

type Draft = Record<string, unknown>

function normalize(schema: Subschema, outer: Reading, state: State): Subschema {
  if (typeof schema === 'boolean') return schema
  const reading = nextReading(schema, outer, state.options.findDefinition)
  const draft: Draft = {}
  const rules: Refinement[] = []
  for (const [keyword, value] of Object.entries(chooseKeywords(schema, reading))) {
    noteInherited(keyword, value, state)
    const rule = ownMember(RULES, keyword)?.(value, schema)
    if (rule !== undefined) rules.push(...rule)
    else assign(draft, keyword, normalizeValue(keyword, value, schema, reading, state))
  }
  splitCondition(draft)
  if (state.options.safeIntegers && reading.validates) boundIntegers(draft)
  // Inside allOf, because beside other keywords the validator reports rules only when those hold.
  if (rules.length > 0) addToAllOf(draft, [{ '~refine': rules }])
  state.results.set(schema, draft)
  return draft
}

function boundIntegers(draft: Draft): void {
  const types = [draft['type']].flat()
  if (!types.includes('integer') || types.includes('number')) return
  const { minimum, maximum } = draft
  const end = Number.MAX_SAFE_INTEGER
  draft['minimum'] = Math.max(typeof minimum === 'number' ? minimum : -end, -end)
  draft['maximum'] = Math.min(typeof maximum === 'number' ? maximum : end, end)
}

function nextReading(schema: JsonSchema, outer: Reading, find: FindDefinition): Reading {
  const { $schema } = schema
  if (typeof $schema !== 'string') return outer
  const dialect = readDialect(schema)
  if (dialect !== undefined) return { ...outer, dialect, validates: true }
  const meta = find($schema)
  const vocabulary = isRecord(meta) && meta['$vocabulary']
  if (!isRecord(vocabulary)) return outer
  return { ...outer, dialect: '2020-12', validates: VALIDATION_VOCABULARY in vocabulary }
}

const VALIDATION_VOCABULARY = 'https://json-schema.org/draft/2020-12/vocab/validation'

const NEVER = keywordSet('$schema default example examples ~refine')
const SINCE_2019 = keywordSet(
  '$anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef dependentRequired dependentSchemas maxContains minContains prefixItems unevaluatedItems unevaluatedProperties',
)
const UNTIL_DRAFT_7 = keywordSet('additionalItems')
const VALIDATION = keywordSet(
  'const dependentRequired enum exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern required type uniqueItems',
)

/** Leaves out what has no meaning in the schema's dialect, where the validator would give it one. */
function chooseKeywords(schema: JsonSchema, { dialect, validates }: Reading): JsonSchema {
  if (dialect === 'draft-07' && typeof schema['$ref'] === 'string') {
    const { $ref, definitions, $defs } = schema
    return {
      $ref,
      ...(isRecord(definitions) && { definitions }),
      ...(isRecord($defs) && { $defs }),
    }
  }
  const foreign = dialect === 'draft-07' ? SINCE_2019 : UNTIL_DRAFT_7
  // An array of items can only mean the tuple of draft 7, and additionalItems goes with it.
  const isTuple = dialect === '2020-12' && Array.isArray(schema['items'])
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) =>
        !NEVER.has(keyword) &&
        (isTuple || !foreign.has(keyword)) &&
        (validates || !VALIDATION.has(keyword)),
    ),
  )
}

/** Makes rules of our own out of a keyword; undefined leaves it to the validator. */
type ToRules = (value: unknown, schema: JsonSchema) => readonly Refinement[] | undefined

/** Keywords checked by rules of our own, because the validator's are slow or wrong for some values. */
const RULES: Readonly<Record<string, ToRules>> = {
  // Its regular expression over all names takes longer than the rest of a typical check.
  additionalProperties: (value, { properties = {}, patternProperties }) =>
    value === false && isRecord(properties) && patternProperties === undefined
      ? [forbidOthers(Object.keys(properties))]
      : undefined,
  // Its comparison chains overflow the parser, and it takes { length: 0 } for an empty array.
  enum: (value) =>
    Array.isArray(value) && (value.length > 64 || !value.every(isScalar))
      ? [requireOneOf('enum', value)]
      : undefined,
  const: (value) => (isScalar(value) ? undefined : [requireOneOf('const', [value])]),
  // A string is outside of minimum and maximum; digits of a 64-bit integer are not.
  format: (_, schema) => {
    const rule = requireDigitRange(schema)
    return rule && [rule]
  },
  // Its hashes take [[1], 2] and [[1, 2]] for equal, and its report takes time squared.
  uniqueItems: (value) => (value === true ? [requireUnique] : []),
  // Its tolerance takes 0.00000000001 for a multiple of 1.
  multipleOf: (value) => (typeof value === 'number' && value > 0 ? [requireMultipleOf(value)] : []),
}

function normalizeValue(
  keyword: string,
  value: unknown,
  { type }: JsonSchema,
  reading: Reading,
  state: State,
): unknown {
  const inner = (schema: Subschema): Subschema => normalize(schema, toInner(schema, reading), state)
  switch (keyword) {
    case 'format':
      return state.options.assertFormats ? value : undefined
    case 'pattern':
      return typeof value === 'string' ? toTestedRegExp(value, state.options.isOwn) : undefined
    case 'patternProperties': {
      if (!isRecord(value)) return undefined
      const { isOwn, names } = state.options
      const named = toNamePatterns(mapSubschemas(keyword, value, inner), isOwn, names)
      state.needsNames ||= named.needsNames
      return named.patterns
    }
    case '$ref':
      return typeof value === 'string' ? toGlobalRef(value, reading, state) : undefined
    // Members that a failed `not` or `contains` looked at must not count as evaluated.
    case 'contains':
    case 'not':
      return isSubschema(value) ? { anyOf: [inner(value)] } : undefined
    // What the schema around them evaluated must not count as evaluated inside these.
    case 'dependencies':
    case 'dependentSchemas':
      return mapSubschemas(keyword, value, (schema) => ({ allOf: [inner(schema)] }))
    // The validator would apply it to arrays, too.
    case 'unevaluatedProperties':
      return admitsObjects(type) && isSubschema(value) ? inner(value) : undefined
    default:
      return roleOf(keyword, value) === 'unknown'
        ? normalizeUnknown(value, inner)
        : mapSubschemas(keyword, value, inner)
  }
}

function admitsObjects(type: unknown): boolean {
  return type === undefined || [type].flat().includes('object')
}

function toInner(schema: Subschema, reading: Reading): Reading {
  const isResource = typeof schema !== 'boolean' && typeof schema['$id'] === 'string'
  return isResource && reading.key !== undefined ? { ...reading, key: undefined } : reading
}

/** A reference may point into an unknown keyword; its value is read as schemas. */
function normalizeUnknown(value: unknown, inner: (schema: JsonSchema) => Subschema): unknown {
  if (Array.isArray(value)) return value.map((item) => normalizeUnknown(item, inner))
  return isRecord(value) ? inner(value) : value
}

/**
 * Turns `if`, `then`, `else` into two conditions that have only an `else`: the validator explains
 * what failed in `else` but not in `then`.
 */
function splitCondition(draft: Draft): void {
  const { if: condition, then, else: otherwise } = draft
  if (!isSubschema(condition)) return
  delete draft['if']
  // One branch alone still evaluates members, so the condition stays even without then and else.
  const parts = [
    { if: { anyOf: [condition] }, else: otherwise ?? true },
    ...(then === undefined ? [] : [{ if: { not: { anyOf: [condition] } }, else: then }]),
  ]
  addToAllOf(draft, parts)
}

function addToAllOf(draft: Draft, schemas: readonly JsonSchema[]): void {
  draft['allOf'] = [...(isList(draft['allOf']) ? draft['allOf'] : []), ...schemas]
}

/** Puts a component's references to itself below its own name, where the whole document sees them. */
function toGlobalRef(ref: string, { key }: Reading, { options }: State): string {
  if (key === undefined || !ref.startsWith('#')) return ref
  return matchDefinition(ref, options.findDefinition) === undefined ? `${key}${ref.slice(1)}` : ref
}

const INHERITED: ReadonlySet<unknown> = new Set(Object.getOwnPropertyNames(Object.prototype))

function noteInherited(keyword: string, value: unknown, state: State): void {
  if (state.namesInherited || typeof value !== 'object' || value === null) return
  const names = keyword === 'required' && isList(value) ? value : Object.keys(value)
  const lists: unknown[] = keyword.startsWith('depend') ? Object.values(value).flat() : []
  state.namesInherited = [...names, ...lists].some((name) => INHERITED.has(name))
}

function assign(draft: Draft, keyword: string, value: unknown): void {
  // Assigning this name would replace the prototype; it is not a keyword anyway.
  if (value !== undefined && keyword !== '__proto__') draft[keyword] = value
}

/** Reads a schema's dialect, 2020-12 when it announces none. */
export function dialectOf(schema: Subschema): Dialect {
  return (typeof schema === 'boolean' ? undefined : readDialect(schema)) ?? '2020-12'
}
