import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FunctionDefinition, Registry, Service } from '../../core/index.ts'
import { jsonLogger } from '../../observe/index.ts'
import {
  connectMcpSource,
  joinMcpOffers,
  type McpOffers,
  type McpPins,
  type McpSource,
  type McpSourceOptions,
  parseMcpReference,
  readMcpConfig,
} from '../../sources/mcp/index.ts'
import { parseDocument } from '../../sources/openapi/index.ts'
import { createToolFunctions } from '../../sources/runtime/index.ts'
import {
  formatProblems,
  sniffDocument,
  type ToolSpec,
  type TriggerDef,
} from '../../sources/tool-spec/index.ts'
import { createService } from '../../system/index.ts'
import { isRecord, toReason } from '../../values/index.ts'
import { type Io, UsageError, untilInterrupted } from '../command.ts'
import { readSource } from '../forge/read-source.ts'
import { printable } from '../print.ts'
import { explainMissing, fromFileUrl } from '../read-json.ts'
import { loadForrstService, parseForrstReference } from './forrst.ts'
import { loadModuleService, type ServiceSurroundings } from './module.ts'
import { importSpec, readSpecText } from './spec.ts'

/** Reads the triggers of a tool spec that call something; a tool of the file goes by its full name. */
export function readSpecTriggers(
  { domain, tools, triggers = [] }: ToolSpec,
  reference: string,
): { readonly triggers: readonly TriggerDef[]; readonly unused: readonly string[] } {
  const own = new Set(tools.map(({ name }) => name))
  return {
    triggers: triggers.flatMap((trigger) => {
      const { tool = own.has(trigger.name) ? trigger.name : undefined } = trigger
      return tool === undefined
        ? []
        : [{ ...trigger, tool: own.has(tool) ? `${domain}.${tool}` : tool }]
    }),
    unused: triggers
      .filter(({ tool, name }) => tool === undefined && !own.has(name))
      .map(({ name }) => `${reference}: trigger ${name} does not run: it names no tool to call`),
  }
}

/** What a reference on the command line gave. */
export interface LoadedSource {
  readonly service: Service
  /** What calls its functions from outside. */
  readonly triggers: readonly TriggerDef[]
  /** What a person should know about how it was read. */
  readonly notes: readonly string[]
  /** What MCP servers among them offer besides tools. */
  readonly offers?: McpOffers
  /** Releases what the sources beside the service hold; the service is closed by its server. */
  readonly close: () => Promise<void>
}

type OneSource = Omit<LoadedSource, 'close' | 'triggers'> &
  Partial<Pick<LoadedSource, 'triggers'>> & {
    /** Keeps the functions of a registry in step with a source that changes. */
    readonly follow?: (registry: Registry) => void
  }

/** Loads everything that is to be served; the first source is the service, the others add their functions to it. */
export async function loadSources(
  references: readonly string[],
  io: Io,
  surroundings: SourceSurroundings = {},
): Promise<LoadedSource> {
  const isOnly = references.length === 1
  const loading = Promise.all(
    references.map((reference) => loadSource(reference, io, { ...surroundings, isOnly })),
  )
  const [first, ...others] = await untilInterrupted(loading, io.signal)
  if (first === undefined) {
    throw new UsageError(
      'what should be served? Give a module, a tool spec, an OpenAPI document, an MCP server, a list of MCP servers (mcp.json) or the URL of a Forrst service: waymark serve service.ts',
    )
  }
  for (const other of others) join(first.service, other)
  return {
    service: first.service,
    triggers: [first, ...others].flatMap(({ triggers = [] }) => triggers),
    notes: [first, ...others].flatMap(({ notes }) => notes),
    ...joinOffers([first, ...others].flatMap(({ offers }) => offers ?? [])),
    close: async () => {
      await Promise.all(others.map(({ service }) => service.close()))
    },
  }
}

function joinOffers(offers: readonly McpOffers[]): { readonly offers?: McpOffers } {
  return offers.length === 0 ? {} : { offers: joinMcpOffers(offers) }
}

/** Adds the functions and the health of another source to a service. */
function join(first: Service, { service, follow }: OneSource): void {
  for (const [name, check] of Object.entries(service.healthChecks)) {
    if (name !== 'store') first.healthChecks[freeName(first.healthChecks, name)] = check
  }
  if (follow !== undefined) follow(first.registry)
  else for (const definition of listDefinitions(service)) addFunction(first, definition)
}

function freeName(taken: Readonly<Record<string, unknown>>, name: string): string {
  let free = name
  for (let count = 2; Object.hasOwn(taken, free); count += 1) free = `${name}_${count}`
  return free
}

/** What sources get from the command line. */
interface SourceSurroundings extends ServiceSurroundings {
  /** Opened from --pin. */
  readonly pins?: McpPins
}

/** What a source is loaded with; the only one has nothing beside it that could be served without it. */
type Loading = SourceSurroundings & { readonly isOnly: boolean }

