import { isRecord, type JsonObject } from '../../values/index.ts'

/** Tells the resources of one server from those of others. */
export interface Namespace {
  /** The URI under which ours reads a resource of the server. */
  readonly toOuter: (uri: string) => string
  /** The server's own URI; undefined when the resource belongs to somebody else. */
  readonly toInner: (uri: string) => string | undefined
}

/** Views of MCP Apps: hosts look for their URIs in `_meta`, which is passed on untouched. */
export const UI_SCHEME = 'ui://'

/** Creates the namespace of a source: `mcp+files:file:///a.txt`. Schemes have no case and no `_`. */
export function createNamespace(source: string): Namespace {
  const prefix = `mcp+${source.replaceAll('_', '.')}:`
  return {
    toOuter: (uri) => (uri.startsWith(UI_SCHEME) ? uri : `${prefix}${uri}`),
    toInner(uri) {
      if (uri.startsWith(UI_SCHEME)) return uri
      const own = uri.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase()
      return own ? uri.slice(prefix.length) : undefined
    },
  }
}

/** Rewrites the URIs of links and embedded resources, so that they can be read here. */
export function rewriteBlock(block: unknown, { toOuter }: Namespace): unknown {
  if (!isRecord(block)) return block
  const { type, uri, resource } = block
  if (type === 'resource_link' && typeof uri === 'string') return { ...block, uri: toOuter(uri) }
  if (type === 'resource' && isRecord(resource) && typeof resource['uri'] === 'string') {
    return { ...block, resource: { ...resource, uri: toOuter(resource['uri']) } }
  }
  return block
}

/** Reads which view of MCP Apps a tool names, in either spelling of the extension. */
export function readUiResource(
  meta: Readonly<Record<string, unknown>> | JsonObject | undefined,
): string | undefined {
  const nested = isRecord(meta?.['ui']) ? meta['ui']['resourceUri'] : undefined
  const uri = nested ?? meta?.['ui/resourceUri']
  return typeof uri === 'string' ? uri : undefined
}
