import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../core/function.ts'
import { type Client, createClient, createLocalTransport } from '../entries/client.ts'
import { CallError } from '../errors/error.ts'
import { allSurfaces } from '../http/all-surfaces.ts'
import { createApp } from '../http/app.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createService } from '../system/create-service.ts'

const createOrder = defineFunction({
  name: 'orders.create',
  version: '2.0.0',
  sideEffects: ['create'],
  input: z.object({
    customer_id: z.string(),
    items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })),
  }),
  output: z.object({ id: z.string(), items: z.number() }),
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Nothing left', status: 409 }],
  handler({ input, fail }) {
    if (input.items.some(({ product_id }) => product_id === 'none')) {
      throw fail('ORDERS_SOLD_OUT', { details: { product_id: 'none' } })
    }
    return { id: `o_${input.customer_id}`, items: input.items.length }
  },
})

const createOrderNext = defineFunction({
  name: 'orders.create',
  version: '3.0.0-beta.1',
  input: z.object({ customer_id: z.string() }),
  output: z.object({ id: z.string() }),
  handler: ({ input }) => ({ id: `next_${input.customer_id}` }),
})

const showContext = defineFunction({
  name: 'orders.context',
  version: '1.0.0',
  readOnly: true,
  handler: ({ call, context }) => ({ id: call.id, context }),
})

const giveNothing = defineFunction({
  name: 'orders.nothing',
  version: '1.0.0',
  handler: () => null,
})

const waitForever = defineFunction({
  name: 'orders.wait',
  version: '1.0.0',
  handler: ({ signal }) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    }),
})

function createOrders() {
  return createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [createOrder, createOrderNext, showContext, giveNothing, waitForever],
    health: {
      database: {
        check: () => {
          throw new Error('down')
        },
      },
    },
    log: { warn: () => {}, error: () => {} },
  })
}

const service = createOrders()
type Orders = typeof service
let server: RunningServer
beforeAll(async () => {
  server = await serve(createOrders(), { port: 0, graceMs: 100 })
})
afterAll(() => server.close())

const ways: readonly [string, (name?: string) => Client<Orders>][] = [
  [
    'fetch',
    (name = 'checkout') =>
      createClient<Orders>({ url: `${server.url}/forrst`, name, retry: false }),
  ],
  [
    'in process',
    (name = 'checkout') =>
      createClient<Orders>({
        transport: createLocalTransport(createForrstHandler(service)),
        name,
        retry: false,
      }),
  ],
]

describe.each(ways)('a client over %s', (_, connect) => {
  it('gives the result of a call as a value', async () => {
    const outcome = await connect().call(
      'orders.create',
      { customer_id: 'c_42', items: [{ product_id: 'p_1', quantity: 2 }] },
      { version: '2.0.0' },
    )
    expect(outcome).toMatchObject({ ok: true, result: { id: 'o_c_42', items: 1 }, attempts: 1 })
  })

  it('reaches the version it names', async () => {
    const outcome = await connect().call(
      'orders.create',
      { customer_id: 'c_1' },
      { version: '3.0.0-beta.1' },
    )
    expect(outcome).toMatchObject({ ok: true, result: { id: 'next_c_1' } })
  })

  it('gives a declared error as a value with its code and details', async () => {
    const outcome = await connect().call('orders.create', {
      customer_id: 'c_42',
      items: [{ product_id: 'none', quantity: 1 }],
    })
    if (outcome.ok) throw new Error('expected a failure')
    expect(outcome.error).toEqual({
      code: 'ORDERS_SOLD_OUT',
      message: 'Nothing left',
      details: { product_id: 'none' },
    })
  })

  it('gives every finding about wrong arguments, with its pointer', async () => {
    const wrong = { customer_id: 7, items: [{ product_id: 'p', quantity: 0 }] } as never
    const outcome = await connect().call('orders.create', wrong)
    if (outcome.ok) throw new Error('expected a failure')
    expect(outcome.errors.map(({ code, source }) => [code, source])).toEqual([
      ['INVALID_ARGUMENTS', { pointer: '/call/arguments/customer_id' }],
      ['INVALID_ARGUMENTS', { pointer: '/call/arguments/items/0/quantity' }],
    ])
  })

  it('tells a result of null from a failure', async () => {
    expect(await connect().call('orders.nothing')).toMatchObject({ ok: true, result: null })
  })

  it('[F-49] counts an answer with status 503 and no errors as success', async () => {
    const outcome = await connect().system('urn:cline:forrst:fn:health', { component: 'database' })
    expect(outcome).toMatchObject({ ok: true, result: { status: 'unhealthy' } })
  })

  it('[F-253] makes a new non-empty id for every call', async () => {
    const client = connect()
    const [first, second] = await Promise.all([
      client.callOrThrow('orders.context'),
      client.callOrThrow('orders.context'),
    ])
    const ids = [first, second].map((result) => (result as { id: string }).id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f-]{36}$/)
  })

  it('names itself as the caller', async () => {
    const result = await connect('billing').callOrThrow(
      'orders.context',
      {},
      { context: { tenant_id: 't_1', caller: 'somebody else' } },
    )
    expect(result).toMatchObject({ context: { tenant_id: 't_1', caller: 'billing' } })
  })

  it('throws a CallError with all findings where failures should be thrown', async () => {
    const items = [{ product_id: 'none', quantity: 1 }]
    const thrown = await connect()
      .callOrThrow('orders.create', { customer_id: 'c', items })
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(CallError)
    expect(thrown).toMatchObject({ code: 'ORDERS_SOLD_OUT', errors: [{ code: 'ORDERS_SOLD_OUT' }] })
  })

  it('ends as CANCELLED when its signal aborts while it waits', async () => {
    const controller = new AbortController()
    const pending = connect().call('orders.wait', {}, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('changed my mind')), 10)
    const outcome = await pending
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(outcome).toHaveProperty('cause.message', 'changed my mind')
  })

  it('sends nothing when its signal is aborted already', async () => {
    const outcome = await connect().call('orders.wait', {}, { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
  })

  it('ends with CLIENT_TIMEOUT when no answer comes in time', async () => {
    const outcome = await connect().call('orders.wait', {}, { timeoutMs: 20 })
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        code: 'CLIENT_TIMEOUT',
        details: { timeout: { value: 20, unit: 'millisecond' } },
      },
    })
  })

  it.each([
    ['a BigInt', { customer_id: 1n }],
    ['an array', ['c_42']],
    [
      'a function that throws',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
    ],
  ])('answers CLIENT_INVALID_REQUEST for arguments that are %s', async (_name, wrong) => {
    const outcome = await connect().call('orders.create', wrong as never)
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_REQUEST' } })
  })

  it('answers CLIENT_INVALID_REQUEST for a deadline that is not a duration', async () => {
    const deadline = { value: -1, unit: 'second' } as const
    const outcome = await connect().call('orders.nothing', {}, { deadline })
    expect(outcome).toMatchObject({
      ok: false,
      attempts: 0,
      error: { code: 'CLIENT_INVALID_REQUEST', message: expect.stringContaining('deadline') },
    })
  })
})

