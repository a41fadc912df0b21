import { randomUUID } from 'node:crypto'
import {
  type Contract,
  type Contracts,
  createContracts,
  parseVersionedName,
  readHeaderOptions,
  selectDefault,
  toResultContent,
} from '../../contract/index.ts'
import {
  type Call,
  type Components,
  createReply,
  dispatch,
  type FunctionDefinition,
  identifyReader,
  isVisible,
  type Outcome,
  type Principal,
  perView,
  resolveReference,
  type Service,
  type Tag,
  toFailure,
  toResultText,
  toToolName,
  type View,
  viewOf,
} from '../../core/index.ts'
import { answerStream, STREAM_URN } from '../../extensions/stream/index.ts'
import { createLocalJudge, type LocalOptions, toCredentials } from '../../net/index.ts'
import { inlineReferences } from '../../schema/index.ts'
import { andThen, defined, type JsonObject, spellName } from '../../values/index.ts'
import {
  COMMENT,
  EVENT_STREAM_HEADERS,
  encodeEvent,
  type HttpRequest,
  type HttpResponse,
} from '../../wire/index.ts'
import { encodeCallResult, toCallResult } from './encode.ts'
import { prepareTools } from './provider.ts'
import type { PreparedTools, Tool, ToolCallOutcome } from './tool.ts'
import { createToolApi, type ToolApi, type ToolApiOptions } from './tool-api.ts'

/** How the functions of a service are put into the explorer. */
export interface ServiceToolApiOptions
  extends Omit<
      ToolApiOptions,
      'tools' | 'toolsOf' | 'call' | 'stream' | 'check' | 'authHook' | 'hasTriggers' | 'judgeCall'
    >,
    LocalOptions {}

/** There only when the service has triggers. */
const TRIGGERS = 'urn:waymark:forrst:ext:triggers:fn:list'

/** Serves the functions of a service as tools, with the page that explores them. */
export function createServiceToolApi(
  service: Service,
  options: ServiceToolApiOptions = {},
): ToolApi {
  const tools = toTools(service)
  const principals = new WeakMap<HttpRequest, Principal>()
  const { authenticate } = service
  const toolsFor = (request: HttpRequest) => tools(viewOf(service, principals.get(request)))
  const judgeAlone = createLocalJudge(options)
  const prepare = (name: string, args: Record<string, unknown>, request: HttpRequest) => {
    const tool = toolsFor(request).find(name)
    if (tool === undefined || !isFunctionTool(tool)) throw new TypeError(`Tool not found: ${name}`)
    const { contract } = tool
    const principal = principals.get(request)
    return { contract, call: toCall(service, contract, args as JsonObject, request, principal) }
  }
  return createToolApi({
    title: service.info.title,
    challenge: service.challenge,
    maxBodyBytes: service.limits.maxRequestBytes,
    log: service.log,
    ...options,
    hasTriggers: service.registry.find(TRIGGERS) !== undefined,
    tools,
    check: (tool, args) =>
      isFunctionTool(tool) ? tool.contract.parameters.check(args) : undefined,
    call: (name, args, request) => runCall(service, prepare(name, args, request)),
    stream: (name, args, request) => {
      const prepared = prepare(name, args, request)
      const { modes } = prepared.contract
      return modes.includes('stream') ? streamCall(service, prepared) : undefined
    },
    // Whoever may run functions is known, or on this machine.
    ...(authenticate === undefined && {
      judgeCall: (request, judgeLocal = judgeAlone) => explainExecution(judgeLocal(request)),
    }),
    ...(authenticate && {
      toolsOf: (request) =>
        andThen(identifyReader(service, toCredentials(request, 'tools')), (principal) => {
          if (principal !== undefined) principals.set(request, principal)
          return toolsFor(request)
        }),
      authHook: async (request, next) => {
        // Where discovery is public, a reader need not be known; a caller must be.
        if (service.discovery === 'public' && !principals.has(request)) {
          const principal = await authenticate(toCredentials(request, 'tools'))
          if (principal !== undefined) principals.set(request, principal)
        }
        await next()
      },
    }),
  })
}

function explainExecution(reason: string | undefined): string | undefined {
  return (
    reason &&
    `Functions are executed for callers on this machine only, unless the service has an authenticate hook: ${reason}.`
  )
}

/** Gives every function that a view shows as a tool; prepared anew only when functions come or go. */
export function toTools(service: Service): (view?: View) => PreparedTools {
  const contracts = createContracts(service)
  return perView(service.registry, (view) => prepareFunctions(service, contracts, view))
}

const OPERATION_FUNCTION = /^urn:cline:forrst:ext:async:fn:(status|cancel|list)$/

/** A tool that stands for a function. */
interface FunctionTool extends Tool {
  readonly contract: Contract
}

function prepareFunctions(service: Service, contracts: Contracts, view: View): PreparedTools {
  const tools = [...service.registry.entries()].flatMap((entry) => {
    const target = selectDefault(entry)
    return target !== undefined && view.permits(target)
      ? [toFunctionTool(contracts.of(target), service, view)]
      : []
  })
  const byFunction = new Map(tools.map((tool) => [tool.contract.target.name, tool]))
  const { find, respond } = prepareTools(tools)
  const findVersion = (text: string): Tool | undefined => {
    const { name, version = '' } = parseVersionedName(text)
    const target = service.registry.find(name)?.versions.get(version)
    if (target === undefined || !isVisible(target, view)) return undefined
    return toFunctionTool(contracts.of(target), service, view, text)
  }
  /** Work in the background is looked after by functions that no list shows. */
  const findOperations = (name: string): Tool | undefined => {
    const target = OPERATION_FUNCTION.test(name) ? service.registry.find(name)?.latest : undefined
    return target && toFunctionTool(contracts.of(target), service, view, name)
  }
  // People know a function by its own name; agents may only know the spelled-out one.
  return {
    find: (name) => find(name) ?? byFunction.get(name) ?? findVersion(name) ?? findOperations(name),
    respond,
  }
}

