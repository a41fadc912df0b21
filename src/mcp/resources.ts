import type { Json } from '../core/json.ts'
import { andThen, type Maybe } from '../core/maybe.ts'
import { toShort } from '../core/text.ts'
import type { ResourceContents } from './content.ts'
import { selectPage } from './cursor.ts'
import { requireText } from './decode.ts'
import type { Environment } from './environment.ts'
import { McpError, RPC } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Methods } from './methods.ts'
import type { McpResource, McpResourceTemplate, Reader, ResourceReading } from './offer.ts'
import type { Era } from './protocol.ts'
import { runReader } from './reader.ts'
import { createFunctionTemplate, createServiceResources } from './service-resources.ts'
import { createUriMatcher } from './uri-template.ts'

/** What can be read. */
export interface Resources {
  readonly methods: Methods
  readonly templates: readonly McpResourceTemplate[]
}

/** Makes the methods that list and read resources. */
export function createResources(environment: Environment): Resources {
  const { service, catalogue, options, writer, pageSize, cacheMs } = environment
  const described = createServiceResources(service, catalogue)
  const offered = options.resources ?? []
  const templates = [
    ...(options.resourceTemplates ?? []),
    createFunctionTemplate(service, catalogue),
  ]
  const matchers = templates.map((template) => ({
    template,
    match: createUriMatcher(template.uriTemplate),
  }))
  const all = (): readonly McpResource[] => [...offered, ...described()]

  function read(uri: string, reader: Reader): Maybe<ResourceReading | undefined> {
    const resource = all().find((candidate) => candidate.uri === uri)
    if (resource !== undefined) return resource.read(reader)
    for (const { template, match } of matchers) {
      const variables = match(uri)
      if (variables !== undefined) return template.read(variables, reader)
    }
    return undefined
  }

  const typeOf = (uri: string): string | undefined =>
    all().find((resource) => resource.uri === uri)?.mimeType ??
    matchers.find(({ match }) => match(uri))?.template.mimeType

  return {
    templates,
    methods: {
      'resources/list': ({ era, params }) => {
        const page = selectPage(all(), params['cursor'], pageSize, ({ uri }) => uri)
        return writer.cacheable(era, encodePage('resources', page.items, page.nextCursor), cacheMs)
      },
      'resources/templates/list': ({ era, params }) => {
        const page = selectPage(templates, params['cursor'], pageSize, (item) => item.uriTemplate)
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
            const contents = JSON.stringify(toContents(uri, typeOf(uri), reading))
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

function notFound({ era }: { readonly era: Era } & Pick<Exchange, 'id'>, uri: string): McpError {
  const code = era === 'modern' ? RPC.invalidParams : LEGACY_NOT_FOUND
  return new McpError(code, `Resource not found: ${toShort(uri)}`, {
    data: { uri: toShort(uri, 2_000) },
  })
}
