import {
  compileSchema,
  createSchemaFinder,
  isChoice,
  isSubschema,
  type JsonSchema,
  readDialect,
  requireAll,
  type Subschema,
  to202012,
  toPlainSchema,
  Unsatisfiable,
} from '../../schema/index.ts'
import { asList, isList, isRecord, ownMember, toText } from '../../values/index.ts'
import { makeNumber } from './number.ts'
import { makeObject } from './object.ts'
import { createRandom, numberOf, type Random } from './random.ts'
import { makeText, speaksOfText } from './text.ts'

/** How one part of a value is made. */
export interface MakeContext {
  readonly random: Random
  /** What the part is called. */
  readonly name: string
  readonly depth: number
  /** Whether members that may be absent are made as well. */
  readonly rich: boolean
  /** Whether examples and defaults of the schema are used as they stand. */
  readonly examples: boolean
  readonly make: (schema: Subschema, context: MakeContext) => unknown
}

const USUAL_LENGTH = 2
const BRIEF_DEPTH = 4
const TRIES = 30

/** Makes a list that a plain schema accepts. */
export function makeArray(schema: JsonSchema, context: MakeContext): readonly unknown[] {
  const prefix = asList(schema['prefixItems']).filter(isSubschema)
  const rest = schema['items'] ?? schema['unevaluatedItems'] ?? true
  const wanted = toLength(schema, prefix.length, rest === false, context)
  const contains = isSubschema(schema['contains']) ? schema['contains'] : undefined
  const containing = contains === undefined ? 0 : numberOf(schema['minContains'], 1)
  const made: unknown[] = []
  const seen = schema['uniqueItems'] === true ? new Set<string>() : undefined
  const least = Math.max(numberOf(schema['minItems'], 0), containing)
  for (let index = 0; index < Math.max(wanted, containing); index += 1) {
    const own = prefix[index] ?? (isSubschema(rest) ? rest : true)
    // The first free places hold what the list must contain.
    const part = contains !== undefined && index < containing ? joined(own, contains) : own
    const item = makeItem(part, seen, context, index < least)
    if (item === undefined) break
    made.push(item.value)
  }
  return made
}

function toLength(
  schema: JsonSchema,
  prefix: number,
  closed: boolean,
  { depth, rich, random }: MakeContext,
): number {
  const least = numberOf(schema['minItems'], 0)
  const room = closed ? prefix : Number.POSITIVE_INFINITY
  const most = Math.min(numberOf(schema['maxItems'], Number.POSITIVE_INFINITY), room)
  if (least > most) throw new Unsatisfiable(`a list of ${least} items has no room`)
  const brief = depth >= BRIEF_DEPTH || !rich
  const usual = brief ? least : Math.max(prefix, random.whole(1, USUAL_LENGTH))
  return Math.min(Math.max(least, usual), most)
}

function joined(own: Subschema, other: Subschema): Subschema {
  return own === true ? other : (requireAll([own, other]) as Subschema)
}

/** Gives undefined for an item that the list can do without and that could not be made. */
function makeItem(
  part: Subschema,
  seen: Set<string> | undefined,
  context: MakeContext,
  needed: boolean,
): { readonly value: unknown } | undefined {
  const unique = seen !== undefined
  for (let attempt = 0; attempt < (unique ? TRIES : 1); attempt += 1) {
    try {
      // Examples of the schema would be the same item again and again.
      const examples = context.examples && !unique
      const value = context.make(part, { ...context, examples, depth: context.depth + 1 })
      const key = JSON.stringify(value)
      if (seen?.has(key)) continue
      seen?.add(key)
      return { value }
    } catch (thrown) {
      if (!(thrown instanceof Unsatisfiable)) throw thrown
      if (needed) throw thrown
      return undefined
    }
  }
  if (needed) throw new Unsatisfiable('there are not enough different items')
  return undefined
}

/** Makes values that one schema accepts. */
export interface ValueMaker {
  /** Makes a value; the same seed gives the same one. Throws an Unsatisfiable that says why there is none. */
  readonly make: (seed: string) => unknown
  /** Tells whether the schema accepts a value. */
  readonly accepts: (value: unknown) => boolean
}

/** What a schema may refer to. */
export interface ValueMakerOptions {
  readonly schemas?: Readonly<Record<string, JsonSchema>>
}

const ATTEMPTS = 24
const LOCAL_ATTEMPTS = 6
/** From here on only what must be there is made. */
const VALUE_BRIEF_DEPTH = 5
const DEEPEST = 40
const MOST_PARTS = 20_000

