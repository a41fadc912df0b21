import type { JsonSchema } from '../core/schema.ts'
import { isSubschema, type Subschema } from '../core/schema-keywords.ts'
import type { MakeContext } from './make-context.ts'
import { Unmakeable } from './unmakeable.ts'

const USUAL_LENGTH = 2
const BRIEF_DEPTH = 4
const TRIES = 30

/** Makes a list that a plain schema accepts. */
export function makeArray(schema: JsonSchema, context: MakeContext): readonly unknown[] {
  const prefix = Array.isArray(schema['prefixItems'])
    ? schema['prefixItems'].filter(isSubschema)
    : []
  const rest = schema['items'] ?? schema['unevaluatedItems'] ?? true
  const wanted = toLength(schema, prefix.length, rest === false, context)
  const contains = isSubschema(schema['contains']) ? schema['contains'] : undefined
  const containing = contains === undefined ? 0 : numberOf(schema['minContains'], 1)
  const made: unknown[] = []
  const seen = new Set<string>()
  for (let index = 0; index < Math.max(wanted, containing); index += 1) {
    const own = prefix[index] ?? (isSubschema(rest) ? rest : true)
    // The first free places hold what the list must contain.
    const part = contains !== undefined && index < containing ? joined(own, contains) : own
    const item = makeItem(part, {
      schema,
      seen,
      context,
      needed: index < leastOf(schema, containing),
    })
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
  if (least > most) throw new Unmakeable(`a list of ${least} items has no room`)
  const brief = depth >= BRIEF_DEPTH || !rich
  const usual = brief ? least : Math.max(prefix, random.whole(1, USUAL_LENGTH))
  return Math.min(Math.max(least, usual), most)
}

function leastOf(schema: JsonSchema, containing: number): number {
  return Math.max(numberOf(schema['minItems'], 0), containing)
}

function joined(own: Subschema, other: Subschema): Subschema {
  return own === true ? other : { allOf: [own, other] }
}

interface ItemPlace {
  readonly schema: JsonSchema
  readonly seen: Set<string>
  readonly context: MakeContext
  readonly needed: boolean
}

/** Gives undefined for an item that the list can do without and that could not be made. */
function makeItem(
  part: Subschema,
  { schema, seen, context, needed }: ItemPlace,
): { readonly value: unknown } | undefined {
  const unique = schema['uniqueItems'] === true
  for (let attempt = 0; attempt < (unique ? TRIES : 1); attempt += 1) {
    try {
      // Examples of the schema would be the same item again and again.
      const examples = context.examples && !unique
      const value = context.make(part, { ...context, examples, depth: context.depth + 1 })
      const key = JSON.stringify(value)
      if (unique && seen.has(key)) continue
      seen.add(key)
      return { value }
    } catch (thrown) {
      if (!(thrown instanceof Unmakeable)) throw thrown
      if (needed) throw thrown
      return undefined
    }
  }
  if (needed) throw new Unmakeable('there are not enough different items')
  return undefined
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
