import { eachReference, type SchemaAt } from '../../schema/index.ts'
import { asList, formatPointer } from '../../values/index.ts'
import type { RuleId } from './rules.ts'

/** Whom a change breaks: callers, implementers, or neither; `docs` changes no behaviour at all. */
export type ChangeClass = 'breaking' | 'implementer' | 'compatible' | 'docs'

/** The classes, worst first. */
export const CLASSES: readonly ChangeClass[] = ['breaking', 'implementer', 'compatible', 'docs']

/** One difference between two descriptions. */
export interface Change {
  readonly rule: RuleId
  readonly class: ChangeClass
  /** What changed, in a sentence. */
  readonly message: string
  /** Why it belongs to its class, in a sentence. */
  readonly reason: string
  /** Functions it affects, as `name version`; empty for changes of the whole description. */
  readonly functions: readonly string[]
  /** Where it was, as a JSON Pointer into the old document; in another document, `shared.yaml#/Order`. */
  readonly oldPointer?: string
  /** Where it is, as a JSON Pointer into the new document. */
  readonly newPointer?: string
}

/** A step of a semantic version. */
export type Step = 'none' | 'patch' | 'minor' | 'major'

/** What the changes of one function, or of a whole document, mean for its version. */
export interface VersionStep {
  /** Absent for the document itself. */
  readonly function?: string
  readonly from: string | undefined
  readonly to: string | undefined
  /** What its changes call for. */
  readonly needs: Step
  /** What was declared. */
  readonly declared: Step
  readonly enough: boolean
}

/** The kinds of description that can be compared. */
export type DescriptionKind = 'discovery' | 'openapi' | 'tool-spec'

/** Everything that differs between two descriptions, worst first. */
export interface DiffReport {
  readonly kind: DescriptionKind
  readonly changes: readonly Change[]
  readonly steps: readonly VersionStep[]
  readonly counts: Readonly<Record<ChangeClass, number>>
}

/** Finds the other documents that a description refers to, each with the first place that does. */
export function findUnreadReferences(description: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  eachReference(description, (ref, path) => {
    const [address = ''] = ref.split('#', 1)
    if (address !== '' && !found.has(address)) found.set(address, formatPointer(path()))
  })
  return found
}

/** The rules that apply when a facet comes, goes or changes; an absent one means that it does not matter. */
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

/** What comes and goes under two rules that are named alike. */
type Comer =
  | ('auth' | 'auth-option' | 'error' | 'extension' | 'link' | 'response' | 'scope' | 'server')
  | ('field' | 'filter' | 'operator' | 'pagination' | 'relationship' | 'sort')
  | ('request-type' | 'response-type' | 'simulation' | 'trigger')

/** Names the rules of something that may come and go: `filter-added` and `filter-removed`. */
export function comesAndGoes(noun: Comer): FacetRules {
  return { added: `${noun}-added`, removed: `${noun}-removed` }
}

/** Applies one rule, whatever becomes of a facet. */
export function anyChange(rule: RuleId): FacetRules {
  return { added: rule, removed: rule, changed: rule }
}

/** Collects facets; the first of two with the same identity counts, and one without a value is none. */
export interface FacetCollector {
  readonly add: (id: string, label: string, rules: FacetRules, at: FacetValue) => void
  /** Adds one facet per text of a list. */
  readonly addList: (group: string, label: string, rules: FacetRules, at: FacetValue) => void
  readonly facets: Facets
}

/** What a facet says, and where. */
type FacetValue = Pick<Facet, 'value' | 'pointer'>

/** Creates an empty collector. */
export function createFacets(): FacetCollector {
  const facets = new Map<string, Facet>()
  const add: FacetCollector['add'] = (id, label, rules, at) => {
    if (at.value !== undefined && !facets.has(id)) facets.set(id, { rules, label, ...at })
  }
  return {
    facets,
    add,
    addList(group, label, rules, { value: values, pointer }) {
      for (const [index, value] of asList(values).entries()) {
        if (typeof value !== 'string') continue
        const at = { value: true, pointer: `${pointer}/${index}` }
        add(`${group}\u0000${value}`, `${label} "${value}"`, rules, at)
      }
    },
  }
}

/** What every kind of description says about a function in words. */
export interface FunctionWords {
  readonly text: unknown
  /** Where the text is, below the function. */
  readonly textAt?: string
  readonly tags: unknown
  readonly isDeprecated: boolean
}

/** Adds the words about a function, its tags, and whether it is deprecated. */
export function addWords(
  { text, textAt = '', tags, isDeprecated }: FunctionWords,
  pointer: string,
  { add }: FacetCollector,
): void {
  const deprecation = { added: 'function-deprecated', removed: 'function-undeprecated' } as const
  const at = (value: unknown, place: string) => ({ value, pointer: `${pointer}${place}` })
  add('docs', 'the description', { changed: 'docs-changed' }, at(text, textAt))
  add('tags', 'the tags', { changed: 'tag-changed' }, at(tags ?? [], '/tags'))
  add('deprecated', 'the deprecation', deprecation, at(isDeprecated || undefined, '/deprecated'))
}