/** Creates what makes values for a schema, of draft 7 (announced) or 2020-12. */
export function createValueMaker(
  given: Subschema,
  { schemas = {} }: ValueMakerOptions = {},
): ValueMaker {
  const schema = isRecord(given) && readDialect(given) === 'draft-07' ? to202012(given) : given
  const check = compileSchema(schema, { components: { schemas } })
  const resolve = createSchemaFinder(schema, schemas)
  let parts = 0

  const makePart = (part: Subschema, context: MakeContext): unknown => {
    parts += 1
    if (context.depth > DEEPEST || parts > MOST_PARTS)
      throw new Unsatisfiable('the schema never ends')
    const choices = isRecord(part) && Object.keys(part).some(isChoosing)
    let reason: unknown
    for (let attempt = 0; attempt < (choices ? LOCAL_ATTEMPTS : 1); attempt += 1) {
      try {
        const brief = context.depth >= VALUE_BRIEF_DEPTH || !context.rich
        const { shuffle } = context.random
        const flat = toPlainSchema(part, { shuffle, brief, resolve })
        return makePlain(flat, context)
      } catch (thrown) {
        if (!(thrown instanceof Unsatisfiable)) throw thrown
        reason = thrown
      }
    }
    throw reason
  }

  return {
    accepts: (value) => check(value).ok,
    make(seed) {
      let reason: string | undefined
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        parts = 0
        const context: MakeContext = {
          random: createRandom(`${seed}/${attempt}`),
          name: '',
          depth: 0,
          rich: attempt < ATTEMPTS / 2,
          examples: attempt < 2,
          make: makePart,
        }
        const made = attemptPart(schema, context)
        if ('value' in made && check(made.value).ok) return made.value
        reason ??= 'reason' in made ? made.reason : explain(check(made.value))
      }
      throw new Unsatisfiable(reason ?? 'no value could be made')
    },
  }
}

/** Keywords with several ways through them: where one fails another may do. */
function isChoosing(keyword: string): boolean {
  return isChoice(keyword) || keyword === 'if' || keyword === 'type'
}

function attemptPart(
  schema: Subschema,
  context: MakeContext,
): { readonly value: unknown } | { readonly reason: string } {
  try {
    return { value: context.make(schema, context) }
  } catch (thrown) {
    if (thrown instanceof Unsatisfiable || thrown instanceof RangeError)
      return { reason: thrown.message }
    throw thrown
  }
}

function explain(checked: ReturnType<ReturnType<typeof compileSchema>>): string {
  if (checked.ok) return ''
  const [{ pointer, message }] = checked.problems
  return `what was made is refused at "${pointer}": ${message}`
}

function makePlain(schema: JsonSchema, context: MakeContext): unknown {
  const { random, name } = context
  if ('const' in schema) return schema['const']
  const choices = schema['enum']
  if (Array.isArray(choices)) {
    const [first, ...rest] = filterByType(choices, schema)
    if (rest.length === 0 && first === undefined) throw new Unsatisfiable('enum allows nothing')
    return random.pick([first, ...rest])
  }
  const example = context.examples ? findExample(schema) : undefined
  if (example !== undefined) return example
  switch (pickType(schema, random)) {
    case 'object':
      return makeObject(schema, context)
    case 'array':
      return makeArray(schema, context)
    case 'number':
      return makeNumber(schema, random, false)
    case 'integer':
      return makeNumber(schema, random, true)
    case 'boolean':
      return random.next() < 0.5
    case 'null':
      return null
    default:
      return makeText(schema, random, name)
  }
}

function findExample(schema: JsonSchema): unknown {
  const { examples, example } = schema
  const [first] = isList(examples) ? examples : [example ?? schema['default']]
  return first === null ? undefined : first
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
}

function filterByType(values: readonly unknown[], { type }: JsonSchema): readonly unknown[] {
  if (type === undefined) return values
  const allowed = [type].flat().filter((one) => typeof one === 'string')
  return values.filter((value) => allowed.some((one) => ownMember(TYPES, one)?.(value)))
}

const OBJECT = [
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'patternProperties',
]
const ARRAY = ['items', 'prefixItems', 'contains', 'minItems', 'uniqueItems']
const NUMBER = ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']

/** Null is a way to say nothing; it is only chosen where nothing else is left. */
function pickType(schema: JsonSchema, random: Random): string {
  const { type } = schema
  const types = type === undefined ? [] : [type].flat().map(toText)
  const [first, ...rest] = types.filter((one) => one !== 'null')
  if (first !== undefined) return random.pick([first, ...rest])
  if (types.includes('null')) return 'null'
  const speaks = (keywords: readonly string[]) => keywords.some((keyword) => keyword in schema)
  if (speaks(OBJECT)) return 'object'
  if (speaks(ARRAY)) return 'array'
  if (speaks(NUMBER)) return 'number'
  return speaksOfText(schema) ? 'string' : 'any'
}
