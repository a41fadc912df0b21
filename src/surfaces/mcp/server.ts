import type { Service } from '../../core/index.ts'
import { isRecord, type JsonObject, type Maybe, once } from '../../values/index.ts'
import { readCaller } from './decode.ts'
import { createEnvironment, type McpEnvironment, type McpOptions } from './environment.ts'
import { methodNotFound } from './errors.ts'
import { createCompletion, createPrompts } from './prompts.ts'
import {
  type ClientCapabilities,
  type Encoded,
  type Era,
  LEGACY_VERSIONS,
  type McpExchange,
  type McpMethod,
  type Methods,
  MODERN_VERSION,
  SUPPORTED_VERSIONS,
  TASKS_EXTENSION,
  TASKS_VERSION,
  USED_CAPABILITIES,
} from './protocol.ts'
import { createResources } from './resources.ts'
import { createListenMethods, createPeerMethods } from './subscriptions.ts'
import { createEarlierTaskMethods, createTaskMethods, toTaskCapability } from './tasks/methods.ts'
import { createToolMethods } from './tools/tools.ts'

/** What a client says when it opens a session or a pipe. */
export interface Introduction {
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly caller: string | undefined
}

/** Answers requests, whichever way they came. */
export interface McpServer {
  readonly environment: McpEnvironment
  /** Gives the JSON of a result; throws an McpError, or whatever went wrong. */
  readonly answer: (exchange: McpExchange) => Maybe<Encoded>
  /** Reads `initialize` and gives the JSON of its result. */
  readonly introduce: (params: JsonObject) => {
    readonly introduction: Introduction
    readonly result: string
  }
  readonly close: () => void
}

/** Creates the server that every transport of one service shares. */
export function createMcpServer(service: Service, options: McpOptions = {}): McpServer {
  const environment = createEnvironment(service, options)
  // Names that clash must not wait for the first client.
  environment.catalogue()
  // Made when it is asked for: workers allow none where a module is evaluated.
  const end = once(() => new AbortController())
  const closing = () => end().signal
  const methods = createMethods(environment, closing)
  return {
    environment,
    answer(exchange) {
      const method = methods[exchange.era].get(exchange.method)
      if (method === undefined) throw methodNotFound(exchange.method)
      return method(exchange)
    },
    introduce(params) {
      const introduction = readIntroduction(params)
      const result = JSON.stringify({
        protocolVersion: introduction.version,
        capabilities: toCapabilities(introduction.version, environment),
        serverInfo: environment.identity,
        ...instructionsOf(environment),
      })
      return { introduction, result }
    },
    close() {
      end().abort()
      environment.changes.close()
    },
  }
}

function createMethods(
  environment: McpEnvironment,
  closing: () => AbortSignal,
): Readonly<Record<Era, ReadonlyMap<string, McpMethod>>> {
  const resources = createResources(environment)
  const prompts = createPrompts(environment)
  const shared: Methods = {
    ...createToolMethods(environment),
    ...resources.methods,
    ...prompts.methods,
    ...createCompletion(environment, prompts, resources),
  }
  const modern: Methods = {
    ...shared,
    ...createTaskMethods(environment),
    ...createListenMethods(environment, closing),
    'server/discover': createDiscover(environment),
  }
  const legacy: Methods = {
    ...shared,
    ...createPeerMethods(environment),
    ...createEarlierTaskMethods(environment, closing),
  }
  return {
    legacy: new Map(Object.entries(legacy)),
    modern: new Map(Object.entries(modern)),
  }
}

function createDiscover(environment: McpEnvironment): McpMethod {
  const facts = {
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: toCapabilities(MODERN_VERSION, environment),
    ...instructionsOf(environment),
  }
  const members = JSON.stringify(facts).slice(1, -1)
  const result = environment.writer.cacheable('modern', members, environment.cacheMs)
  return () => result
}

function toCapabilities(version: string, environment: McpEnvironment): JsonObject {
  const asExtension = version === MODERN_VERSION && environment.tasks !== undefined
  return {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    logging: {},
    ...(asExtension && { extensions: { [TASKS_EXTENSION]: {} } }),
    ...(version === TASKS_VERSION && toTaskCapability(environment)),
  }
}

function instructionsOf({ service, options }: McpEnvironment): { readonly instructions?: string } {
  const instructions = options.instructions ?? service.info.description
  return instructions === undefined ? {} : { instructions }
}

/** A client that asks for a version nobody knows is offered the newest it may know. */
function readIntroduction(params: JsonObject): Introduction {
  const { protocolVersion, capabilities, clientInfo } = params
  const known = LEGACY_VERSIONS.find((version) => version === protocolVersion)
  return {
    version: known ?? LEGACY_VERSIONS[0] ?? '',
    capabilities: isRecord(capabilities) ? keepUsed(capabilities) : {},
    caller: readCaller(clientInfo),
  }
}

/** What a client says of itself is as long as it likes and stays for the whole session: only what is used is kept. */
function keepUsed(capabilities: Readonly<Record<string, unknown>>): ClientCapabilities {
  const used = USED_CAPABILITIES.filter((name) => capabilities[name] !== undefined)
  return Object.fromEntries(used.map((name) => [name, {}]))
}
