import { isRecord } from '../../src/values/json.ts'
import { createChance } from './chance.ts'
import { MUTATIONS } from './mutations.ts'
import { render } from './render.ts'
import { findSites, type Node, slice } from './sites.ts'

/** A document made from a real one, and how. */
export interface Mutant {
  readonly text: string
  /** What was done to it, in order. */
  readonly steps: readonly string[]
  /** How it was written. */
  readonly how: string
}

/** Makes a mutant of a document: a few of its paths, changed in a few places; the seed decides all. */
export function makeMutant(document: Node, seed: number): Mutant {
  const chance = createChance(seed)
  const paths = Object.keys(isRecord(document['paths']) ? document['paths'] : {})
  const count = Math.min(paths.length, 1 + chance.below(5))
  const small = slice(
    document,
    Array.from({ length: count }, () => chance.pick(paths)),
  )
  const steps: string[] = []
  const rounds = 1 + chance.below(12)
  for (let round = 0; round < rounds; round++) {
    const mutation = chance.pick(MUTATIONS)
    const sites = findSites(small)[mutation.at]
    if (sites.length === 0) continue
    const site = chance.pick(sites)
    mutation.apply({ site, document: small, chance })
    steps.push(`${mutation.name} at ${site.key.slice(0, 40)}`)
  }
  return { ...render(small, chance), steps }
}