/** Makes the tool of a function, under the name that is listed or the one it was asked for by. */
function toFunctionTool(
  contract: Contract,
  { components }: Service,
  view: View,
  asked?: string,
): FunctionTool {
  const { target, annotations, scopes } = contract
  const versions = contract.versions(view)
  const { definition, name } = target
  let inputSchema: Tool['inputSchema']
  return {
    contract,
    name: asked ?? toToolName(name),
    description: definition.description ?? definition.summary ?? '',
    annotations: {
      // Only where the tool name does not tell: hints are yes or no.
      ...(spellName(name) === undefined && { title: name }),
      ...annotations,
      ...toHeading(definition, components),
      ...(versions.length > 1 && { version: target.version, versions }),
      ...(scopes.length > 0 && { scopes }),
      ...(definition.source !== undefined && { source: definition.source }),
    },
    get inputSchema() {
      inputSchema ??= inlineReferences(contract.parameters.schema, components.schemas ?? {})
      return inputSchema
    },
  }
}

/** What people call a tool, and the groups it stands in; only where the definition says so. */
function toHeading(
  { summary, description, tags = [] }: FunctionDefinition,
  components: Components,
): { readonly summary?: string; readonly groups?: readonly object[] } {
  const groups = tags.flatMap((tag) => {
    const resolved = resolveReference<Tag>(tag, components, 'tags')
    if (resolved === undefined) return []
    const { name, summary: title, description: text } = resolved
    return [{ name, ...defined({ title, description: text }) }]
  })
  // Without a description the summary stands in for it already.
  const isShown = summary !== undefined && description !== undefined && summary !== description
  return { ...(isShown && { summary }), ...(groups.length > 0 && { groups }) }
}

function isFunctionTool(tool: Tool): tool is FunctionTool {
  return 'contract' in tool
}

/** A call of a tool, and what is known about its function. */
interface PreparedCall {
  readonly call: Call
  readonly contract: Contract
}

/** Sends the items of a call as events; its end is what the call would have been answered with. */
function streamCall(service: Service, { call, contract }: PreparedCall): Promise<HttpResponse> {
  const { maxResponseBytes } = service.limits
  const toResult = (outcome: Outcome) =>
    toCallResult(toCallOutcome(outcome, service, call, contract))
  const streamed: Call = {
    ...call,
    extensions: [
      ...call.extensions,
      { urn: STREAM_URN, options: { accept: true }, pointer: '', implicit: true },
    ],
  }
  return answerStream(
    service,
    streamed,
    {
      headers: () => EVENT_STREAM_HEADERS,
      opening: '',
      keepAlive: COMMENT,
      item: (item) => encodeEvent('item', toResultText(item, maxResponseBytes)),
      progress: (progress) => encodeEvent('progress', JSON.stringify(progress)),
      end: (outcome) => encodeEvent('result', JSON.stringify(toResult(outcome))),
      whole: (outcome) => encodeCallResult(toResult(outcome)),
    },
    (streaming) => dispatch(service, streaming, 'explorer'),
  )
}

async function runCall(
  service: Service,
  { call, contract }: PreparedCall,
): Promise<ToolCallOutcome> {
  try {
    return toCallOutcome(await dispatch(service, call, 'explorer'), service, call, contract)
  } catch (thrown) {
    return toCallOutcome(toFailure(thrown, { call, log: service.log }), service, call, contract)
  }
}

function toCall(
  { clock }: Service,
  { target, parameters }: Contract,
  args: JsonObject,
  request: HttpRequest,
  principal: Principal | undefined,
): Call {
  const split = parameters.split?.(args)
  const entries = readHeaderOptions(request.header)
  return {
    id: `tool_${randomUUID()}`,
    function: target.name,
    version: target.version,
    arguments: split?.arguments ?? args,
    context: undefined,
    extensions: split === undefined ? entries : [...entries, split.entry],
    principal,
    signal: request.signal,
    facts: {},
    startedAt: clock.elapsed(),
    reply: createReply(),
  }
}

function toCallOutcome(
  outcome: Outcome,
  { limits }: Service,
  { reply }: Call,
  { files }: Contract,
): ToolCallOutcome {
  const toText = (): string => {
    if (!outcome.ok) return JSON.stringify({ errors: outcome.errors })
    const { disposition, extensions } = reply
    return outcome.result === null && disposition !== undefined
      ? JSON.stringify({ extensions })
      : toResultText(outcome.result, limits.maxResponseBytes)
  }
  const found = outcome.ok ? toResultContent(outcome.result, files.result) : undefined
  if (found === undefined) return [[{ type: 'text', text: toText() }], !outcome.ok]
  const { blocks, value } = found
  const text = value === undefined ? [] : [{ type: 'text', text: JSON.stringify(value) }]
  return [[...text, ...blocks], false]
}
