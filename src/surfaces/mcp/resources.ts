import { viewOf } from '../../core/index.ts'
import { andThen, type Json, type Maybe, toShort } from '../../values/index.ts'
import { requireText } from './decode.ts'
import type { ResourceContents } from './encode.ts'
import type { McpEnvironment } from './environment.ts'
import { McpError, RPC } from './errors.ts'
import type { McpResource, McpResourceTemplate, Reader, ResourceReading } from './offer.ts'
import type { Era, McpExchange, Methods } from './protocol.ts'
import { runReader, selectPage } from './reader.ts'
import { createFunctionTemplate, createServiceResources } from './service-resources.ts'

/** Reads the variables out of a URI. */
export type UriMatcher = (uri: string) => Readonly<Record<string, string>> | undefined

const VARIABLE = /\{(\+?)([A-Za-z0-9_]+)\}/g

/** Creates the matcher of a URI template; `{name}` stands for one segment, `{+name}` for anything. */
export function createUriMatcher(template: string): UriMatcher {
  const variables = [...template.matchAll(VARIABLE)].map((match, index, all) => {
    const end = match.index + match[0].length
    return {
      name: match[2] ?? '',
      stops: match[1] === '+' ? '\n' : '\n/?#',
      text: template.slice(end, all[index + 1]?.index),
    }
  })
  const head = template.slice(0, variables.length === 0 ? undefined : template.search(VARIABLE))
  return (uri) => {
    if (!uri.startsWith(head)) return undefined
    const ends = findEnds(uri, variables)
    const values: Record<string, string> = {}
    let at = head.length
    for (const [index, { name, text }] of variables.entries()) {
      const end = ends[index]?.[at] ?? -1
      if (end === -1) return undefined
      values[name] = decode(uri.slice(at, end))
      at = end + text.length
    }
    return at === uri.length ? values : undefined
  }
}

/**
 * Finds for each variable and each place where it may begin how far it goes at most, or -1, from the last variable to
 * the first: URIs come from callers, and trying one end after the other would take two variables side by side time squared.
 */
function findEnds(
  uri: string,
  variables: readonly { readonly stops: string; readonly text: string }[],
): readonly Int32Array[] {
  const ends: Int32Array[] = []
  let next: Int32Array | undefined
  for (const { stops, text } of variables.toReversed()) {
    const found = new Int32Array(uri.length + 1).fill(-1)
    let farthest = -1
    for (let at = uri.length; at >= 0; at -= 1) {
      if (stops.includes(uri[at] ?? '\n') && at < uri.length) farthest = -1
      else found[at] = farthest
      const behind = at + text.length
      const goesOn = next === undefined ? behind === uri.length : (next[behind] ?? -1) !== -1
      if (farthest === -1 && goesOn && uri.startsWith(text, at)) farthest = at
    }
    ends.unshift(found)
    next = found
  }
  return ends
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

type WhoReads = Pick<Reader, 'principal'>

/** What can be read. */
export interface Resources {
  readonly methods: Methods
  readonly templates: () => readonly McpResourceTemplate[]
}

/** Gives a list that is fixed, or asked for every time. */
export function toGetter<Item>(
  offered: readonly Item[] | (() => readonly Item[]) = [],
): () => readonly Item[] {
  return typeof offered === 'function' ? offered : () => offered
}

/** Makes the methods that list and read resources. */
export function createResources(environment: McpEnvironment): Resources {
  const { service, catalogue, options, writer, pageSize, cacheMs } = environment
  const described = createServiceResources(service, catalogue)
  const offered = toGetter(options.resources)
  const offeredTemplates = toGetter(options.resourceTemplates)
  const functions = createFunctionTemplate(service, catalogue)
  const templates = () => [...offeredTemplates(), functions]
  const matchers = new WeakMap<McpResourceTemplate, UriMatcher>()
  const all = ({ principal }: WhoReads): readonly McpResource[] => [
    ...offered(),
    ...described(viewOf(service, principal)),
  ]

  function match(template: McpResourceTemplate, uri: string): ReturnType<UriMatcher> {
    const known = matchers.get(template) ?? createUriMatcher(template.uriTemplate)
    matchers.set(template, known)
    return known(uri)
  }

  function read(uri: string, reader: Reader): Maybe<ResourceReading | undefined> {
    const resource = all(reader).find((candidate) => candidate.uri === uri)
    if (resource !== undefined) return resource.read(reader)
    for (const template of templates()) {
      const variables = template.read && match(template, uri)
      if (variables !== undefined) return template.read?.(variables, reader)
    }
    return options.readResource?.(uri, reader)
  }

  const typeOf = (uri: string, reader: Reader): string | undefined =>
    all(reader).find((resource) => resource.uri === uri)?.mimeType ??
    templates().find((template) => match(template, uri))?.mimeType

  return {
    templates,
    methods: {
      'resources/list': ({ era, params, principal }) => {
        const page = selectPage(all({ principal }), params['cursor'], pageSize, ({ uri }) => uri)
        return writer.cacheable(era, encodePage('resources', page.items, page.nextCursor), cacheMs)
      },
      'resources/templates/list': ({ era, params }) => {
        const page = selectPage(templates(), params['cursor'], pageSize, (item) => item.uriTemplate)
        return writer.cacheable(
          era,
          encodePage('resourceTemplates', page.items, page.nextCursor),
          cacheMs,
        )
      },
      'resources/read': (exchange) => {
        const uri = requireText(exchange.params, 'uri')
        return runReader(environment, exchange, (reader) =>
          andThen(read(uri, reader), (reading) => {
            if (reading === undefined) throw notFound(exchange, uri)
            const contents = JSON.stringify(toContents(uri, typeOf(uri, reader), reading))
            return writer.cacheable(exchange.era, `"contents":${contents}`, 0)
          }),
        )
      },
    },
  }
}

/** Writes a page of a list; functions of an item stay here. */
export function encodePage(
  name: string,
  items: readonly object[],
  nextCursor: string | undefined,
): string {
  const list = JSON.stringify(items.map(toListed))
  return nextCursor === undefined
    ? `"${name}":${list}`
    : `"${name}":${list},"nextCursor":"${nextCursor}"`
}

function toListed(item: object): Record<string, Json> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => typeof value !== 'function'))
}

function toContents(
  uri: string,
  mimeType: string | undefined,
  reading: ResourceReading,
): readonly ResourceContents[] {
  const known = { uri, ...(mimeType !== undefined && { mimeType }) }
  if (typeof reading === 'string') return [{ ...known, text: reading }]
  if (!(reading instanceof Uint8Array)) return reading
  return [{ ...known, blob: Buffer.from(reading).toString('base64') }]
}

const LEGACY_NOT_FOUND = -32002

function notFound({ era }: { readonly era: Era } & Pick<McpExchange, 'id'>, uri: string): McpError {
  const code = era === 'modern' ? RPC.invalidParams : LEGACY_NOT_FOUND
  return new McpError(code, `Resource not found: ${toShort(uri)}`, {
    data: { uri: toShort(uri, 2_000) },
  })
}
