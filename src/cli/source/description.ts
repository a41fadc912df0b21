import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { extname, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import type { DiscoveryDocument } from '../../discovery/index.ts'
import { parseDocument } from '../../sources/openapi/index.ts'
import { formatProblems, sniffDocument, type ToolSpec } from '../../sources/tool-spec/index.ts'
import { asRecord, isRecord, toReason } from '../../values/index.ts'
import { type CommandInput, type Io, UsageError } from '../command.ts'
import { readSource, type SourceText } from '../forge/read-source.ts'
import { createProgressLine } from '../print.ts'
import { explainMissing, fromFileUrl } from '../read-json.ts'
import { importSpec, readSpecText } from './spec.ts'

const MAX_COMMITTED_BYTES = 64 * 1024 * 1024

/** Tells whether a reference names a file at a commit: `git:main:openapi.yaml`. */
export function isCommitted(reference: string): boolean {
  return reference.startsWith('git:')
}

/** Reads a file as it was at a commit; throws a UsageError when it cannot. */
export async function readCommitted(reference: string, io: Io): Promise<SourceText> {
  const { ref, path } = parseCommitted(reference)
  try {
    return { file: reference, text: await show(ref, path, io) }
  } catch (thrown) {
    throw new UsageError(`${reference} cannot be read: ${toReason(thrown)}`)
  }
}

/** Where a file at a commit would be on the disk, and how files beside it are read at the same commit. */
export function openCommit(
  reference: string,
  io: Io,
): { readonly path: string; readonly readPath: (path: string) => Promise<string> } {
  const { ref, path } = parseCommitted(reference)
  return {
    path: resolve(io.cwd, path),
    readPath: (other) => show(ref, relative(resolve(io.cwd), other).split(sep).join('/'), io),
  }
}

function parseCommitted(reference: string): { readonly ref: string; readonly path: string } {
  const [, ref = '', path = ''] = /^git:([^:]*):(.+)$/s.exec(reference) ?? []
  // A ref that starts with a dash would be read as an option of git.
  if (ref === '' || ref.startsWith('-')) {
    throw new UsageError(
      `"${reference}" must look like git:REF:PATH, such as git:main:openapi.yaml`,
    )
  }
  return { ref, path }
}

async function show(ref: string, path: string, { cwd, signal }: Io): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(
      'git',
      ['show', '--end-of-options', `${ref}:./${path}`],
      { cwd, maxBuffer: MAX_COMMITTED_BYTES, signal },
    )
    return stdout
  } catch (thrown) {
    const { stderr, message } = thrown as { stderr?: string; message: string }
    throw new Error((stderr ?? '').trim().split('\n', 1)[0] || message)
  }
}

/** A description somebody named on the command line, told apart by what it is. */
export type Description = DescriptionOrigin &
  (
    | { readonly kind: 'discovery'; readonly document: DiscoveryDocument }
    | { readonly kind: 'tool-spec'; readonly spec: ToolSpec }
    | { readonly kind: 'openapi'; readonly document: ParsedOpenApi }
  )

/** Where a description came from. */
interface DescriptionOrigin {
  /** What was named on the command line. */
  readonly origin: string
  /** Where its text is, so that references can be joined to it; absent when nothing can stand beside it. */
  readonly url?: string
}

/** An API description as it was parsed; nothing about it is checked but that it names its version. */
export type ParsedOpenApi = Readonly<Record<string, unknown>>

/** A discovery document with what a person should know about how it was made. */
export interface LoadedDiscovery {
  readonly document: DiscoveryDocument
  /** What was named on the command line. */
  readonly origin: string
  readonly notes: readonly string[]
}

/**
 * Loads a description and says what kind it is. A reference is one of
 *
 * - `https://host` or `https://host/forrst`: a running service, asked for its discovery document (with `--header`),
 * - `https://host/openapi.json` (or any address ending in .json, .yaml, .yml): the document there,
 * - a file: discovery document, tool spec or OpenAPI document, JSON or YAML; `-` is standard input,
 * - `git:REF:PATH`, such as `git:main:openapi.yaml`: that file as it was at a commit, PATH from here,
 * - a module or folder that exports a service, or an MCP server: its discovery document.
 *
 * Throws UsageError (exit 2) for what cannot be read and RemoteError (exit 3) for what does not answer.
 */
export function loadDescription(reference: string, input: CommandInput): Promise<Description> {
  return withProgress(reference, input, async (named) => {
    const source = await readText(named, input)
    return source === undefined ? loadService(named, input) : readDescription(source)
  })
}

/** Loads any description as a discovery document: tool specs and OpenAPI documents become functions first. */
export function loadDiscovery(reference: string, input: CommandInput): Promise<LoadedDiscovery> {
  return withProgress(reference, input, (named) => toDiscovery(named, input))
}

async function withProgress<Loaded>(
  reference: string,
  { io }: CommandInput,
  load: (named: string) => Promise<Loaded>,
): Promise<Loaded> {
  const progress = createProgressLine(io)
  progress.show(`reading ${reference}`)
  try {
    return await load(fromFileUrl(reference))
  } finally {
    progress.end()
  }
}

