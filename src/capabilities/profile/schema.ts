import {
  compileSchema,
  type JsonSchema,
  type Problem,
  type SchemaCheck,
} from '../../schema/index.ts'
import { asRecord, PRIVATE_MEMBERS } from '../../values/index.ts'
import { isDateVersion, type Side, TRANSPORTS, type TransportName } from '../model.ts'

/** The published layouts of profiles, named after the protocol version that brought them. */
export const LAYOUTS = ['2026-01-11', '2026-01-23', '2026-04-08', '2026-08-25'] as const

/** A published layout of profiles. */
export type Layout = (typeof LAYOUTS)[number]

/** Names the layout that was in force for a protocol version. */
export function layoutOf(version: string): Layout {
  if (version >= '2026-08') return '2026-08-25'
  return [...LAYOUTS].reverse().find((layout) => layout <= version) ?? '2026-01-11'
}

/** The member that ties a root capability to the operations it drives. */
export const OPERATIONS_SCHEMA: JsonSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1 },
  description: 'Identifiers of the transport operations a root capability drives.',
}

/** A capability entry as publishers should write it: an extension owns no operations. */
export const CAPABILITY_LINT_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Capability entry with operations',
  type: 'object',
  properties: { operations: OPERATIONS_SCHEMA },
  if: { required: ['extends'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { operations: false } },
}

/** Builds the JSON Schema of a profile in a published layout, `operations` included. */
export function buildProfileSchema(side: Side, layout: Layout): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `UCP ${side} profile, layout ${layout}`,
    type: 'object',
    required: ['ucp'],
    properties: layout === '2026-01-11' ? firstLayout() : currentLayout(side, layout),
  }
}

const TEXT = { type: 'string' }

const VERSION = { ...TEXT, pattern: '^\\d{4}-\\d{2}-\\d{2}$' }

const URI = { ...TEXT, format: 'uri' }

const CONFIG = { type: 'object' }

const NARROW_NAME = { ...TEXT, pattern: '^[a-z][a-z0-9]*(?:\\.[a-z][a-z0-9_]*)+$' }

const WIDE_NAME = {
  ...TEXT,
  pattern: '^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$',
}

const ENTITY = { version: VERSION, spec: URI, schema: URI, id: TEXT, config: CONFIG }

/** An object whose members are these, some of them required. */
function object(properties: JsonSchema, required: readonly string[] = []): JsonSchema {
  return { type: 'object', ...(required.length > 0 && { required }), properties }
}

function list(items: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...more }
}

/** An object from names to values of one kind. */
function mapOf(value: JsonSchema, propertyNames?: JsonSchema): JsonSchema {
  return { type: 'object', ...(propertyNames && { propertyNames }), additionalProperties: value }
}

