import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the published documents are; tests that need them skip by name when it is absent. */
const FIXTURES: string = fileURLToPath(new URL('../../../shared/fixtures/ucp/', import.meta.url))

/** Whether the published documents are at hand. */
export const HAS_FIXTURES: boolean = existsSync(FIXTURES)

/** Reads a JSON file below the fixtures. */
export function readFixture(path: string): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, path), 'utf8'))
}

/** Reads every JSON file below a folder of the fixtures, by path relative to that folder. */
export function readFolder(folder: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const name of readdirSync(join(FIXTURES, folder), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (name.endsWith('.json') && statSync(join(FIXTURES, path)).isFile()) {
      found.set(name, readFixture(path))
    }
  }
  return found
}

/** Reads the documents published for a protocol version, by URL. */
export function publishedDocuments(version: string): Record<string, unknown> {
  const entries = [...readFolder(`published/${version}`)]
  return Object.fromEntries(
    entries.map(([path, document]) => [`https://ucp.dev/${version}/${path}`, document]),
  )
}

/** Makes numbers between 0 and 1 that are the same on every run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The protocol version that test profiles speak unless they say otherwise. */
export const VERSION = '2026-04-08'

/** The capabilities that tests negotiate about. */
export const CHECKOUT = 'dev.ucp.shopping.checkout'
export const CART = 'dev.ucp.shopping.cart'
export const ORDER = 'dev.ucp.shopping.order'
export const DISCOUNT = 'dev.ucp.shopping.discount'
export const FULFILLMENT = 'dev.ucp.shopping.fulfillment'
export const SEARCH = 'dev.ucp.shopping.catalog.search'
export const LOOKUP = 'dev.ucp.shopping.catalog.lookup'

/** A profile as tests write it: loosely typed, to be damaged at will. */
export interface LooseProfile {
  ucp: {
    version: string
    services: Record<string, unknown>
    capabilities: Record<string, unknown>
    payment_handlers: Record<string, unknown>
    [member: string]: unknown
  }
  [member: string]: unknown
}

/** What a test says about one entry; the rest is filled in. */
export interface LooseEntry {
  readonly version?: string
  readonly [member: string]: unknown
}

/** Builds a profile; an entry may be one or several, and gets version and schema when it has none. */
export function makeProfile(
  capabilities: Readonly<Record<string, LooseEntry | readonly LooseEntry[]>>,
  members: Readonly<Record<string, unknown>> = {},
): LooseProfile {
  const entries = Object.entries(capabilities).map(([name, value]) => {
    const list = Array.isArray(value) ? value : [value]
    return [name, list.map((entry: LooseEntry) => ({ ...defaults(name), ...entry }))]
  })
  return {
    ucp: {
      version: VERSION,
      services: SHOPPING,
      capabilities: Object.fromEntries(entries),
      payment_handlers: {},
      ...members,
    },
  }
}

/** The address of the REST document of test profiles. */
export const REST_URL = `https://ucp.dev/${VERSION}/services/shopping/rest.openapi.json`

/** The address of the MCP document of test profiles. */
export const MCP_URL = `https://ucp.dev/${VERSION}/services/shopping/mcp.openrpc.json`

/** The service of test profiles over REST and MCP. */
export const SHOPPING: Readonly<Record<string, readonly LooseEntry[]>> = {
  'dev.ucp.shopping': [
    { version: VERSION, transport: 'rest', schema: REST_URL, endpoint: 'https://shop.example/v1' },
    { version: VERSION, transport: 'mcp', schema: MCP_URL, endpoint: 'https://shop.example/mcp' },
  ],
}

/** Writes a short OpenAPI document: identifier to verb and path. */
export function openApi(
  operations: Readonly<Record<string, string>>,
  members: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [operationId, route] of Object.entries(operations)) {
    const [verb = '', path = ''] = route.split(' ')
    paths[path] = { ...paths[path], [verb.toLowerCase()]: { operationId } }
  }
  return { openapi: '3.1.0', info: { title: 'Test', version: VERSION }, paths, ...members }
}

/** Writes a short OpenRPC document with the given methods. */
export function openRpc(...names: readonly string[]): Record<string, unknown> {
  const methods = names.map((name) => ({ name, params: [], result: { name: 'r', schema: true } }))
  return { openrpc: '1.3.2', info: { title: 'Test', version: VERSION }, methods }
}

function defaults(name: string): LooseEntry {
  const vendor = !name.startsWith('dev.ucp.')
  const [top = '', second = ''] = name.split('.')
  return {
    version: vendor ? '2026-03-01' : VERSION,
    schema: `https://${second}.${top}/schemas/${name}.json`,
  }
}