async function loadSource(given: string, io: Io, surroundings: Loading): Promise<OneSource> {
  const reference = fromFileUrl(given)
  const remote = usageOf(() => parseMcpReference(reference))
  if (remote !== undefined) {
    const loaded = await loadMcpServers(remote.name, [remote], io, surroundings)
    if (surroundings.isOnly) await assertProgram(loaded)
    return loaded
  }
  const url = parseForrstReference(reference)
  if (url !== undefined) return loadForrstService(url, io, surroundings)
  const path = resolve(io.cwd, reference)
  if (!existsSync(path)) throw new UsageError(explainMissing(reference, io.cwd))
  if (!statSync(path).isDirectory() && /\.(ya?ml|json)$/i.test(path)) {
    return loadDescription(reference, io, surroundings)
  }
  return { ...(await loadModuleService(reference, io.cwd, surroundings)), notes: [] }
}

/** What is wrong with a reference or a configuration is the person's to mend. */
function usageOf<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (thrown) {
    throw new UsageError((thrown as Error).message)
  }
}

/** Makes one service of MCP servers; one that cannot be reached joins when it can. */
async function loadMcpServers(
  title: string,
  servers: readonly McpSourceOptions[],
  io: Io,
  { store, pins }: SourceSurroundings,
): Promise<OneSource> {
  const log = jsonLogger({ write: io.err })
  const sources = await Promise.all(
    servers.map((options) => connectMcpSource({ log, ...(pins && { pins }), ...options })),
  ).catch((thrown: unknown) => {
    const { cause } = thrown as Error
    throw new UsageError(toReason(cause ?? thrown))
  })
  const service = createService({
    name: title,
    info: { title, version: '1.0.0' },
    functions: [],
    health: Object.fromEntries(sources.map(({ name, check }) => [name, { check }])),
    onClose: async () => {
      await Promise.all(sources.map(({ close }) => close()))
    },
    log,
    ...(store && { store }),
  })
  const follow = (registry: Registry) => {
    for (const source of sources) source.follow(registry)
  }
  follow(service.registry)
  return {
    service,
    follow,
    notes: sources.flatMap(toNotes),
    ...joinOffers(sources.map(({ offers }) => offers)),
  }
}

function toNotes({ name, status }: McpSource): readonly string[] {
  const { state, reason } = status()
  if (state === 'connected') return []
  const why = reason === undefined ? 'has not answered yet' : `cannot be reached: ${reason}`
  return [printable(`the MCP server ${name} ${why}; it joins when it answers`)]
}

/** A misspelt program is told at once where it is all there is to serve. */
async function assertProgram({ service, notes }: OneSource): Promise<void> {
  const [, program] = /\bspawn (\S+) ENOENT\b/.exec(notes.join()) ?? []
  if (program === undefined) return
  await service.close()
  throw new UsageError(`the program "${program}" does not exist; is it installed and in PATH?`)
}

async function loadDescription(
  reference: string,
  io: Io,
  surroundings: SourceSurroundings,
): Promise<OneSource> {
  const { store } = surroundings
  const source = await readSource(reference, io)
  const parsed = parseDocument(source.text, { file: reference })
  if (!parsed.ok) throw new UsageError(formatProblems(parsed.problems, 'text'))
  const servers = usageOf(() => readMcpConfig(parsed.document, io.env))
  if (servers !== undefined) {
    return loadMcpServers(basename(reference).replace(/\.\w+$/, ''), servers, io, surroundings)
  }
  const kind = sniffDocument(parsed.document)
  if (kind === 'unknown') {
    throw new UsageError(explainUnknown(parsed.document, reference))
  }
  const { spec, notes } =
    kind === 'openapi'
      ? await importSpec(parsed.document, source, io)
      : { spec: readSpecText(source), notes: [] }
  const service = createService({
    name: spec.domain,
    info: { title: titleOf(parsed.document, spec, reference), version: '1.0.0' },
    functions: createToolFunctions(spec, { env: io.env }),
    ...(store && { store }),
  })
  const { triggers, unused } = readSpecTriggers(spec, reference)
  return { service, triggers, notes: [...notes, ...unused] }
}

/** A discovery document says what a service does, not how; a mock or its own address can stand in. */
function explainUnknown(document: unknown, reference: string): string {
  if (isRecord(document) && Array.isArray(document['functions'])) {
    return `${reference} is a discovery document, which describes functions and cannot run them; answer in their place with "waymark mock ${reference}", or name the service itself`
  }
  return `${reference} is neither a tool spec (domain, tools) nor an API description (openapi, swagger) nor a list of MCP servers (mcpServers)`
}

function titleOf(document: unknown, spec: ToolSpec, reference: string): string {
  const info = isRecord(document) && isRecord(document['info']) ? document['info'] : {}
  const { title } = info
  return typeof title === 'string' && title !== '' ? title : (spec.domain ?? basename(reference))
}

function listDefinitions({ registry }: Service): readonly FunctionDefinition[] {
  return [...registry.entries()].flatMap(({ ordered }) =>
    ordered.filter(({ system }) => !system).map(({ definition }) => definition),
  )
}

function addFunction(service: Service, definition: FunctionDefinition): void {
  try {
    service.registry.add(definition)
  } catch (thrown) {
    throw new UsageError(toReason(thrown))
  }
}
