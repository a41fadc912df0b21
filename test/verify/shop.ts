import { defineFunction } from '../../src/core/function.ts'
import { isRecord } from '../../src/core/json.ts'
import type { Service } from '../../src/core/service.ts'
import { type App, createApp } from '../../src/http/app.ts'
import { runQuery } from '../../src/query/run-query.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
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

/** Creates a service that keeps everything it says. */
export function createHonestShop(): Service {
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
        handler({ call }) {
          if (call.facts.query === undefined) return ITEMS
          return runQuery(
            call.facts.query,
            ITEMS.map(({ id, ...attributes }) => ({ type: 'item', id, attributes })),
          )
        },
      }),
      defineFunction({
        name: 'shop.old',
        version: '1.0.0',
        deprecated: { reason: 'Use shop.list' },
        result: { name: 'count', schema: { type: 'integer' } },
        handler: () => 3,
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
    { store: createMemoryStore() },
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
) => { readonly status?: number; readonly body?: unknown } | undefined

/** Puts a liar in front of an app. */
export function withLie(service: Service, lie: Lie): App {
  const app = createApp(service)
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
        body: told.body === undefined ? response.body : JSON.stringify(told.body),
      }
    },
  }
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
