import {
  type Contract,
  createContracts,
  type Parameters,
  selectDefault,
  toPinnedToolName,
} from '../../../contract/index.ts'
import {
  EVERYTHING,
  type FunctionEntry,
  isDiscoverable,
  perView,
  resolveReference,
  type Service,
  type Tag,
  type Target,
  TOOL_NAME,
  toToolName,
  type View,
} from '../../../core/index.ts'
import { describesObject } from '../../../schema/index.ts'
import { type JsonObject, type Maybe, once } from '../../../values/index.ts'
import { findHeaderParameters, type HeaderParameter } from '../http/modern.ts'
import { type Era, type McpExchange, OWN_META } from '../protocol.ts'
import { encodeInputSchema, encodeOutputSchema, type SchemaStyle } from './schema.ts'

/** Picks functions; one match is enough. */
export interface ToolSelection {
  readonly tags?: readonly string[]
  /** Beginnings of function names: `orders.` */
  readonly prefixes?: readonly string[]
  /** Declared side effects; `none` for functions without any, `unknown` for functions that do not say. */
  readonly sideEffects?: readonly string[]
}

/** Which functions become tools. */
export interface ToolFilter {
  /** Only these; all when absent. */
  readonly only?: ToolSelection
  /** All but these. */
  readonly except?: ToolSelection
}

/** Creates the check that decides whether a function becomes a tool. */
export function createToolFilter(
  service: Service,
  { only, except }: ToolFilter,
): (target: Target) => boolean {
  const wanted = only && toMatcher(service, only)
  const unwanted = except && toMatcher(service, except)
  return (target) => (wanted?.(target) ?? true) && !unwanted?.(target)
}

/** Reads selections as the command line writes them: `tag:orders`, `prefix:orders.`, `effect:delete`. */
export function parseToolSelection(texts: readonly string[]): ToolSelection {
  const lists: Record<'tags' | 'prefixes' | 'sideEffects', string[]> = {
    tags: [],
    prefixes: [],
    sideEffects: [],
  }
  for (const text of texts) {
    const [, kind = '', value = ''] = /^(tag|prefix|effect):(.+)$/.exec(text) ?? []
    const list = lists[KINDS[kind] ?? 'tags']
    if (kind === '') {
      throw new TypeError(`"${text}" must be tag:NAME, prefix:TEXT or effect:NAME`)
    }
    list.push(value)
  }
  return lists
}

const KINDS: Readonly<Record<string, 'tags' | 'prefixes' | 'sideEffects'>> = {
  tag: 'tags',
  prefix: 'prefixes',
  effect: 'sideEffects',
}

/** Lists the tags of a function. */
export function listTags(target: Target, service: Service): readonly Tag[] {
  return (target.definition.tags ?? []).flatMap(
    (tag) => resolveReference<Tag>(tag, service.components, 'tags') ?? [],
  )
}

function toMatcher(service: Service, selection: ToolSelection): (target: Target) => boolean {
  const tags = new Set(selection.tags)
  const effects = new Set(selection.sideEffects)
  const prefixes = selection.prefixes ?? []
  return (target) =>
    prefixes.some((prefix) => target.name.startsWith(prefix)) ||
    effectNames(target).some((effect) => effects.has(effect)) ||
    (tags.size > 0 && listTags(target, service).some(({ name }) => tags.has(name)))
}

function effectNames({ sideEffects }: Target): readonly string[] {
  if (sideEffects === undefined) return ['unknown']
  return sideEffects.length === 0 ? ['none'] : sideEffects
}

/** What makes a task out of a call that has begun: time, or the handler itself. */
export interface Promotion {
  /** Asks for a task and waits until there is one, or none will come. */
  readonly ask: () => Promise<void>
  readonly asked: Promise<void>
  /** Lets whoever asked go on. */
  readonly refuse: () => void
}

/** Creates what decides whether a call becomes a task. */
export function createPromotion(): Promotion {
  let wish: (() => void) | undefined
  let answer: (() => void) | undefined
  let asked: Promise<void> | undefined
  let answered: Promise<void> | undefined
  let settled = false
  return {
    get asked() {
      asked ??= new Promise((resolve) => {
        wish = resolve
      })
      return asked
    },
    ask() {
      if (settled) return Promise.resolve()
      answered ??= new Promise((resolve) => {
        answer = resolve
      })
      wish?.()
      return answered
    },
    refuse() {
      settled = true
      answer?.()
    },
  }
}