async function toDiscovery(reference: string, input: CommandInput): Promise<LoadedDiscovery> {
  const source = await readText(reference, input)
  const description =
    source === undefined ? await loadService(reference, input) : readDescription(source)
  const { origin } = description
  if (description.kind === 'discovery') return { document: description.document, origin, notes: [] }
  const { spec, notes } =
    description.kind === 'tool-spec'
      ? { spec: description.spec, notes: [] }
      : await importSpec(description.document, source ?? NO_SOURCE, input.io)
  // A service is heavy to load, and text that is a discovery document already needs none.
  const [{ buildDocument }, { createToolFunctions }, { createService }] = await Promise.all([
    import('../../discovery/index.ts'),
    import('../../sources/runtime/index.ts'),
    import('../../system/index.ts'),
  ])
  const service = createService({
    name: spec.domain,
    info: infoOf(description, spec),
    functions: createToolFunctions(spec, { env: input.io.env }),
  })
  const document = buildDocument(service)
  await service.close()
  return { document, origin, notes }
}

/** Reads the text a reference stands for; undefined when it stands for something that runs. */
async function readText(reference: string, input: CommandInput): Promise<SourceText | undefined> {
  if (isCommitted(reference)) return readCommitted(reference, input.io)
  if (/^https?:\/\//i.test(reference)) {
    const isFile = URL.canParse(reference) && DOCUMENT.test(new URL(reference).pathname)
    return isFile ? readSource(reference, input.io) : undefined
  }
  const path = resolve(input.io.cwd, reference)
  const isDocument = reference === '-' || DOCUMENT.test(extname(reference))
  if (isDocument && (reference === '-' || existsSync(path)) && !isFolder(path)) {
    return readSource(reference, input.io)
  }
  if (isDocument) throw new UsageError(explainMissing(reference, input.io.cwd))
  return undefined
}

const DOCUMENT = /\.(?:json|ya?ml)$/i

async function loadService(reference: string, input: CommandInput): Promise<Description> {
  if (/^https?:\/\//i.test(reference)) {
    const { createRemoteClient: connect, toRemoteError } = await import('../remote.ts')
    const client = connect({ ...input, positionals: [reference] })
    const outcome = await client.discover({ signal: input.io.signal })
    if (!outcome.ok) throw toRemoteError(outcome)
    return { kind: 'discovery', origin: reference, document: outcome.result }
  }
  const { buildDocument } = await import('../../discovery/index.ts')
  const { loadSources } = await import('./source.ts')
  const { service, close } = await loadSources([reference], input.io)
  try {
    return { kind: 'discovery', origin: reference, document: buildDocument(service) }
  } finally {
    await close()
    await service.close()
  }
}

function readDescription(source: SourceText): Description {
  const { file: origin, text, url } = source
  const parsed = parseDocument(text, { file: origin })
  const place = { origin, ...(url !== undefined && { url }) }
  if (!parsed.ok) throw new UsageError(formatProblems(parsed.problems, 'text'))
  const { document } = parsed
  if (isRecord(document) && (Object.hasOwn(document, 'discovery') || isForrst(document))) {
    return { kind: 'discovery', ...place, document: readDiscovery(document, origin) }
  }
  const kind = sniffDocument(document)
  if (kind === 'openapi' && isRecord(document)) return { kind, ...place, document }
  if (kind === 'tool-spec') return { kind, ...place, spec: readSpecText(source) }
  throw new UsageError(
    `${origin} is neither a discovery document (forrst, functions), nor a tool spec (domain, tools), nor an API description (openapi, swagger)`,
  )
}

function isForrst(document: Record<string, unknown>): boolean {
  return Object.hasOwn(document, 'forrst') && Object.hasOwn(document, 'functions')
}

/** Asks for no more than readers of the document rely on; `waymark check` says the rest. */
function readDiscovery(document: Record<string, unknown>, origin: string): DiscoveryDocument {
  const { functions, info, components = {}, servers = [] } = document
  const fail = (field: string, expected: string): UsageError =>
    new UsageError(`${origin} is not a discovery document: ${field} must be ${expected}`)
  if (!isRecord(info)) throw fail('/info', 'an object')
  if (!isRecord(components)) throw fail('/components', 'an object')
  if (!Array.isArray(servers)) throw fail('/servers', 'an array')
  if (!Array.isArray(functions)) throw fail('/functions', 'an array')
  for (const [index, entry] of functions.entries()) {
    const { name, version } = isRecord(entry) ? entry : {}
    if (typeof name !== 'string') throw fail(`/functions/${index}/name`, 'a string')
    if (typeof version !== 'string') throw fail(`/functions/${index}/version`, 'a string')
  }
  return document as unknown as DiscoveryDocument
}

/** What was not read from text has no place that references could be joined to. */
const NO_SOURCE: SourceText = { file: '<openapi>', text: '' }

/** An API description names itself; a tool spec is called by its domain. */
function infoOf(description: Description, { domain, version = '1.0.0' }: ToolSpec) {
  const info = description.kind === 'openapi' ? asRecord(description.document['info']) : {}
  const textOr = (value: unknown, otherwise: string): string =>
    typeof value === 'string' && value !== '' ? value : otherwise
  return { title: textOr(info['title'], domain), version: textOr(info['version'], version) }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
