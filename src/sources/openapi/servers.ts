import { asList } from '../../values/index.ts'
import { escapeEnvText, toEnvDomain } from '../tool-spec/index.ts'
import { toSnake } from './names.ts'
import { asFilledText, asNode, asText, type Node, read, type Warn, warnUnresolved } from './node.ts'
import type { DocumentOperation, OpenedDocument } from './operations.ts'
import { consumesOf, convertParameters, convertServers } from './swagger2.ts'

/** What a base URL is made with. */
export interface ServerContext {
  readonly domain: string
  /** Address the document came from; relative servers are joined to it. */
  readonly url?: string | undefined
  readonly warn: Warn
}

/** Chooses the base URL of an operation: its first usable server, variables at their defaults. */
export function chooseBaseUrl(servers: readonly unknown[], context: ServerContext): string {
  const fallback = `\${${toEnvDomain(context.domain)}_BASE_URL}`
  const tried = servers.map((server) => tryServer(server, context, fallback))
  const usable = tried.filter(({ url }) => url !== undefined)
  const [chosen] = usable
  if (chosen?.url === undefined) {
    const variable = fallback.slice(2, -1)
    if (tried.length > 0) {
      context.warn('W113', `no server is an HTTP URL; set ${variable}`, 'servers')
    }
    return fallback
  }
  for (const message of chosen.notes) context.warn('W113', message, 'servers')
  if (chosen !== tried[0]) {
    context.warn('W113', 'the first server is not an HTTP URL; another one is used', 'servers')
  }
  const urls = usable.flatMap(({ url }) => url ?? [])
  const best = preferHttps(chosen.url, urls)
  const others = new Set(urls.filter((url) => url !== best && url !== chosen.url))
  const shown = [...others].slice(0, 3).join(', ')
  if (others.size > 0) context.warn('W113', `another server could be used: ${shown}`, 'servers')
  return best
}

interface TriedServer {
  readonly url: string | undefined
  /** What there is to say about it, should it be chosen. */
  readonly notes: readonly string[]
}

function tryServer(server: unknown, context: ServerContext, fallback: string): TriedServer {
  const notes: string[] = []
  const note = (message: string): void => void notes.push(message)
  const text = fillVariables(server, context, note)
  return { url: text === '' ? undefined : toBaseUrl(text, context, fallback, note), notes }
}

/** The same address over https, when the document lists it too: credentials travel on it. */
function preferHttps(chosen: string, urls: readonly (string | undefined)[]): string {
  const secure = chosen.replace(/^http:/i, 'https:')
  return urls.includes(secure) ? secure : chosen
}

/** Longer than any address that works; the patterns below are slow on absurd ones. */
const MAX_URL = 2048

/** Fills `{variables}`; one without a default becomes a reference to the environment. */
function fillVariables(
  server: unknown,
  context: ServerContext,
  note: (message: string) => void,
): string {
  const given = asFilledText(read(server, 'url'))?.trim() ?? ''
  const template = given.length > MAX_URL ? '' : given
  const variables = read(server, 'variables')
  return escapeEnvText(template).replace(/\$?\{([^{}]+)\}/g, (whole, name: string) => {
    if (whole.startsWith('$')) return whole
    const value = asText(read(read(variables, name), 'default'))
    // A default that is a placeholder itself is none.
    if (value !== undefined && value !== '' && !/[{}]/.test(value)) return value
    const variable = `${toEnvDomain(context.domain)}_${toSnake(name).toUpperCase() || 'SERVER'}`
    note(`the server variable {${name.slice(0, 40)}} has no default; set ${variable}`)
    return `\${${variable}}`
  })
}

