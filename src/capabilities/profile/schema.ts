import type { JsonSchema } from '../../schema/index.ts'
import { PRIVATE_MEMBERS } from '../../values/index.ts'
import { type Side, TRANSPORTS } from '../model.ts'

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

const VERSION = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }

const URI = { type: 'string', format: 'uri' }

const NARROW_NAME = { type: 'string', pattern: '^[a-z][a-z0-9]*(?:\\.[a-z][a-z0-9_]*)+$' }

const WIDE_NAME = {
  type: 'string',
  pattern: '^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$',
}

const ENTITY = {
  version: VERSION,
  spec: URI,
  schema: URI,
  id: { type: 'string' },
  config: { type: 'object' },
}

function firstLayout(): JsonSchema {
  const binding = (...required: readonly string[]): JsonSchema => ({
    type: 'object',
    required,
    properties: { schema: URI, endpoint: URI },
  })
  return {
    ucp: {
      type: 'object',
      required: ['version', 'services', 'capabilities'],
      properties: {
        version: VERSION,
        services: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['version', 'spec'],
            properties: {
              version: VERSION,
              spec: URI,
              rest: binding('schema', 'endpoint'),
              mcp: binding('schema', 'endpoint'),
              a2a: binding('endpoint'),
              embedded: binding('schema'),
            },
          },
        },
        capabilities: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'version', 'spec', 'schema'],
            properties: {
              name: NARROW_NAME,
              version: VERSION,
              spec: URI,
              schema: URI,
              config: { type: 'object' },
              extends: NARROW_NAME,
              operations: OPERATIONS_SCHEMA,
            },
          },
        },
      },
    },
    payment: {
      type: 'object',
      properties: {
        handlers: {
          type: 'array',
          items: {
            type: 'object',
            required: [
              'id',
              'name',
              'version',
              'spec',
              'config_schema',
              'instrument_schemas',
              'config',
            ],
            properties: {
              id: TEXT,
              name: TEXT,
              version: VERSION,
              spec: URI,
              config_schema: URI,
              instrument_schemas: { type: 'array', items: URI },
              config: { type: 'object' },
            },
          },
        },
      },
    },
    signing_keys: KEYS_BEFORE,
  }
}

function currentLayout(side: Side, layout: Layout): JsonSchema {
  const name = layout === '2026-08-25' ? WIDE_NAME : NARROW_NAME
  const registry = (entry: JsonSchema): JsonSchema => ({
    type: 'object',
    propertyNames: name,
    additionalProperties: { type: 'array', items: entry },
  })
  return {
    ucp: {
      type: 'object',
      required: ['version', 'services', 'payment_handlers'],
      properties: {
        version: VERSION,
        ...(layout !== '2026-01-23' && { status: { enum: ['success', 'error'] } }),
        services: registry(serviceEntry(side, layout)),
        capabilities: registry(capabilityEntry(side, layout, name)),
        payment_handlers: registry(handlerEntry(side, layout)),
        ...(side === 'business' && layout !== '2026-01-23' && { supported_versions: LEAVES }),
        ...(layout === '2026-08-25' && { map_order: MAP_ORDER }),
      },
    },
    ...(layout === '2026-08-25' ? { keys: KEYS } : { signing_keys: KEYS_BEFORE }),
  }
}

const LEAVES = { type: 'object', propertyNames: VERSION, additionalProperties: URI }

const MAP_ORDER = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}

const EMBEDDED_CONFIG = {
  type: 'object',
  properties: {
    delegate: { type: 'array', items: { type: 'string' } },
    color_scheme: { type: 'array', items: { enum: ['light', 'dark'] } },
  },
}

function serviceEntry(side: Side, layout: Layout): JsonSchema {
  const plain = { transport: { enum: TRANSPORTS }, endpoint: URI }
  const rules = (['rest', 'mcp', 'a2a', 'embedded'] as const).map((transport) => ({
    if: { required: ['transport'], properties: { transport: { const: transport } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: transportRule(side, layout, transport),
  }))
  return {
    type: 'object',
    required: side === 'platform' ? ['version', 'transport', 'spec'] : ['version', 'transport'],
    properties: { ...ENTITY, ...plain },
    allOf: rules,
  }
}

function transportRule(
  side: Side,
  layout: Layout,
  transport: (typeof TRANSPORTS)[number],
): JsonSchema {
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
  const list = { type: 'array', items: name, minItems: 1 }
  const ownSchema = layout === '2026-08-25' ? ['version', 'schema'] : ['version']
  return {
    type: 'object',
    required: side === 'platform' ? ['version', 'spec', 'schema'] : ownSchema,
    properties: {
      ...ENTITY,
      extends: layout === '2026-01-23' ? name : { anyOf: [name, list] },
      operations: OPERATIONS_SCHEMA,
    },
  }
}

function handlerEntry(side: Side, layout: Layout): JsonSchema {
  const instruments = {
    type: 'array',
    minItems: 1,
    items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
  }
  return {
    type: 'object',
    required: side === 'platform' ? ['version', 'id', 'spec', 'schema'] : ['version', 'id'],
    properties: {
      ...ENTITY,
      ...(layout !== '2026-01-23' && { available_instruments: instruments }),
    },
  }
}

const TEXT = { type: 'string' }

// Private key material must not appear in a profile.
const PRIVATE_REFUSED = Object.fromEntries(PRIVATE_MEMBERS.map((member) => [member, false]))

const KEYS_BEFORE = {
  type: 'array',
  items: {
    type: 'object',
    required: ['kid', 'kty'],
    properties: {
      kid: TEXT,
      kty: TEXT,
      crv: TEXT,
      x: TEXT,
      y: TEXT,
      n: TEXT,
      e: TEXT,
      alg: TEXT,
      use: { enum: ['sig', 'enc'] },
    },
  },
}

const KEYS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['kid', 'kty'],
    properties: {
      kid: TEXT,
      kty: TEXT,
      crv: TEXT,
      x: TEXT,
      y: TEXT,
      alg: TEXT,
      use: TEXT,
      ...PRIVATE_REFUSED,
    },
    allOf: [
      when('kty', 'EC', { required: ['crv', 'x', 'y'] }),
      when('kty', 'OKP', { required: ['crv', 'x'] }),
      when('crv', 'P-256', { properties: { alg: { const: 'ES256' } } }),
      when('crv', 'P-384', { properties: { alg: { const: 'ES384' } } }),
      when('crv', 'Ed25519', { properties: { alg: { const: 'EdDSA' } } }),
    ],
  },
}

function when(member: string, value: string, rule: JsonSchema): JsonSchema {
  return {
    if: { required: [member], properties: { [member]: { const: value } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: rule,
  }
}
