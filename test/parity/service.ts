import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createService, defineFunction, file, type Service } from 'waymark'
import { runQuery, toResource } from 'waymark/query'
import { createMemoryStore } from 'waymark/store'
import { z } from 'zod'

const Ticket = z.object({
  id: z.uuid(),
  status: z.enum(['open', 'closed']),
  total: z.number(),
  created_at: z.iso.datetime(),
})

/** The ids of the tickets, in the order of their totals. */
export const IDS = [
  '00000000-0000-4000-8000-000000000001',
  '00000000-0000-4000-8000-000000000002',
  '00000000-0000-4000-8000-000000000003',
] as const

const TICKETS = [
  { status: 'open' as const, total: 5, customer: 'ann' },
  { status: 'closed' as const, total: 10, customer: 'bob' },
  { status: 'open' as const, total: 20, customer: 'bob' },
].map((ticket, index) => ({
  id: IDS[index] ?? '',
  created_at: `2030-01-0${index + 1}T00:00:00Z`,
  ...ticket,
}))

const CUSTOMERS = [
  toResource('customer', { id: 'ann', name: 'Ann', country: 'FI' }),
  toResource('customer', { id: 'bob', name: 'Bob', country: 'SE' }),
]

const list = defineFunction({
  name: 'tickets.list',
  version: '1.0.0',
  summary: 'List tickets',
  readOnly: true,
  input: z.object({ least: z.number().optional() }),
  output: z.array(Ticket),
  query: {
    filters: { allowed: ['status', 'total'], related: { customer: ['country'] } },
    sorts: { allowed: ['total', 'created_at'], default: { field: 'total', direction: 'asc' } },
    fields: { allowed: ['status', 'total'], related: { customer: ['name'] } },
    relationships: { allowed: ['customer'] },
    pagination: { strategies: ['cursor', 'offset'], defaultSize: 25, maxSize: 100 },
  },
  resources({ input, plan }) {
    const resources = select(input.least).map(({ customer, ...ticket }) =>
      toResource('ticket', ticket, { customer: { data: { type: 'customer', id: customer } } }),
    )
    return runQuery(plan, resources, { related: CUSTOMERS })
  },
  handler: ({ input }) => select(input.least).map(({ customer: _customer, ...rest }) => rest),
})

function select(least = 0): typeof TICKETS {
  return TICKETS.filter(({ total }) => total >= least)
}

const get = (version: string, more: object = {}) =>
  defineFunction({
    name: 'tickets.get',
    version,
    summary: 'Read a ticket',
    readOnly: true,
    input: z.object({ id: z.uuid() }),
    output: z.object({ id: z.uuid(), version: z.string() }),
    errors: [
      { code: 'TICKETS_UNKNOWN', message: 'There is no such ticket', status: 404 },
      { code: 'TICKETS_BUSY', message: 'Somebody works on it', status: 409 },
    ],
    handler({ input, fail }) {
      if (input.id === IDS[0]) throw fail('TICKETS_UNKNOWN', { details: { id: input.id } })
      if (input.id === IDS[1]) {
        throw fail('TICKETS_BUSY', { details: { retry_after: { value: 7, unit: 'second' } } })
      }
      return { id: input.id, version }
    },
    ...more,
  })

/** How often a ticket was closed, by its id. */
const closed = new Map<string, number>()

const close = defineFunction({
  name: 'tickets.close',
  version: '1.0.0',
  summary: 'Close a ticket',
  writes: ['update'],
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), times: z.int() }),
  simulations: [{ name: 'done', input: { id: 'any' }, output: { id: 'simulated', times: 1 } }],
  dryRun: ({ input }) => ({ wouldAffect: [{ type: 'ticket', id: input.id }] }),
  handler({ input }) {
    const times = (closed.get(input.id) ?? 0) + 1
    closed.set(input.id, times)
    return { id: input.id, times }
  },
})

const about = defineFunction({
  name: 'tickets.about',
  version: '1.0.0',
  summary: 'Tell what the call says about itself',
  readOnly: true,
  output: z.object({ language: z.string().nullable(), trace: z.string().nullable() }),
  handler: ({ call: { facts } }) => ({
    language: facts.locale?.language ?? null,
    trace: facts.trace?.traceId ?? null,
  }),
})

const slow = defineFunction({
  name: 'tickets.slow',
  version: '1.0.0',
  summary: 'Wait until nobody waits any more',
  output: z.object({ done: z.boolean() }),
  async handler({ signal }) {
    await sleep(10_000, undefined, { signal, ref: false })
    return { done: true }
  },
})

const watch = defineFunction({
  name: 'tickets.watch',
  version: '1.0.0',
  summary: 'Give tickets one by one',
  item: z.object({ id: z.string() }),
  output: z.object({ count: z.int() }),
  async *handler() {
    for (const id of IDS) yield { id }
    return { count: IDS.length }
  },
})

const report = defineFunction({
  name: 'tickets.report',
  version: '1.0.0',
  summary: 'Make a long report',
  extensions: [{ urn: 'urn:forrst:ext:async' }],
  output: z.object({ pages: z.int() }),
  handler: () => ({ pages: 3 }),
})

/** A picture, and its JSON form. */
export const DOT_PATH: string = fileURLToPath(new URL('./dot.png', import.meta.url))
const DOT = readFileSync(DOT_PATH)
export const DOT_TEXT: string = `data:image/png;name=dot.png;base64,${DOT.toString('base64')}`

/** The picture as callers hold it. */
export const toDot = (): File => new File([DOT], 'dot.png', { type: 'image/png' })

const attach = defineFunction({
  name: 'tickets.attach',
  version: '1.0.0',
  summary: 'Attach a picture',
  writes: ['create'],
  input: z.object({ id: z.string(), photo: file({ types: ['image/png'], maxBytes: 1_000 }) }),
  output: z.object({ id: z.string(), name: z.string(), type: z.string(), size: z.int() }),
  handler: ({ input: { id, photo } }) => ({
    id,
    name: photo.name,
    type: photo.type,
    size: photo.size,
  }),
})

const photo = defineFunction({
  name: 'tickets.photo',
  version: '1.0.0',
  summary: 'Get the picture of a ticket',
  readOnly: true,
  output: file({ types: ['image/png'] }),
  handler: toDot,
})

/** Creates the service in which every feature of a call is declared once. */
export function createFeatureService(): Service {
  closed.clear()
  const store = createMemoryStore()
  return createService({
    info: { title: 'Tickets', version: '1.0.0' },
    functions: [
      list,
      get('0.9.0', { stability: 'removed' }),
      get('1.0.0', { deprecated: { reason: 'Use 2.0.0' } }),
      get('2.0.0', { http: { method: 'GET', path: '/tickets/{id}', operationId: 'getTicket' } }),
      close,
      about,
      slow,
      watch,
      report,
      attach,
      photo,
    ],
    store,
    defaults: { locale: { languages: ['en', 'de'] } },
    log: { warn: () => undefined, error: console.error },
  })
}
