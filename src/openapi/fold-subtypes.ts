import { entriesOf } from '../core/json.ts'
import type { Flat, FlattenContext, Trail } from './flatten.ts'
import { describeVariants, foldObjects } from './fold-objects.ts'
import { type Fold, MAX_MEMBERS } from './folded.ts'
import { asText, read } from './node.ts'

/**
 * Folds the subtypes that a discriminator without alternatives stands for. Each of them includes
 * this very type: they are read along the trail that led here, where including it is no cycle.
 */
export function foldSubtypes(
  flat: Flat,
  trail: Trail | undefined,
  context: FlattenContext,
  place: string,
  fold: Fold,
): readonly string[] {
  const discriminator = flat.keywords['discriminator']
  if (discriminator === undefined || flat.cycle !== undefined) return []
  const owner = ownerOf(flat.trail, discriminator)
  // A subtype inherits the discriminator of its base, but not its siblings.
  const isOwn =
    owner === flat.root || entriesOf(read(owner, 'properties')).length === flat.properties.size
  if (owner === undefined || !isOwn) return []
  const schemas = subtypesOf(owner, discriminator, context)
  const folded = schemas
    .slice(0, MAX_MEMBERS)
    .map((schema) => fold(schema, trail, context, place, 1))
    .filter((subtype) => subtype.type === 'object' && subtype.cycle === undefined)
  const names = new Set(folded.flatMap((subtype) => [...subtype.properties.keys()]))
  if (folded.length === 0) return []
  const fits = schemas.length <= MAX_MEMBERS && names.size <= MAX_MERGED
  flat.open = !fits
  const what = fits
    ? 'are merged into one object'
    : 'are too many to list; their fields are taken as they come'
  context.warn('W101', `subtypes of the schema ${what}`, place)
  return fits ? foldObjects(flat, folded, context, place).notes : describeVariants(folded)
}

/** Fields of a merged object; more than this no model can choose from. */
const MAX_MERGED = 100

function subtypesOf(owner: object, discriminator: unknown, context: FlattenContext): unknown[] {
  const targets = entriesOf(read(discriminator, 'mapping')).flatMap(([, to]) => asText(to) ?? [])
  if (targets.length > 0) return [...new Set(targets)].map(($ref) => ({ $ref }))
  return context.resolver.subtypesOf(owner).map(({ node, name }) => ({
    allOf: [node],
    'x-ms-discriminator-value': read(node, 'x-ms-discriminator-value') ?? name,
  }))
}

/** The schema on the trail that declares the discriminator. */
function ownerOf(trail: Trail | undefined, discriminator: unknown): object | undefined {
  for (let at = trail; at; at = at.above) {
    if (read(at.node, 'discriminator') === discriminator) return at.node
  }
  return undefined
}
