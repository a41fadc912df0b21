import { isAdmitted, perView, type Service, type View, viewOf } from '../../../core/index.ts'
import { toStandaloneFunction } from '../../../discovery/index.ts'
import { didYouMean, isRecord, type JsonObject, type Maybe } from '../../../values/index.ts'
import { readObject } from '../decode.ts'
import { encodeAnswer, encodeToolError } from '../encode.ts'
import type { McpEnvironment } from '../environment.ts'
import type { Era, McpExchange } from '../protocol.ts'
import {
  type Catalogue,
  type FunctionTool,
  listTags,
  type OwnTool,
  type TaskSupport,
  toExecution,
} from './catalogue.ts'
import { estimateTokens } from './result.ts'
import { encodeInputSchema } from './schema.ts'

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
  for (const { name: tag, summary, description } of listTags(tool.target, service)) {
    add(description, WEIGHTS.description)
    add(summary, WEIGHTS.tag)
    add(tag, WEIGHTS.tag)
  }
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

type CallByName = (name: string, input: JsonObject, exchange: McpExchange) => Maybe<string>

const MOST_RESULTS = 50
const UNKNOWN = 'There is no tool of this name; find its name with search_tools'

/** Makes the three tools that stand for a catalogue too long to list: search, describe, call. */
export function createSearchTools(
  environment: McpEnvironment,
  call: CallByName,
): readonly OwnTool[] {
  const { catalogue, service, writer } = environment
  const budget = environment.options.searchBudget ?? 4_000
  const searchOf = perView(service.registry, (view) => createSearch(catalogue(view).tools, service))
  const shownTo = ({ principal }: McpExchange) => viewOf(service, principal)
  const answer = (era: Era, text: string) => writer.complete(era, encodeAnswer({ text }))
  const refuse = (era: Era, reason: string) => writer.complete(era, encodeToolError(reason))
  const find = (name: unknown, exchange: McpExchange): FunctionTool | undefined =>
    typeof name === 'string' ? catalogue(shownTo(exchange)).find(name) : undefined

  /** A tool that the caller lacks a scope for is refused with the scope, where callers may know of it. */
  const findCallable = (name: unknown, exchange: McpExchange): FunctionTool | undefined => {
    const tool = typeof name === 'string' ? catalogue().find(name) : undefined
    return tool && isAdmitted(service, exchange.principal, tool.target) ? tool : undefined
  }

  const tools = [
    toOwnTool({
      name: 'search_tools',
      description: `Finds tools of ${service.info.title} by words of their names, descriptions, tags and arguments. Best matches first.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What the tool should do, in a few words' },
          limit: { type: 'integer', minimum: 1, maximum: MOST_RESULTS, default: 10 },
        },
        required: ['query'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
      run(input, exchange) {
        const { era } = exchange
        const { query } = input
        if (typeof query !== 'string') return refuse(era, 'query must be a text')
        const limit = typeof input['limit'] === 'number' ? Math.trunc(input['limit']) : 10
        const view = shownTo(exchange)
        const found = searchOf(view)(query)
        const shown = found.slice(0, Math.min(Math.max(limit, 1), MOST_RESULTS))
        return answer(era, describeFindings(shown, found.length, catalogue(view), budget))
      },
    }),
    toOwnTool({
      name: 'describe_tool',
      description: 'Shows everything about one tool: arguments, result, errors, examples.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string', description: 'Name as search_tools gives it' } },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
      run(input, exchange) {
        const { era } = exchange
        const tool = find(input['name'], exchange)
        if (tool === undefined) return refuse(era, UNKNOWN)
        return answer(era, describe(tool, service, shownTo(exchange)))
      },
    }),
    toOwnTool({
      name: 'call_tool',
      description: 'Calls a tool found with search_tools.',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Name as search_tools gives it' },
          arguments: { type: 'object', description: 'As describe_tool shows them' },
        },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: {},
      // Whether it really can be one depends on the tool it calls.
      taskSupport: environment.tasks && 'optional',
      run(input, exchange) {
        const tool = findCallable(input['name'], exchange)
        if (tool === undefined) return refuse(exchange.era, UNKNOWN)
        return call(tool.name, readObject(input, 'arguments'), exchange)
      },
    }),
  ]
  return tools.map((tool) => ({
    ...tool,
    run(input, exchange) {
      const mistake = findUnknown(tool, input)
      return mistake === undefined ? tool.run(input, exchange) : refuse(exchange.era, mistake)
    },
  }))
}

function findUnknown({ name, known }: ClosedTool, input: JsonObject): string | undefined {
  const unknown = Object.keys(input).find((key) => !known.includes(key))
  if (unknown === undefined) return undefined
  const hint = didYouMean(unknown, known) ?? `it takes ${known.join(', ')}`
  return `${unknown.slice(0, 100)}: is not an argument of ${name}; ${hint}`
}

/** Lists findings until the budget is used up; the first ones matter most. */
function describeFindings(
  shown: readonly FunctionTool[],
  found: number,
  { tools }: Catalogue,
  budget: number,
): string {
  if (shown.length === 0) {
    return `No tool matches. There are ${tools.length}; try other or fewer words.`
  }
  const lines: string[] = []
  let left = budget
  for (const tool of shown) {
    const line = summarise(tool)
    left -= estimateTokens(line)
    if (left < 0 && lines.length > 0) break
    lines.push(line)
  }
  const more = found - lines.length
  const rest = more > 0 ? [`(${more} more match; search with more specific words to see them)`] : []
  return [...lines, ...rest].join('\n')
}

function summarise({ name, target, inputSchema }: FunctionTool): string {
  const { summary, description } = target.definition
  const text = (summary ?? description ?? '').split('\n', 1)[0] ?? ''
  const { properties, required } = inputSchema()
  const needed = new Set(Array.isArray(required) ? required : [])
  const names = Object.keys((properties as JsonObject | undefined) ?? {}).map((argument) =>
    needed.has(argument) ? argument : `${argument}?`,
  )
  return `${name}(${names.join(', ')}): ${text.slice(0, 300)}`
}

function describe({ name, contract }: FunctionTool, service: Service, view: View): string {
  return JSON.stringify({
    tool: name,
    ...toStandaloneFunction(contract, service, new Map(), view),
    inputSchema: encodeInputSchema(
      contract.parameters.schema,
      service.components.schemas ?? {},
      'full',
    ),
  })
}

/** A tool of ours, with the names of its arguments. */
interface ClosedTool extends OwnTool {
  readonly known: readonly string[]
}

interface OwnToolParts {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject & { readonly properties: JsonObject }
  readonly annotations: JsonObject
  readonly taskSupport?: TaskSupport | undefined
  readonly run: OwnTool['run']
}

function toOwnTool({
  name,
  description,
  inputSchema,
  annotations,
  ...parts
}: OwnToolParts): ClosedTool {
  const { run, taskSupport } = parts
  const visible = JSON.stringify({ name, description, inputSchema })
  const json = (era: Era) =>
    JSON.stringify({
      name,
      description,
      inputSchema,
      annotations,
      ...toExecution(era, taskSupport),
    })
  const known = Object.keys(inputSchema.properties)
  return { name, json, visible: () => visible, taskSupport, run, known }
}