/** Something an agent can call. */
export interface McpTool {
  readonly name: string
  /** The entry of `tools/list`. */
  readonly json: (era: Era) => string
  readonly taskSupport: TaskSupport | undefined
  /** What a model reads of it: name, description and arguments. */
  readonly visible: () => string
}

/** A tool that stands for a function. */
export interface FunctionTool extends McpTool {
  readonly target: Target
  readonly contract: Contract
  readonly inputSchema: () => JsonObject
  /** Sorts what a client gave into arguments and query; absent when all of it is arguments. */
  readonly split: Parameters['split']
  /** Tells whether the list promises the shape of the result. */
  readonly described: boolean
  /** Arguments that clients repeat in HTTP headers. */
  readonly headerParameters: () => readonly HeaderParameter[]
}

/** A tool of the surface itself. */
export interface OwnTool extends McpTool {
  readonly run: (input: JsonObject, exchange: McpExchange) => Maybe<string>
}

/** All functions that agents may call, at one moment. */
export interface Catalogue {
  readonly revision: number
  readonly tools: readonly FunctionTool[]
  readonly find: (name: string) => FunctionTool | undefined
}

/** Whether a tool may, or must, be called as a task; absent where it cannot be. */
export type TaskSupport = 'optional' | 'required'

/** How functions become tools. */
export interface CatalogueOptions extends ToolFilter {
  /** Gives a tool another name than the one made from the function's; undefined keeps that. */
  readonly toolName?: (functionName: string) => string | undefined
  /**
   * Versions that are tools of their own, beside the one that a call without version reaches: by function, or `all`.
   * Their names end in the version, as `orders__get_v1_0_0`, and never come to mean another one.
   */
  readonly versions?: 'all' | Readonly<Record<string, readonly string[]>>
  /** `safe` when absent: plain objects at the root, no unions there, references written out. */
  readonly schemas?: SchemaStyle
}

/** Creates the getter of the catalogue of a view; it is made anew only when functions come, go or change state. */
export function createCatalogue(
  service: Service,
  options: CatalogueOptions,
  toTaskSupport: (target: Target) => TaskSupport | undefined,
): (view?: View) => Catalogue {
  const isWanted = createToolFilter(service, options)
  const contracts = createContracts(service)
  // Keyed by target: what did not change is not written again.
  const plain = new WeakMap<Target, FunctionTool>()
  const pinned = new WeakMap<Target, FunctionTool>()
  assertVersions(service, options)

  function toTool(target: Target, known: WeakMap<Target, FunctionTool>): FunctionTool {
    const found = known.get(target)
    if (found !== undefined) return found
    const name = nameTool(target, options, known === pinned)
    const tool = toFunctionTool(contracts.of(target), name, service, options, toTaskSupport)
    known.set(target, tool)
    return tool
  }

  const whole = perView(service.registry, () => {
    const isOffered = (target: Target) =>
      isDiscoverable(target) && target.health().status !== 'disabled' && isWanted(target)
    const tools = [...service.registry.entries()].flatMap((entry) => [
      ...[selectDefault(entry) ?? []]
        .flat()
        .filter(isOffered)
        .map((target) => toTool(target, plain)),
      ...selectPinned(entry, options)
        .filter(isOffered)
        .map((target) => toTool(target, pinned)),
    ])
    return toCatalogue(service.registry.revision(), tools)
  })
  return perView(service.registry, (view) => {
    const { revision, tools } = whole()
    if (view === EVERYTHING) return whole()
    return toCatalogue(
      revision,
      tools.filter(({ target }) => view.permits(target)),
    )
  })
}

function selectPinned(
  { name, ordered }: FunctionEntry,
  { versions = {} }: CatalogueOptions,
): readonly Target[] {
  if (versions === 'all') return ordered
  const chosen = Object.hasOwn(versions, name) ? versions[name] : undefined
  return chosen === undefined ? [] : ordered.filter(({ version }) => chosen.includes(version))
}

