import { isRecord } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import type { FunctionTool } from './catalogue.ts'
import { tagNames } from './tool-filter.ts'

/** Finds tools by words. */
export type Search = (query: string) => readonly FunctionTool[]

/** How much a word counts, by where it stands. */
const WEIGHTS = { name: 8, tag: 4, summary: 3, argument: 2, description: 1 } as const

/** Creates the search over some tools: words of names, tags, summaries, argument names and descriptions. */
export function createSearch(tools: readonly FunctionTool[], service: Service): Search {
  const index = new Map<string, Map<number, number>>()
  for (const [position, tool] of tools.entries()) {
    for (const [word, weight] of weighWords(tool, service)) {
      const places = index.get(word) ?? new Map<number, number>()
      places.set(position, weight)
      index.set(word, places)
    }
  }
  const vocabulary = [...index.keys()]

  return (query) => {
    const scores = new Map<number, number>()
    for (const word of new Set(toWords(query))) {
      for (const [position, score] of scoreWord(word, index, vocabulary, tools.length)) {
        scores.set(position, (scores.get(position) ?? 0) + score)
      }
    }
    return [...scores]
      .toSorted(([left, a], [right, b]) => b - a || left - right)
      .flatMap(([position]) => tools[position] ?? [])
  }
}

/** The best a word does in each tool: found as it is, or as the beginning of a longer one. */
function scoreWord(
  word: string,
  index: ReadonlyMap<string, ReadonlyMap<number, number>>,
  vocabulary: readonly string[],
  total: number,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>()
  const similar = word.length < 3 ? [] : vocabulary.filter((other) => other.startsWith(word))
  for (const candidate of new Set([word, ...similar])) {
    const places = index.get(candidate)
    if (places === undefined) continue
    // A word that many tools have says little about any of them.
    const rarity = Math.log(1 + total / places.size)
    const closeness = word.length / candidate.length
    for (const [position, weight] of places) {
      best.set(position, Math.max(best.get(position) ?? 0, weight * rarity * closeness))
    }
  }
  return best
}

function weighWords(tool: FunctionTool, service: Service): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const add = (text: string | undefined, weight: number): void => {
    for (const word of toWords(text ?? '')) {
      weights.set(word, Math.max(weights.get(word) ?? 0, weight))
    }
  }
  const { name, definition, inputSchema } = tool.target
  add(definition.description, WEIGHTS.description)
  const { properties } = inputSchema
  for (const argument of isRecord(properties) ? Object.keys(properties) : []) {
    add(argument, WEIGHTS.argument)
  }
  add(definition.summary, WEIGHTS.summary)
  for (const tag of tagNames(tool.target, service)) add(tag, WEIGHTS.tag)
  add(name, WEIGHTS.name)
  add(tool.name, WEIGHTS.name)
  return weights
}

/** Cuts text into lower-case words; `createOrder` and `create_order` are two words each. */
function toWords(text: string): readonly string[] {
  return text
    .slice(0, 4_000)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(toStem)
}

/** Plural and singular are one word to whoever searches. */
function toStem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
