import { defineFunction } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { startMaintenance } from '../../src/extensions/maintenance/state.ts'
import { createOutgoing } from '../../src/extensions/outgoing/outgoing.ts'
import { runQuery } from '../../src/extensions/query/run-query.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type App, createApp } from '../../src/http/app.ts'
import { jsonSchema } from '../../src/schema/schema.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { isRecord } from '../../src/values/json.ts'
import { createInProcessQueue } from '../../src/work/in-process.ts'
import { serviceOf } from '../support/service.ts'

const ITEMS = [
  { id: 'a', name: 'Apple', size: 3 },
  { id: 'b', name: 'Bread', size: 9 },
  { id: 'c', name: 'Cheese', size: 5 },
]

const ITEM = {
  type: 'object',
  properties: { id: { type: 'string' }, name: { type: 'string' }, size: { type: 'integer' } },
  required: ['id', 'name', 'size'],
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const HOUR = { value: 1, unit: 'hour' } as const

/** Creates a service that keeps everything it says, with every extension there is. */
export async function createHonestShop(): Promise<Service> {
  const store = createMemoryStore()
  const jobs = createInProcessQueue(store)
  await startMaintenance(store, { function: 'shop.closed', reason: 'Stocktaking' })
  return serviceOf(
    [
      defineFunction({
        name: 'shop.get',
        version: '1.0.0',
        arguments: [{ name: 'id', required: true, schema: { type: 'string' } }],
        result: { name: 'item', schema: ITEM },
        errors: [{ code: 'SHOP_UNKNOWN', message: 'There is no such item', status: 404 }],
        examples: [
          {
            name: 'an apple',
            params: [{ value: 'a' }],
            result: { value: { id: 'a', name: 'Apple' } },
          },
        ].map((example) => ({
          ...example,
          result: { value: { ...example.result.value, size: 3 } },
        })),
        handler({ input, fail }) {
          const found = ITEMS.find(({ id }) => id === (input as { id: string }).id)
          if (found === undefined) throw fail('SHOP_UNKNOWN')
          return found
        },
      }),
      defineFunction({
        name: 'shop.list',
        version: '1.0.0',
        arguments: [],
        result: { name: 'items', schema: { type: 'array', items: ITEM } },
        query: {
          filters: { allowed: ['name'], operators: ['eq', 'in'] },
          sorts: { allowed: ['size'] },
          fields: { allowed: ['name', 'size'] },
          pagination: { strategies: ['offset', 'cursor'], defaultSize: 10, maxSize: 20 },
        },
        examples: [{ name: 'everything', params: [], result: { value: ITEMS } }],
        handler: () => ITEMS,
        resources: ({ plan }) =>
          runQuery(
            plan,
            ITEMS.map(({ id, ...attributes }) => ({ type: 'item', id, attributes })),
          ),
      }),
      defineFunction({
        name: 'shop.old',
        version: '1.0.0',
        deprecated: { reason: 'Use shop.list' },
        result: { name: 'count', schema: { type: 'integer' } },
        handler: () => 3,
      }),
      defineFunction({
        name: 'shop.watch',
        version: '1.0.0',
        sideEffects: [],
        item: jsonSchema<{ name: string }>({
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
        }),
        output: jsonSchema<{ seen: number }>({ type: 'object' }),
        examples: [{ name: 'all', params: [], result: { value: { seen: 3 } } }],
        async *handler() {
          for (const { name } of ITEMS) yield { name }
          return { seen: ITEMS.length }
        },
      }),
      defineFunction({
        name: 'shop.closed',
        version: '1.0.0',
        sideEffects: [],
        result: { name: 'open', schema: { type: 'boolean' } },
        handler: () => true,
      }),
      defineFunction({
        name: 'shop.add',
        version: '1.0.0',
        sideEffects: ['create'],
        arguments: [{ name: 'name', required: true, schema: { type: 'string' } }],
        result: { name: 'item', schema: ITEM },
        simulations: [
          { name: 'added', input: { name: 'Date' }, output: { id: 'd', name: 'Date', size: 1 } },
          { name: 'full', input: { name: 'x' }, error: { code: 'CONFLICT', message: 'Full' } },
        ],
        handler: ({ input }) => ({ id: 'd', name: (input as { name: string }).name, size: 1 }),
      }),
    ],
    {
      extensions: [
        ...statefulExtensions({
          store,
          jobs,
          outgoing: createOutgoing({ jobs, secret: SECRET }),
          rateLimit: { policies: [{ scope: 'service', limit: 100_000, window: HOUR }] },
          quota: {
            quotas: [{ type: 'requests', name: 'Calls', limit: 100_000, period: 'day' }],
          },
        }),
      ],
    },
  )
}

/** A request as a lie looks at it. */
export interface SeenRequest {
  readonly path: string
  readonly name: string
  readonly version: string | undefined
  readonly arguments: Record<string, unknown>
  /** Options by the last part of the extension's URN. */
  readonly extensions: Readonly<Record<string, Record<string, unknown>>>
  readonly tooLarge: boolean
  readonly length: number
}

/** Changes an answer: a new status, or a new body; undefined leaves it alone. */
export type Lie = (
  seen: SeenRequest,
  // biome-ignore lint/suspicious/noExplicitAny: lies reach into answers of every shape
  body: any,
) =>
  | {
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  | undefined

/** Puts a liar in front of an app. */
export function withLie(service: Service, lie: Lie): App {
  const app = createApp(service, { surfaces: allSurfaces() })
  return {
    ...app,
    async handle(request) {
      const response = await app.handle(request)
      const text = Buffer.from(request.body).toString()
      const seen = look(text, request.path, request.bodyTooLarge)
      const body = typeof response.body === 'string' ? tryParse(response.body) : undefined
      const told = lie(seen, body)
      if (told === undefined) return response
      return {
        ...response,
        status: told.status ?? response.status,
        headers: { ...response.headers, ...told.headers },
        body: toBody(told.body) ?? response.body,
      }
    },
  }
}

/** Text is taken as it is: a stream of events is not JSON. */
function toBody(body: unknown): string | undefined {
  return body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
}

function look(text: string, path: string, tooLarge: boolean): SeenRequest {
  const document = text.length > 20_000 ? {} : (tryParse(text) ?? {})
  const { call, extensions = [] } = document as {
    call?: { function: string; version?: string; arguments?: Record<string, unknown> }
    extensions?: { urn: string; options?: Record<string, unknown> }[]
  }
  return {
    path,
    tooLarge,
    length: text.length,
    name: call?.function.split(':').at(-1) ?? '',
    version: call?.version,
    arguments: call?.arguments ?? {},
    extensions: Object.fromEntries(
      extensions.map(({ urn, options = {} }) => [urn.split(':').at(-1) ?? '', options]),
    ),
  }
}

function tryParse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
