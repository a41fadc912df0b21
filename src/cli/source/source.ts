import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FunctionDefinition, Service } from '../../core/index.ts'
import {
  connectMcpSource,
  type McpSourceOptions,
  parseMcpReference,
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
import { type Io, RemoteError, UsageError, untilInterrupted } from '../command.ts'
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
  /** Releases what the sources beside the service hold; the service is closed by its server. */
  readonly close: () => Promise<void>
}

type OneSource = Omit<LoadedSource, 'close' | 'triggers'> & Partial<Pick<LoadedSource, 'triggers'>>

/** Loads everything that is to be served; the first source is the service, the others add their functions to it. */
export async function loadSources(
  references: readonly string[],
  io: Io,
  surroundings: ServiceSurroundings = {},
): Promise<LoadedSource> {
  const loading = Promise.all(
    references.map((reference) => loadSource(reference, io, surroundings)),
  )
  const [first, ...others] = await untilInterrupted(loading, io.signal)
  if (first === undefined) {
    throw new UsageError(
      'what should be served? Give a module, a tool spec, an OpenAPI document, an MCP server or the URL of a Forrst service: waymark serve service.ts',
    )
  }
  for (const { service } of others) {
    for (const definition of listDefinitions(service)) addFunction(first.service, definition)
  }
  return {
    service: first.service,
    triggers: [first, ...others].flatMap(({ triggers = [] }) => triggers),
    notes: [first, ...others].flatMap(({ notes }) => notes),
    close: async () => {
      await Promise.all(others.map(({ service }) => service.close()))
    },
  }
}

async function loadSource(
  given: string,
  io: Io,
  surroundings: ServiceSurroundings,
): Promise<OneSource> {
  const reference = fromFileUrl(given)
  const remote = readMcpReference(reference)
  if (remote !== undefined) return loadMcpServer(remote, surroundings)
  const url = parseForrstReference(reference)
  if (url !== undefined) return loadForrstService(url, io, surroundings)
  const path = resolve(io.cwd, reference)
  if (!existsSync(path)) throw new UsageError(explainMissing(reference, io.cwd))
  if (!statSync(path).isDirectory() && /\.(ya?ml|json)$/i.test(path)) {
    return loadDescription(reference, io, surroundings)
  }
  return { ...(await loadModuleService(reference, io.cwd, surroundings)), notes: [] }
}

function readMcpReference(reference: string): McpSourceOptions | undefined {
  try {
    return parseMcpReference(reference)
  } catch (thrown) {
    throw new UsageError((thrown as Error).message)
  }
}

async function loadMcpServer(
  options: McpSourceOptions,
  { store }: ServiceSurroundings,
): Promise<OneSource> {
  const source = await connectMcpSource(options).catch((thrown: unknown) => {
    throw explainMcpFailure(thrown)
  })
  const service = createService({
    name: options.name,
    info: { title: options.name, version: '1.0.0' },
    functions: source.functions(),
    onClose: source.close,
    ...(store && { store }),
  })
  source.follow(service.registry)
  return { service, notes: [] }
}

/** What stands behind "cannot be reached" is what a person can mend: a missing package, a misspelt program. */
function explainMcpFailure(thrown: unknown): UsageError | RemoteError {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  for (const error of [thrown, cause]) {
    if (error instanceof TypeError && error.message.includes('npm install')) {
      return new UsageError(error.message)
    }
  }
  const { code, path } = (cause ?? {}) as { readonly code?: unknown; readonly path?: unknown }
  if (code === 'ENOENT' && typeof path === 'string') {
    return new UsageError(`the program "${path}" does not exist; is it installed and in PATH?`)
  }
  const reason = cause === undefined ? '' : `: ${toReason(cause)}`
  return new RemoteError(printable(`${toReason(thrown)}${reason}`))
}

async function loadDescription(
  reference: string,
  io: Io,
  { store }: ServiceSurroundings,
): Promise<OneSource> {
  const source = await readSource(reference, io)
  const parsed = parseDocument(source.text, { file: reference })
  if (!parsed.ok) throw new UsageError(formatProblems(parsed.problems, 'text'))
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
  return `${reference} is neither a tool spec (domain, tools) nor an API description (openapi, swagger)`
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