function when(member: string, value: string, rule: JsonSchema): JsonSchema {
  return {
    if: { required: [member], properties: { [member]: { const: value } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: rule,
  }
}

function firstLayout(): JsonSchema {
  const binding = (...required: readonly string[]): JsonSchema =>
    object({ schema: URI, endpoint: URI }, required)
  const transports = {
    rest: binding('schema', 'endpoint'),
    mcp: binding('schema', 'endpoint'),
    a2a: binding('endpoint'),
    embedded: binding('schema'),
  }
  const service = object({ version: VERSION, spec: URI, ...transports }, ['version', 'spec'])
  const { id: _id, ...entity } = ENTITY
  const capability = object(
    { name: NARROW_NAME, ...entity, extends: NARROW_NAME, operations: OPERATIONS_SCHEMA },
    ['name', 'version', 'spec', 'schema'],
  )
  const handler = {
    id: TEXT,
    name: TEXT,
    version: VERSION,
    spec: URI,
    config_schema: URI,
    instrument_schemas: list(URI),
    config: CONFIG,
  }
  const ucp = { version: VERSION, services: mapOf(service), capabilities: list(capability) }
  return {
    ucp: object(ucp, ['version', 'services', 'capabilities']),
    payment: object({ handlers: list(object(handler, Object.keys(handler))) }),
    signing_keys: KEYS_BEFORE,
  }
}

function currentLayout(side: Side, layout: Layout): JsonSchema {
  const name = layout === '2026-08-25' ? WIDE_NAME : NARROW_NAME
  const registry = (entry: JsonSchema): JsonSchema => mapOf(list(entry), name)
  const ucp = {
    version: VERSION,
    ...(layout !== '2026-01-23' && { status: { enum: ['success', 'error'] } }),
    services: registry(serviceEntry(side, layout)),
    capabilities: registry(capabilityEntry(side, layout, name)),
    payment_handlers: registry(handlerEntry(side, layout)),
    ...(side === 'business' &&
      layout !== '2026-01-23' && { supported_versions: mapOf(URI, VERSION) }),
    ...(layout === '2026-08-25' && { map_order: mapOf(list(TEXT)) }),
  }
  return {
    ucp: object(ucp, ['version', 'services', 'payment_handlers']),
    ...(layout === '2026-08-25' ? { keys: KEYS } : { signing_keys: KEYS_BEFORE }),
  }
}

const EMBEDDED_CONFIG = object({
  delegate: list(TEXT),
  color_scheme: list({ enum: ['light', 'dark'] }),
})

function serviceEntry(side: Side, layout: Layout): JsonSchema {
  const members = { ...ENTITY, transport: { enum: TRANSPORTS }, endpoint: URI }
  const required = ['version', 'transport', ...(side === 'platform' ? ['spec'] : [])]
  const rules = TRANSPORTS.map((transport) =>
    when('transport', transport, transportRule(side, layout, transport)),
  )
  return { ...object(members, required), allOf: rules }
}

function transportRule(side: Side, layout: Layout, transport: TransportName): JsonSchema {
  const embedded = transport === 'embedded'
  if (side === 'business') {
    return embedded ? { properties: { config: EMBEDDED_CONFIG } } : { required: ['endpoint'] }
  }
  const needsEndpoint = layout === '2026-01-23' && !embedded
  return {
    required: [...(transport === 'a2a' ? [] : ['schema']), ...(needsEndpoint ? ['endpoint'] : [])],
  }
}

function capabilityEntry(side: Side, layout: Layout, name: JsonSchema): JsonSchema {
  const parents = layout === '2026-01-23' ? name : { anyOf: [name, list(name, { minItems: 1 })] }
  const ownSchema = layout === '2026-08-25' ? ['version', 'schema'] : ['version']
  return object(
    { ...ENTITY, extends: parents, operations: OPERATIONS_SCHEMA },
    side === 'platform' ? ['version', 'spec', 'schema'] : ownSchema,
  )
}

function handlerEntry(side: Side, layout: Layout): JsonSchema {
  const instruments = list(object({ type: TEXT }, ['type']), { minItems: 1 })
  return object(
    { ...ENTITY, ...(layout !== '2026-01-23' && { available_instruments: instruments }) },
    side === 'platform' ? ['version', 'id', 'spec', 'schema'] : ['version', 'id'],
  )
}

const KEY = { kid: TEXT, kty: TEXT, crv: TEXT, x: TEXT, y: TEXT, alg: TEXT }

const KEYS_BEFORE = list(
  object({ ...KEY, n: TEXT, e: TEXT, use: { enum: ['sig', 'enc'] } }, ['kid', 'kty']),
)

// Private key material must not appear in a profile.
const PRIVATE_REFUSED = Object.fromEntries(PRIVATE_MEMBERS.map((member) => [member, false]))

const KEYS = list({
  ...object({ ...KEY, use: TEXT, ...PRIVATE_REFUSED }, ['kid', 'kty']),
  allOf: [
    when('kty', 'EC', { required: ['crv', 'x', 'y'] }),
    when('kty', 'OKP', { required: ['crv', 'x'] }),
    when('crv', 'P-256', { properties: { alg: { const: 'ES256' } } }),
    when('crv', 'P-384', { properties: { alg: { const: 'ES384' } } }),
    when('crv', 'Ed25519', { properties: { alg: { const: 'EdDSA' } } }),
  ],
})

/** Checks profiles strictly, as published; each layout is compiled when it is first needed. */
export interface ProfileValidator {
  /** Lists what violates the layout of the profile's own version, or the layout that is asked for. */
  readonly problems: (profile: unknown, side: Side, layout?: Layout) => readonly Problem[]
}

/** Makes a validator for all published layouts. */
export function createProfileValidator(): ProfileValidator {
  const checks = new Map<string, SchemaCheck>()
  return {
    problems: (profile, side, layout = declaredLayout(profile)) => {
      const key = `${side} ${layout}`
      const check =
        checks.get(key) ?? compileSchema(buildProfileSchema(side, layout), { assertFormats: true })
      checks.set(key, check)
      const validation = check(profile)
      return validation.ok ? [] : validation.problems
    },
  }
}

function declaredLayout(profile: unknown): Layout {
  const { version } = asRecord(asRecord(profile)['ucp'])
  return layoutOf(isDateVersion(version) ? version : '2026-08-25')
}
