import type { DescriptionKind } from './change.ts'
import type { RuleId } from './rules.ts'

/** A schema with its place; `base` is the schema whose own definitions it may refer to. */
export interface SchemaAt {
  readonly schema: unknown
  readonly pointer: string
  readonly base?: unknown
}

/** The rules that apply when a facet comes, goes or changes; absent means that nobody cares. */
export interface FacetRules {
  readonly added?: RuleId
  readonly removed?: RuleId
  readonly changed?: RuleId
  /** For numbers, in place of `changed`. */
  readonly lowered?: RuleId
  readonly raised?: RuleId
}

/** Anything that is compared as a whole: an error code, a filter, a server, a word of documentation. */
export interface Facet {
  readonly rules: FacetRules
  /** What it is called in messages. */
  readonly label: string
  /** What is compared. */
  readonly value: unknown
  readonly pointer: string
}

/** Facets by what identifies them. */
export type Facets = ReadonlyMap<string, Facet>

/** One input of a function. */
export interface DescribedInput extends SchemaAt {
  /** Another form of an input that is there; that it comes or goes is said by its media type. */
  readonly isVariant?: boolean
  readonly required: boolean
  readonly deprecated: boolean
  /** Where and how it travels. */
  readonly facets: Facets
}

/** One version of a function, whatever kind of description it comes from. */
export interface DescribedFunction {
  /** What callers know it by. */
  readonly name: string
  readonly version: string | undefined
  readonly pointer: string
  readonly inputs: ReadonlyMap<string, DescribedInput>
  /** Schemas of what comes out, by a label such as `result` or `200 application/json`. */
  readonly outputs: ReadonlyMap<string, SchemaAt>
  /** Undefined when the description does not say whether it changes anything. */
  readonly sideEffects: ReadonlyMap<string, string> | undefined
  readonly facets: Facets
}

/** A description in the one form that is compared. */
export interface DescribedService {
  readonly kind: DescriptionKind
  readonly version: string | undefined
  readonly document: unknown
  readonly functions: readonly DescribedFunction[]
  readonly facets: Facets
}

/** Collects facets; the first of two with the same identity counts. */
export interface FacetCollector {
  readonly add: (id: string, facet: Facet) => void
  /** Adds one facet per text of a list. */
  readonly addList: (
    group: string,
    values: unknown,
    facet: { readonly rules: FacetRules; readonly label: string; readonly pointer: string },
  ) => void
  readonly facets: () => Facets
}

/** Creates an empty collector. */
export function createFacets(): FacetCollector {
  const facets = new Map<string, Facet>()
  const add: FacetCollector['add'] = (id, facet) => {
    if (facet.value !== undefined && !facets.has(id)) facets.set(id, facet)
  }
  return {
    add,
    addList: (group, values, { rules, label, pointer }) => {
      for (const [index, value] of (Array.isArray(values) ? values : []).entries()) {
        if (typeof value !== 'string') continue
        add(`${group}\u0000${value}`, {
          rules,
          label: `${label} "${value}"`,
          value: true,
          pointer: `${pointer}/${index}`,
        })
      }
    },
    facets: () => facets,
  }
}
