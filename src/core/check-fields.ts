import type { Refuse } from './check-definition.ts'
import type { FunctionDefinition } from './function.ts'
import { didYouMean } from './suggest.ts'
import { toText } from './text.ts'

/** Every field of a definition, so that a misspelt one can be told from one that somebody adds for themselves. */
const FIELDS: Readonly<Record<keyof FunctionDefinition, true>> = {
  name: true,
  version: true,
  stability: true,
  summary: true,
  description: true,
  input: true,
  unknownArguments: true,
  output: true,
  item: true,
  arguments: true,
  result: true,
  errors: true,
  tags: true,
  links: true,
  examples: true,
  query: true,
  sideEffects: true,
  readOnly: true,
  writes: true,
  deprecated: true,
  discoverable: true,
  simulations: true,
  extensions: true,
  accepts: true,
  externalDocs: true,
  capability: true,
  health: true,
  dryRun: true,
  imported: true,
  nullMeansAbsent: true,
  handler: true,
}
const NAMES = Object.keys(FIELDS)
const EFFECTS = ['create', 'update', 'delete']

/** Refuses what a compiler would have found, for definitions that no compiler has seen. */
export function checkFields(definition: FunctionDefinition, refuse: Refuse): void {
  for (const field of Object.keys(definition)) {
    if (Object.hasOwn(FIELDS, field)) continue
    const hint = didYouMean(field, NAMES)
    if (hint !== undefined) refuse(field, `is no field of a function; ${hint}`)
  }
  const { writes } = definition
  if (writes === undefined) return
  if (!Array.isArray(writes)) refuse('writes', "must be a list such as ['create']")
  for (const [index, effect] of writes.entries()) {
    if (EFFECTS.some((known) => known === effect)) continue
    const hint = didYouMean(effect, EFFECTS) ?? 'sideEffects takes any other word'
    refuse(
      `writes[${index}]`,
      `must be one of ${EFFECTS.join(', ')}; got "${toText(effect)}"; ${hint}`,
    )
  }
}
