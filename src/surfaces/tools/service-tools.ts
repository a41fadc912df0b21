import { randomUUID } from 'node:crypto'
import {
  type Call,
  createReply,
  dispatch,
  type FunctionEntry,
  type Outcome,
  type Principal,
  type Service,
  type Target,
  toFailure,
  toResultText,
  toToolAnnotations,
  toToolName,
} from '../../core/index.ts'
import { createLocalJudge, type LocalOptions } from '../../net/index.ts'
import { inlineReferences } from '../../schema/index.ts'
import type { JsonObject } from '../../values/index.ts'
import { spellName } from '../../values/index.ts'
import type { HttpRequest } from '../../wire/index.ts'
import { prepareTools } from './provider.ts'
import type { PreparedTools, Tool, ToolCallOutcome } from './tool.ts'
import { createToolApi, type ToolApi, type ToolApiOptions } from './tool-api.ts'

/** How the functions of a service are put into the explorer. */
export interface ServiceToolApiOptions
  extends Omit<
      ToolApiOptions,
      'tools' | 'call' | 'check' | 'authHook' | 'hasTriggers' | 'judgeCall'
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
  const judgeAlone = createLocalJudge(options)
  return createToolApi({
    title: service.info.title,
    challenge: service.challenge,
    maxBodyBytes: service.limits.maxRequestBytes,
    log: service.log,
    ...options,
    hasTriggers: service.registry.find(TRIGGERS) !== undefined,
    tools,
    check: (tool, args) => (isFunctionTool(tool) ? tool.target.checkInput(args) : undefined),
    call: (name, args, request) => {
      const tool = tools().find(name)
      if (tool === undefined || !isFunctionTool(tool))
        throw new TypeError(`Tool not found: ${name}`)
      const call = toCall(service, tool.target, {
        args,
        request,
        principal: principals.get(request),
      })
      return runCall(service, call)
    },
    // Whoever may run functions is known, or on this machine.
    ...(authenticate === undefined && {
      judgeCall: (request, judgeLocal = judgeAlone) => explainExecution(judgeLocal(request)),
    }),
    ...(authenticate && {
      authHook: async (request, next) => {
        const principal = await authenticate({ header: request.header, surface: 'tools' })
        if (principal !== undefined) principals.set(request, principal)
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

/** Gives every discoverable function as a tool; prepared anew only when functions come or go. */
export function toTools(service: Service): () => PreparedTools {
  let revision: number | undefined
  let prepared: PreparedTools | undefined
  return () => {
    const now = service.registry.revision()
    if (prepared === undefined || revision !== now) {
      prepared = prepareFunctions(service)
      revision = now
    }
    return prepared
  }
}

/** A tool that stands for a function. */
interface FunctionTool extends Tool {
  readonly target: Target
}

function prepareFunctions(service: Service): PreparedTools {
  const tools = [...service.registry.entries()].flatMap((entry) => {
    const target = selectTarget(entry)
    return target === undefined ? [] : [toFunctionTool(target, service)]
  })
  const byFunction = new Map(tools.map((tool) => [tool.target.name, tool]))
  const { find, respond } = prepareTools(tools)
  // People know a function by its own name; agents may only know the spelled-out one.
  return { find: (name) => find(name) ?? byFunction.get(name), respond }
}

/** What a call without version reaches; when nothing is stable yet, the newest there is. */
function selectTarget({ latest, ordered }: FunctionEntry): Target | undefined {
  const target = latest ?? ordered.at(-1)
  if (target === undefined || target.system || target.stability === 'removed') return undefined
  return target.definition.discoverable === false ? undefined : target
}

function toFunctionTool(target: Target, { components }: Service): FunctionTool {
  const { definition, name, sideEffects } = target
  let inputSchema: Tool['inputSchema']
  return {
    target,
    name: toToolName(name),
    description: definition.description ?? definition.summary ?? '',
    annotations: {
      // Only where the tool name does not tell: hints are yes or no.
      ...(spellName(name) === undefined && { title: name }),
      ...toToolAnnotations(sideEffects),
    },
    get inputSchema() {
      inputSchema ??= inlineReferences(target.inputSchema, components.schemas ?? {})
      return inputSchema
    },
  }
}

function isFunctionTool(tool: Tool): tool is FunctionTool {
  return 'target' in tool
}

async function runCall(service: Service, call: Call): Promise<ToolCallOutcome> {
  try {
    return toCallOutcome(await dispatch(service, call), service)
  } catch (thrown) {
    return toCallOutcome(toFailure(thrown, { call, log: service.log }), service)
  }
}

function toCall(
  { clock }: Service,
  target: Target,
  {
    args,
    request,
    principal,
  }: {
    readonly args: Record<string, unknown>
    readonly request: HttpRequest
    readonly principal: Principal | undefined
  },
): Call {
  return {
    id: `tool_${randomUUID()}`,
    function: target.name,
    version: target.version,
    arguments: args as JsonObject,
    context: undefined,
    extensions: [],
    principal,
    signal: request.signal,
    facts: {},
    startedAt: clock.elapsed(),
    reply: createReply(),
  }
}

function toCallOutcome(outcome: Outcome, { limits }: Service): ToolCallOutcome {
  const text = outcome.ok
    ? toResultText(outcome.result, limits.maxResponseBytes)
    : JSON.stringify({ errors: outcome.errors })
  return [[{ type: 'text', text }], !outcome.ok]
}