function toBaseUrl(
  text: string,
  context: ServerContext,
  fallback: string,
  note: (message: string) => void,
): string | undefined {
  const [bare = ''] = text.split(/[?#]/)
  if (bare !== text) note('query and fragment of the server address are left out')
  const trimmed = bare.replace(/(?<!\/)\/+$/, '')
  if (/^https?:\/\//i.test(trimmed)) return isUsable(trimmed) ? trimmed : undefined
  if (trimmed.startsWith('//')) return isUsable(`https:${trimmed}`) ? `https:${trimmed}` : undefined
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return undefined
  if (trimmed.startsWith('${')) return trimmed
  return joinRelative(trimmed, context, fallback, note)
}

function joinRelative(
  path: string,
  context: ServerContext,
  fallback: string,
  note: (message: string) => void,
): string {
  // A bare host is a common slip; a first segment with a dot is one.
  const isHost = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?(\/|$)/i.test(path)
  if (isHost && isUsable(`https://${path}`)) return `https://${path}`
  if (
    context.url !== undefined &&
    /^https?:/i.test(context.url) &&
    URL.canParse(path || '/', context.url)
  ) {
    return new URL(path || '/', context.url).href.replace(/[?#].*$/, '').replace(/(?<!\/)\/+$/, '')
  }
  const steps = path.split('/').filter((step) => step !== '' && step !== '.' && step !== '..')
  const joined = [fallback, ...steps.map((step) => step.replace(/\s/g, '%20'))].join('/')
  note(`the server is relative; set ${fallback.slice(2, -1)} to the host`)
  return joined
}

/** As the spec rules see it: variables filled with anything. */
function isUsable(url: string): boolean {
  const tried = url.replace(/\$\{[^{}]*\}/g, 'x')
  return /^https?:\/\/[^/?#\s]/i.test(tried) && !/\s/.test(tried) && URL.canParse(tried)
}

/** Finds the base URL most tools share, for the top of the file. */
export function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** An operation in OpenAPI 3 form, whatever the document is written in. */
export interface OperationModel {
  /** Resolved and merged: the operation's own win over those of the path. */
  readonly parameters: readonly Node[]
  readonly requestBody: Node | undefined
  /** Innermost first. */
  readonly servers: readonly unknown[]
  readonly security: unknown
  readonly callbacks: unknown
  readonly responses: unknown
}

/** Reads an operation into the one form that the rest of the import knows. */
export function readModel(
  opened: OpenedDocument,
  operation: DocumentOperation,
  warn: Warn,
): OperationModel {
  const { document, version } = opened
  const { node, item } = operation
  const merged = mergeParameters(opened, operation, warn)
  const common = {
    security: read(node, 'security') ?? read(document, 'security'),
    callbacks: read(node, 'callbacks'),
    responses: read(node, 'responses'),
  }
  const body = readBody(opened, read(node, 'requestBody'), warn)
  if (version === '2.0') {
    const converted = convertParameters(merged, consumesOf(node, document), warn)
    const hasSchemes = asList(read(node, 'schemes')).length > 0
    return {
      ...common,
      ...converted,
      requestBody: chooseBody(converted.requestBody, body, 'OpenAPI 3', warn),
      servers:
        hasSchemes && read(document, 'host') !== undefined
          ? convertServers(document, node['schemes'])
          : opened.servers,
    }
  }
  const own = [read(node, 'servers'), read(item, 'servers')].map(asList)
  const old = body === undefined ? merged.filter(isOldBody) : []
  const converted = convertParameters(old, consumesOf(node, document), warn)
  return {
    ...common,
    parameters: merged.filter((parameter) => !old.includes(parameter)),
    requestBody: chooseBody(body, converted.requestBody, 'Swagger 2.0', warn),
    servers: own.find((list) => list.length > 0) ?? opened.servers,
  }
}

/** A body as 2.0 writes it, which documents whose version was merely raised still have. */
function isOldBody(parameter: Node): boolean {
  return parameter['in'] === 'body' || parameter['in'] === 'formData'
}

/** The body that belongs to the version of the document, else the one of the other version. */
function chooseBody(
  own: Node | undefined,
  foreign: Node | undefined,
  version: string,
  warn: Warn,
): Node | undefined {
  if (foreign === undefined) return own
  const fate = own === undefined ? 'is taken' : 'is ignored beside another one'
  warn('W101', `a body of ${version} ${fate}`, 'body')
  return own ?? foreign
}

function readBody(opened: OpenedDocument, value: unknown, warn: Warn): Node | undefined {
  if (value === undefined || value === null) return undefined
  const resolved = opened.resolver.resolve(value)
  if (resolved.found) return asNode(resolved.node)
  warnUnresolved(warn, resolved, 'body')
  // What the body looks like is unknown, but that there is one is known.
  return { content: { 'application/json': {} } }
}

function mergeParameters(opened: OpenedDocument, operation: DocumentOperation, warn: Warn): Node[] {
  const merged = new Map<string, Node>()
  for (const list of [read(operation.item, 'parameters'), read(operation.node, 'parameters')]) {
    for (const value of parametersIn(list)) {
      const resolved = opened.resolver.resolve(value)
      if (!resolved.found) {
        warnUnresolved(warn, resolved, 'params')
        continue
      }
      const parameter = asNode(resolved.node)
      const name = asText(read(parameter, 'name'))
      const place = toPlace(asText(read(parameter, 'in')))
      if (parameter === undefined || name === undefined || place === undefined) {
        warn('W101', 'a parameter without name or place is ignored', 'params')
        continue
      }
      const key =
        place === 'body' ? 'body' : `${place}\n${place === 'header' ? name.toLowerCase() : name}`
      merged.set(key, { ...parameter, name, in: place })
    }
  }
  return [...merged.values()]
}

const PLACES = ['path', 'query', 'header', 'cookie', 'body', 'formData', 'querystring']

/** Reads the place of a parameter, in whatever case it is written. */
function toPlace(given: string | undefined): string | undefined {
  const text = given?.trim()
  return PLACES.find((place) => place.toLowerCase() === text?.toLowerCase()) ?? text
}

/** A list; some documents write a mapping of parameters instead. */
function parametersIn(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list
  return Object.values(asNode(list) ?? {})
}
