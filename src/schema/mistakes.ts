import { isRecord, toReason, toText } from '../values/index.ts'
import { toRegExp } from './pattern/index.ts'
import { type Definitions, findDanglingRefs } from './reference/definitions.ts'
import type { Problem } from './schema.ts'
import { isSubschema, type Subschema, walkSchema } from './walk/index.ts'

/**
 * Lists what is wrong with a schema itself, as JSON pointers into it: references that lead nowhere,
 * and keywords whose value has a form that would silently switch them off.
 */
export function findSchemaMistakes(
  schema: Subschema,
  definitions: Definitions = {},
): readonly Problem[] {
  const dangling = findDanglingRefs(schema, definitions).map(({ pointer, ref }) => ({
    pointer,
    code: '$ref',
    message: `leads nowhere: ${ref}`,
  }))
  const malformed: Problem[] = []
  walkSchema(schema, (keyword, value, pointer) => {
    const form = FORMS.get(keyword)
    if (form && !form.fits(value)) malformed.push({ pointer, code: keyword, message: form.message })
  })
  return [...malformed, ...dangling]
}

/** Throws a TypeError when a pattern of the schema is not a regular expression. */
export function assertPatterns(schema: Subschema): void {
  if (!mentionsPattern(schema)) return
  walkSchema(schema, (keyword, value, pointer) => {
    try {
      if (keyword === 'pattern' && typeof value === 'string') toRegExp(value)
      if (keyword === 'patternProperties' && isRecord(value)) Object.keys(value).forEach(toRegExp)
    } catch (thrown) {
      const reason = toReason(thrown)
      throw new TypeError(`the schema is wrong at ${pointer}: ${reason}`, { cause: thrown })
    }
  })
}

/** Lists the patterns of a schema with the pointers of where they stand, those of names included. */
export function listPatterns(
  schema: Subschema,
): readonly { readonly pointer: string; readonly pattern: string }[] {
  if (!mentionsPattern(schema)) return []
  const found: { pointer: string; pattern: string }[] = []
  walkSchema(schema, (keyword, value, pointer) => {
    if (keyword === 'pattern' && typeof value === 'string') found.push({ pointer, pattern: value })
    if (keyword !== 'patternProperties' || !isRecord(value)) return
    for (const pattern of Object.keys(value)) found.push({ pointer, pattern })
  })
  return found
}

/** Most schemas have no pattern; saying so quickly matters when thousands are compiled at start. */
function mentionsPattern(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const key of Object.keys(value)) {
    if (key === 'pattern' || key === 'patternProperties') return true
    if (mentionsPattern((value as Record<string, unknown>)[key])) return true
  }
  return false
}

interface Form {
  readonly message: string
  readonly fits: (value: unknown) => boolean
}

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

const FORMS: ReadonlyMap<string, Form> = new Map([
  ...share(
    'must be a schema',
    isSubschema,
    'additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties',
  ),
  ...share('must be a schema', (value) => isSubschema(value) || isSchemaList(value), 'items'),
  ...share(
    'must be a list of at least one schema',
    (value) => isSchemaList(value) && value.length > 0,
    'allOf anyOf oneOf prefixItems',
  ),
  ...share(
    'must be an object of schemas',
    (value) => isRecord(value) && Object.values(value).every(isSubschema),
    '$defs definitions dependentSchemas properties patternProperties',
  ),
  ...share('must be a number', isNumber, 'exclusiveMaximum exclusiveMinimum maximum minimum'),
  ...share(
    'must be a whole number, 0 or more',
    (value) => Number.isInteger(value) && Number(value) >= 0,
    'maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties',
  ),
  ...share(
    'must be a number greater than 0',
    (value) => isNumber(value) && value > 0,
    'multipleOf',
  ),
  ...share('must be a string', (value) => typeof value === 'string', '$ref format'),
  ...share('must be true or false', (value) => typeof value === 'boolean', 'uniqueItems'),
  ...share('must be a list of values', Array.isArray, 'enum'),
  ...share('must be a list of names', isNameList, 'required'),
  ...share(
    'must be an object of lists of names',
    (value) => isRecord(value) && Object.values(value).every(isNameList),
    'dependentRequired',
  ),
  ...share(`must be one of ${TYPES.join(', ')}, or a list of these`, isTypes, 'type'),
  ...share('must be a regular expression', isPattern, 'pattern'),
])

function share(
  message: string,
  fits: (value: unknown) => boolean,
  keywords: string,
): [string, Form][] {
  return keywords.split(' ').map((keyword) => [keyword, { message, fits }])
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isSchemaList(value: unknown): value is readonly Subschema[] {
  return Array.isArray(value) && value.every(isSubschema)
}

function isTypes(value: unknown): boolean {
  const types = [value].flat()
  return types.length > 0 && types.every((type) => TYPES.includes(toText(type)))
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    return toRegExp(value) instanceof RegExp
  } catch {
    return false
  }
}
