import { isRecord } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { isSubschema, type Subschema } from '../core/schema-keywords.ts'
import { mergeSchemas } from './merge-schemas.ts'
import type { Random } from './random.ts'
import { Unmakeable } from './unmakeable.ts'

/** What choices between schemas depend on. */
export interface FlattenContext {
  readonly random: Random
  /** Prefers what ends soon: schemas may refer to themselves. */
  readonly brief: boolean
  readonly resolve: (reference: string) => Subschema | undefined
  /** How many references were followed without getting any further. */
  readonly follows?: number
}

const MOST_FOLLOWS = 50
const APPLIED = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  '$defs',
  'definitions',
]

/** Takes one way through references and alternatives, and joins what lies on it into one plain schema. */
export function flattenSchema(schema: Subschema, context: FlattenContext): JsonSchema {
  if (schema === false) throw new Unmakeable('the schema accepts nothing')
  if (schema === true) return {}
  const { follows = 0 } = context
  if (follows > MOST_FOLLOWS) throw new Unmakeable('a schema refers to nothing but itself')
  const deeper: FlattenContext = { ...context, follows: follows + 1 }
  let flat: JsonSchema = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !APPLIED.includes(keyword)),
  )
  const apply = (other: unknown) => {
    if (isSubschema(other)) flat = mergeSchemas(flat, flattenSchema(other, deeper))
  }
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = schema[keyword]
    if (typeof reference === 'string') apply(requireTarget(reference, context))
  }
  for (const part of listOf(schema['allOf'])) apply(part)
  for (const keyword of ['oneOf', 'anyOf']) {
    if (Array.isArray(schema[keyword])) flat = applyOne(flat, listOf(schema[keyword]), deeper)
  }
  if (isSubschema(schema['if'])) flat = applyCondition(flat, schema, deeper)
  return flat
}

function requireTarget(reference: string, { resolve }: FlattenContext): Subschema {
  const target = resolve(reference)
  if (target === undefined) throw new Unmakeable(`the reference ${reference} leads nowhere`)
  return target
}

/** Tries alternatives in any order; deep inside, the simplest first. */
function applyOne(
  flat: JsonSchema,
  options: readonly Subschema[],
  context: FlattenContext,
): JsonSchema {
  const mixed = context.random.shuffle(options)
  const ordered = context.brief ? mixed.toSorted((a, b) => weight(a) - weight(b)) : mixed
  let reason = new Unmakeable('there is no alternative')
  for (const option of ordered) {
    try {
      return mergeSchemas(flat, flattenSchema(option, context))
    } catch (thrown) {
      if (!(thrown instanceof Unmakeable)) throw thrown
      reason = thrown
    }
  }
  throw reason
}

function applyCondition(flat: JsonSchema, schema: JsonSchema, context: FlattenContext): JsonSchema {
  const met = (): JsonSchema => {
    const condition = flattenSchema(schema['if'] as Subschema, context)
    const then = isSubschema(schema['then']) ? flattenSchema(schema['then'], context) : {}
    // Members the condition only mentions have to be there, or it would be met by their absence alone.
    return mergeSchemas(mergeSchemas(flat, condition), then)
  }
  const unmet = (): JsonSchema =>
    isSubschema(schema['else']) ? mergeSchemas(flat, flattenSchema(schema['else'], context)) : flat
  const ways = context.random.shuffle([met, unmet])
  try {
    return ways[0]?.() ?? flat
  } catch (thrown) {
    if (!(thrown instanceof Unmakeable)) throw thrown
    return ways[1]?.() ?? flat
  }
}

function weight(schema: Subschema): number {
  if (!isRecord(schema)) return 3
  if ('const' in schema || 'enum' in schema || schema['type'] === 'null') return 0
  const { type } = schema
  if (typeof type === 'string' && type !== 'object' && type !== 'array') return 1
  return '$ref' in schema || 'properties' in schema || 'items' in schema ? 4 : 2
}

function listOf(value: unknown): readonly Subschema[] {
  return Array.isArray(value) ? value.filter(isSubschema) : []
}