describe('the local transport', () => {
  it('passes the guards of a whole app', async () => {
    const transport = createLocalTransport(
      createApp(createOrders(), { surfaces: allSurfaces() }).handle,
    )
    const outcome = await createClient({ transport }).call('orders.nothing')
    expect(outcome).toMatchObject({ ok: true, result: null })
  })

  it('carries headers of its own to the service', async () => {
    const guarded = createService({
      info: { title: 'Guarded', version: '1.0.0' },
      functions: [giveNothing],
      log: { warn: () => {}, error: () => {} },
      authenticate({ header }) {
        if (header('authorization') !== 'Bearer t') throw new CallError('UNAUTHORIZED')
        return { id: 'u' }
      },
    })
    const handler = createForrstHandler(guarded)
    const headers = { authorization: 'Bearer t' }
    const known = createClient({ transport: createLocalTransport(handler, { headers }) })
    const unknown = createClient({ transport: createLocalTransport(handler) })
    expect(await known.call('orders.nothing')).toMatchObject({ ok: true })
    expect(await unknown.call('orders.nothing')).toMatchObject({
      ok: false,
      error: { code: 'UNAUTHORIZED' },
    })
  })

  it('reads answers that come in pieces', async () => {
    async function* pieces() {
      yield '{"protocol":{"name":"forrst","version":"0.1.0"},"id":"r1",'
      yield new TextEncoder().encode('"result":"é"}')
    }
    const transport = createLocalTransport(() => ({ status: 200, headers: {}, body: pieces() }))
    const outcome = await createClient({ transport, createId: () => 'r1' }).call('a.b')
    expect(outcome).toMatchObject({ ok: true, result: 'é' })
  })
})

describe('createClient', () => {
  it.each([
    ['no URL at all', 'orders', /is not a URL/],
    ['another protocol', 'ftp://127.0.0.1/forrst', /http:\/\/ or https:\/\//],
    ['credentials in the URL', 'http://u:p@127.0.0.1/forrst', /headers\.authorization/],
  ])('refuses %s', (_, url, message) => {
    expect(() => createClient({ url })).toThrow(message)
  })

  it.each([
    [{ maxAttempts: 0 }, /maxAttempts/],
    [{ maxAttempts: 1.5 }, /maxAttempts/],
    [{ baseDelayMs: Number.NaN }, /baseDelayMs/],
    [{ maxDelayMs: -1 }, /maxDelayMs/],
  ])('refuses the retry policy %j', (retry, message) => {
    expect(() => createClient({ url: 'http://127.0.0.1/forrst', retry })).toThrow(message)
  })

  it('[F-253] refuses to send an empty id', async () => {
    const transport = createLocalTransport(createForrstHandler(service))
    const outcome = await createClient({ transport, createId: () => '' }).call('orders.nothing')
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_REQUEST' } })
  })
})
