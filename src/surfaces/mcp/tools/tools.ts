import {
  insufficientScope,
  isAdmitted,
  perView,
  type Service,
  type View,
  viewOf,
} from '../../../core/index.ts'
import { didYouMean, type JsonObject, type Maybe } from '../../../values/index.ts'
import { toForbidden } from '../authorization.ts'
import { readObject, requireText } from '../decode.ts'
import { createEnvironment, type McpEnvironment, type McpOptions } from '../environment.ts'
import { invalidParams } from '../errors.ts'
import type { Encoded, Era, McpExchange, Methods } from '../protocol.ts'
import { selectPage } from '../reader.ts'
import { readEarlierWish } from '../tasks/request.ts'
import { callFunction } from './call-tool.ts'
import type { McpTool, OwnTool } from './catalogue.ts'
import {
  encodeRefusal,
  estimateTokens,
  readAnnouncement,
  toNegotiated,
  withoutAnnouncement,
} from './result.ts'
import { createSearchTools } from './search.ts'

/** Makes the methods that list and call tools. */
export function createToolMethods(environment: McpEnvironment): Methods {
  const own =
    environment.options.tools === 'search'
      ? createSearchTools(environment, (name, input, exchange) => call(name, input, exchange))
      : undefined
  const byName = new Map<string, OwnTool>(own?.map((tool) => [tool.name, tool]))
  const list = createToolList(environment, own)

  function call(name: string, input: JsonObject, exchange: McpExchange): Maybe<string> {
    const { service } = environment
    const shown = environment.catalogue(viewOf(service, exchange.principal))
    const tool = shown.find(name)
    if (tool === undefined) {
      const hidden = environment.catalogue().find(name)
      if (hidden !== undefined && isAdmitted(service, exchange.principal, hidden.target)) {
        throw toForbidden(insufficientScope(hidden.target), environment.options.authorization)
      }
      throw unknownTool(name, [...byName.keys(), ...shown.tools.map((known) => known.name)])
    }
    const request = { exchange, tool, input }
    const { admit } = environment.options
    const announced = admit && readAnnouncement(request)
    if (admit === undefined || announced === undefined) {
      return callFunction(environment, withoutAnnouncement(request))
    }
    return admit(announced, tool.target.name, exchange.callerKey()).then((admission) =>
      admission.admitted
        ? callFunction(environment, toNegotiated(request, admission.ucp))
        : environment.writer.complete(exchange.era, encodeRefusal(admission.refusal)),
    )
  }

  return {
    'tools/list': ({ era, params, principal }) =>
      list(era, params['cursor'], viewOf(environment.service, principal)),
    'tools/call': (exchange) => {
      const name = requireText(exchange.params, 'name')
      const input = readObject(exchange.params, 'arguments')
      const found = byName.get(name)
      if (found === undefined) return call(name, input, exchange)
      // Built-in tools never run as tasks; this throws when the client requests one.
      if (exchange.era === 'legacy') readEarlierWish(environment, exchange, found.taskSupport)
      return found.run(input, exchange)
    },
  }
}

function unknownTool(name: string, names: readonly string[]): Error {
  const said = `Unknown tool: ${name.slice(0, 100)}`
  const hint = didYouMean(name, names)
  return invalidParams(hint === undefined ? said : `${said}; ${hint}`)
}

/** Creates the list of tools: its pages are bytes, made anew only when functions come, go or change state. */
function createToolList(
  environment: McpEnvironment,
  own: readonly OwnTool[] | undefined,
): (era: Era, cursor: unknown, view: View) => Encoded {
  const { catalogue, writer, pageSize, cacheMs, service } = environment
  const warn = createCostWarning(environment)
  const pagesOf = perView(service.registry, (view) => {
    const tools: readonly McpTool[] = own ?? catalogue(view).tools
    warn(tools)
    return { tools, pages: new Map<string, Uint8Array>() }
  })

  return (era, cursor, view) => {
    const { tools, pages } = pagesOf(view)
    const { start, items, nextCursor } = selectPage(tools, cursor, pageSize, ({ name }) => name)
    const key = `${era} ${start}`
    const known = pages.get(key)
    if (known !== undefined) return known
    const entries = items.map((tool) => tool.json(era)).join(',')
    const next = nextCursor === undefined ? '' : `,"nextCursor":"${nextCursor}"`
    const page = Buffer.from(writer.cacheable(era, `"tools":[${entries}]${next}`, cacheMs))
    // A cursor can name any tool: only pages that follow one another are worth their memory.
    if (start % pageSize === 0) pages.set(key, page)
    return page
  }
}

/** What the list of tools costs whoever reads it. */
export interface ToolCost {
  readonly tools: number
  /** Estimated from names, descriptions and arguments: what a model gets to see. */
  readonly tokens: number
  /** The most expensive tools first. */
  readonly largest: readonly { readonly name: string; readonly tokens: number }[]
}

/** Estimates what the list of tools costs a model, for a message at start. */
export function measureTools(service: Service, options: McpOptions = {}): ToolCost {
  const environment = createEnvironment(service, options)
  environment.changes.close()
  return measureList(
    options.tools === 'search'
      ? createSearchTools(environment, () => '')
      : environment.catalogue().tools,
  )
}

function measureList(tools: readonly McpTool[]): ToolCost {
  const costs = tools.map((tool) => ({ name: tool.name, tokens: estimateTokens(tool.visible()) }))
  return {
    tools: tools.length,
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    largest: costs.toSorted((left, right) => right.tokens - left.tokens).slice(0, 5),
  }
}

function createCostWarning({
  service,
  options,
}: McpEnvironment): (tools: readonly McpTool[]) => void {
  const budget = options.toolBudget ?? 20_000
  let warned = false
  return (tools) => {
    if (warned) return
    const cost = measureList(tools)
    if (cost.tokens <= budget) return
    warned = true
    service.log.warn(
      `the list of tools costs a model about ${cost.tokens} tokens, more than ${budget}; offer fewer (only, except) or tools: 'search'`,
      { ...cost },
    )
  }
}