/** Functions may come later; a version that a known function does not have is a mistake. */
function assertVersions({ registry }: Service, { versions = {} }: CatalogueOptions): void {
  if (versions === 'all') return
  for (const [name, chosen] of Object.entries(versions)) {
    const entry = registry.find(name)
    const unknown = entry && chosen.find((version) => !entry.versions.has(version))
    if (unknown === undefined) continue
    const known = [...(entry?.versions.keys() ?? [])].join(', ')
    throw new TypeError(`versions.${name}: there is no version ${unknown}; known: ${known}`)
  }
}

function nameTool(
  { name, version }: Target,
  { toolName }: CatalogueOptions,
  isPinned: boolean,
): string {
  const own = toolName?.(name) ?? toToolName(name)
  const tool = isPinned ? toPinnedToolName(own, name, version) : own
  if (TOOL_NAME.test(tool)) return tool
  throw new TypeError(
    `function ${name}: "${tool}" is not a tool name; use at most 64 letters, digits, _ and -`,
  )
}

function toCatalogue(revision: number, tools: readonly FunctionTool[]): Catalogue {
  const byName = new Map<string, FunctionTool>()
  for (const tool of tools) {
    const other = byName.get(tool.name)
    if (other !== undefined) {
      throw new TypeError(
        `functions "${other.target.name}" and "${tool.target.name}" share the tool name "${tool.name}"; rename one`,
      )
    }
    byName.set(tool.name, tool)
  }
  return { revision, tools, find: (name) => byName.get(name) }
}

function toFunctionTool(
  contract: Contract,
  name: string,
  service: Service,
  { schemas: style = 'safe' }: CatalogueOptions,
  toTaskSupport: (target: Target) => TaskSupport | undefined,
): FunctionTool {
  const { target } = contract
  const isBinary = contract.results.kinds.includes('binary')
  const shared = service.components.schemas ?? {}
  const inputSchema = once(
    () => encodeInputSchema(contract.parameters.schema, shared, style) as unknown as JsonObject,
  )
  const outputSchema = once(() => {
    const { whole } = contract.results
    // Bytes are blocks of content, which no schema describes.
    return isBinary || whole === undefined ? undefined : encodeOutputSchema(whole, shared, style)
  })
  const taskSupport = toTaskSupport(target)
  const write = (era: Era) => {
    const output = outputSchema()
    const listed = output !== undefined && (era === 'modern' || describesObject(output))
    const { summary } = target.definition
    return JSON.stringify({
      name,
      ...(summary !== undefined && { title: summary }),
      description: describe(target),
      inputSchema: inputSchema(),
      ...(listed && { outputSchema: output }),
      annotations: contract.annotations,
      ...toExecution(era, taskSupport),
      _meta: {
        ...target.definition.toolMeta,
        [OWN_META.function]: target.name,
        [OWN_META.version]: target.version,
        ...(target.definition.source !== undefined && {
          [OWN_META.source]: target.definition.source,
        }),
        ...(contract.scopes.length > 0 && { [OWN_META.scopes]: contract.scopes }),
      },
    })
  }
  const texts = { legacy: once(() => write('legacy')), modern: once(() => write('modern')) }
  return {
    name,
    target,
    contract,
    taskSupport,
    inputSchema,
    split: contract.parameters.split,
    described: target.outputSchema !== undefined && !isBinary,
    headerParameters: once(() => findHeaderParameters(inputSchema())),
    json: (era) => texts[era](),
    visible: () =>
      JSON.stringify({ name, description: describe(target), inputSchema: inputSchema() }),
  }
}

/** Says in an entry of `tools/list` whether the tool can be a task; since 2026-07-28 that is the server's affair. */
export function toExecution(era: Era, taskSupport: TaskSupport | undefined): JsonObject {
  return era === 'modern' || taskSupport === undefined ? {} : { execution: { taskSupport } }
}

function describe({ name, definition }: Target): string {
  const { description, summary, deprecated } = definition
  const text = description ?? summary ?? name
  if (deprecated === undefined) return text
  const reason = deprecated.reason === undefined ? '' : `: ${deprecated.reason}`
  return `Deprecated${reason}. ${text}`
}
