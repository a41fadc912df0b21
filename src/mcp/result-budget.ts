import { isRecord, type JsonObject } from '../core/json.ts'
import type { Target } from '../core/target.ts'
import type { ToolAnswer } from './encode.ts'
import { charactersIn, estimateTokens } from './token-cost.ts'

/** A result after it was made to fit. */
export type Fitted =
  | { readonly fits: true; readonly answer: ToolAnswer; readonly note?: string }
  /** What is left does not have the promised shape any more. */
  | { readonly fits: false; readonly text: string }

/** Arguments by which callers usually ask for less. */
const NARROWING =
  /^(limit|count|size|page|page_size|pagesize|per_page|perpage|max|max_results|maxresults|top|take|first|cursor|offset|after|fields|select|filter|filters|query|pagination)$/i

/** Cuts a result that costs a model more tokens than allowed, and says how to ask for less. */
export function fitResult(
  answer: ToolAnswer,
  budget: number,
  target: Target,
  inputSchema: JsonObject,
): Fitted {
  const { text } = answer
  // Pictures and files are counted differently by every model; blocks made by hand stay as they are.
  if (text === undefined || estimateTokens(text) <= budget) return { fits: true, answer }
  const advice = describeNarrowing(target, inputSchema)
  const allowed = charactersIn(budget)
  const shortened = answer.structured === undefined ? undefined : dropItems(text, allowed)
  if (shortened !== undefined) {
    const note = `Only ${shortened.kept} of ${shortened.total} items of "${shortened.path}" are shown: the whole result is about ${estimateTokens(text)} tokens, more than the ${budget} allowed. ${advice}`
    const json = JSON.stringify(shortened.value)
    return { fits: true, answer: { text: json, structured: json }, note }
  }
  const note = `[Cut: the call succeeded, but its result is about ${estimateTokens(text)} tokens, more than the ${budget} allowed. ${advice}]`
  const cut = `${text.slice(0, allowed)}\n${note}`
  return answer.structured === undefined
    ? { fits: true, answer: { text: cut } }
    : { fits: false, text: cut }
}

interface Shortened {
  readonly value: unknown
  readonly path: string
  readonly kept: number
  readonly total: number
}

/** Drops items from the end of the longest list, which leaves the shape of the result as it was. */
function dropItems(json: string, allowed: number): Shortened | undefined {
  const value: unknown = JSON.parse(json)
  const longest = findLongestList(value, [])
  if (longest === undefined) return undefined
  const { list, path } = longest
  const sizes = list.map((item) => JSON.stringify(item)?.length ?? 4)
  let left = allowed - (json.length - sizes.reduce((sum, size) => sum + size + 1, 0))
  let kept = 0
  for (const size of sizes) {
    left -= size + 1
    if (left < 0) break
    kept += 1
  }
  if (kept === 0) return undefined
  return {
    value: replaceAt(value, path, list.slice(0, kept)),
    path: path.join('.') || 'result',
    kept,
    total: list.length,
  }
}

interface Located {
  readonly list: readonly unknown[]
  readonly path: readonly string[]
  readonly size: number
}

function findLongestList(value: unknown, path: readonly string[]): Located | undefined {
  if (Array.isArray(value)) return { list: value, path, size: JSON.stringify(value).length }
  if (!isRecord(value) || path.length > 4) return undefined
  return Object.entries(value)
    .flatMap(([key, inner]) => findLongestList(inner, [...path, key]) ?? [])
    .reduce<Located | undefined>(
      (best, found) => (best === undefined || found.size > best.size ? found : best),
      undefined,
    )
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  const record = value as Record<string, unknown>
  return { ...record, [key]: replaceAt(record[key], rest, replacement) }
}

function describeNarrowing({ definition }: Target, { properties }: JsonObject): string {
  const names = isRecord(properties)
    ? Object.keys(properties).filter((name) => NARROWING.test(name))
    : []
  const query = definition.query && Object.keys(definition.query).join(', ')
  if (names.length > 0) return `Ask for less with ${names.join(', ')}.`
  return query === undefined ? 'Ask for something more specific.' : `Ask for less with ${query}.`
}
