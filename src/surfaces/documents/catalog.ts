import { once } from '../../values/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import type { CatalogLink, SurfacePlace } from '../surface/index.ts'

/** Where RFC 9727 has the API catalog of a site. */
export const CATALOG_PATH = '/.well-known/api-catalog'

const OPENAPI: CatalogLink = {
  relation: 'service-desc',
  path: '/openapi.json',
  type: 'application/json',
}

const STATUS: CatalogLink = {
  relation: 'status',
  path: '/health/ready',
  type: 'application/json',
}

const HEADERS = {
  'content-type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  'cache-control': 'public, max-age=60',
  link: `<${CATALOG_PATH}>; rel="api-catalog"`,
}

/**
 * Serves the endpoints of a service and the documents about them as a linkset (RFC 9264). It names no function, so it is
 * the same for everybody. Without a public URL its addresses are relative: the scheme that callers use is not known.
 */
export function createCatalog(
  place: Pick<SurfacePlace, 'surfaces' | 'links'>,
  origin: string,
): HttpHandler {
  const body = once(() => JSON.stringify({ linkset: buildLinkset(place, origin) }))
  return ({ method }) =>
    method === 'GET' || method === 'HEAD'
      ? { status: 200, headers: HEADERS, body: body() }
      : { status: 405, headers: { allow: 'GET, HEAD' }, body: '' }
}

interface Target {
  readonly href: string
  readonly type?: string
}

/** The links of one anchor; relations are members beside it. */
type LinkContext = Readonly<Record<string, string | readonly Target[]>>

function buildLinkset(
  { surfaces, links }: Pick<SurfacePlace, 'surfaces' | 'links'>,
  base: string,
): readonly LinkContext[] {
  const shared = [...links(), STATUS]
  const apis = surfaces.filter(({ endpoint }) => endpoint !== undefined)
  return [
    {
      anchor: `${base}${CATALOG_PATH}`,
      item: apis.map(({ endpoint }) => ({ href: `${base}${endpoint}` })),
    },
    ...apis.map(({ endpoint, name }) => ({
      anchor: `${base}${endpoint}`,
      ...groupLinks([...(name === 'rest' ? [OPENAPI] : []), ...shared], base),
    })),
  ]
}

function groupLinks(
  links: readonly CatalogLink[],
  base: string,
): Readonly<Record<string, readonly Target[]>> {
  const groups: Partial<Record<CatalogLink['relation'], Target[]>> = {}
  for (const { relation, path, type } of links) {
    groups[relation] ??= []
    groups[relation].push({ href: `${base}${path}`, type })
  }
  return groups
}
