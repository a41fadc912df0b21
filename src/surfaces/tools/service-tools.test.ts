import { describe, expect, it, vi } from 'vitest'
import { CallError, createService, defineFunction } from 'waymark'
import { z } from 'zod'
import { ask } from '../../../test/explorer/ask.ts'
import { createServiceToolApi, type ServiceToolApiOptions } from '../../entries/tools.ts'

const log = { warn: vi.fn(), error: vi.fn() }
const info = { title: 'Orders', version: '1.0.0' }

const createOrder = defineFunction({
  name: 'orders.create',
  version: '2.0.0',
  summary: 'Create an order',
  writes: ['create'],
  input: z.object({ customer: z.string(), quantity: z.int().min(1) }),
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out', status: 409 }],
  handler({ input, fail, principal }) {
    if (input.quantity > 100) throw fail('ORDERS_SOLD_OUT', { details: { left: 100 } })
    if (input.quantity === 13) throw new Error('password is hunter2')
    return { id: 'o_1', ...input, by: principal?.id }
  },
})
const older = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  handler: () => ({ id: 'old' }),
})
const getOrder = defineFunction({
  name: 'orders.get',
  version: '1.0.0',
  readOnly: true,
  input: { type: 'object', properties: { id: { $ref: '#/components/schemas/OrderId' } } },
  handler: () => undefined,
})
const draft = defineFunction({ name: 'orders.predict', version: '0.1.0-beta.1', handler: () => 42 })
const hidden = defineFunction({
  name: 'orders.secret',
  version: '1.0.0',
  discoverable: false,
  handler: () => 1,
})

function start(options: ServiceToolApiOptions = {}, more: object = {}) {
  const service = createService({
    info,
    log,
    components: { schemas: { OrderId: { type: 'string', minLength: 3 } } },
    functions: [createOrder, older, getOrder, draft, hidden],
    ...more,
  })
  return { service, handler: createServiceToolApi(service, { allowExecute: true, ...options }) }
}

describe('createServiceToolApi', () => {
  it('names the source of a function that comes from another server', async () => {
    const { handler } = start({}, { functions: [{ ...getOrder, source: 'shop' }, draft] })
    const { json } = await ask(handler, '/explorer/tools')
    expect(json).toMatchObject([{ annotations: { source: 'shop' } }, { name: 'orders__predict' }])
    expect(JSON.stringify(json).match(/source/g)).toHaveLength(1)
    const one = await ask(handler, '/explorer/tools/orders__get')
    expect(one.json).toMatchObject({ annotations: { source: 'shop' } })
  })

  it('lists every discoverable function once, with hints from its side effects', async () => {
    expect((await ask(start().handler, '/explorer/tools')).json).toEqual([
      {
        name: 'orders__create',
        description: 'Create an order',
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          version: '2.0.0',
          versions: [
            { version: '1.0.0', stability: 'stable', isDefault: false },
            { version: '2.0.0', stability: 'stable', isDefault: true },
          ],
        },
      },
      {
        name: 'orders__get',
        description: '',
        annotations: { readOnlyHint: true, destructiveHint: false },
      },
      { name: 'orders__predict', description: '' },
    ])
  })

  it('tells the name of a function that its tool name does not hold', async () => {
    const name = `orders.${'very_'.repeat(12)}long`
    const functions = [defineFunction({ name, version: '1.0.0', handler: () => 1 })]
    const { json } = await ask(start({}, { functions }).handler, '/explorer/tools')
    expect(json).toMatchObject([{ annotations: { title: name } }])
  })

  it('serves the list from the same bytes until functions come or go', async () => {
    const { service, handler } = start()
    const first = await ask(handler, '/explorer/tools')
    expect((await ask(handler, '/explorer/tools')).bytes).toBe(first.bytes)
    service.registry.add(
      defineFunction({ name: 'orders.list', version: '1.0.0', handler: () => [] }),
    )
    expect((await ask(handler, '/explorer/tools')).json).toHaveLength(4)
    service.registry.remove('orders.list')
    expect((await ask(handler, '/explorer/tools')).json).toHaveLength(3)
  })

  it('finds a function by its tool name and by its own', async () => {
    const { handler } = start()
    for (const name of ['orders__create', 'orders.create']) {
      expect((await ask(handler, `/explorer/tools/${name}`)).json).toMatchObject({
        name: 'orders__create',
      })
    }
    expect((await ask(handler, '/explorer/tools/orders.secret')).status).toBe(404)
  })

  it('writes schemas that can be read alone', async () => {
    const { json, text } = await ask(start().handler, '/explorer/tools/orders__get')
    expect(text).not.toContain('components')
    expect(JSON.stringify(json)).toContain('"minLength":3')
  })

  it('validates with the rules of the function', async () => {
    const { handler } = start()
    const path = '/explorer/tools/orders__create/validate'
    expect((await ask(handler, path, { body: { customer: 'c', quantity: 1 } })).json).toEqual({
      valid: true,
    })
    const { json } = await ask(handler, path, { body: { quantity: 0 } })
    expect(json).toMatchObject({
      valid: false,
      errors: [
        { path: '/customer', keyword: 'required' },
        { path: '/quantity', keyword: 'minimum' },
      ],
    })
  })

  it('also asks the rules that no JSON Schema can tell', async () => {
    const input = z.object({ word: z.string() }).refine(({ word }) => word !== 'please', {
      path: ['word'],
      error: 'is not the magic word',
    })
    const functions = [defineFunction({ name: 'a.b', version: '1.0.0', input, handler: () => 1 })]
    const { handler } = start({}, { functions })
    const validate = async (body: object) =>
      (await ask(handler, '/explorer/tools/a__b/validate', { body })).json
    expect(await validate({ word: 'please' })).toMatchObject({
      valid: false,
      errors: [{ path: '/word', message: 'is not the magic word' }],
    })
    expect(await validate({ word: 'now' })).toEqual({ valid: true })
    expect(await validate({})).toMatchObject({ errors: [{ keyword: 'required' }] })
  })

  it('calls the newest stable version, or the newest there is', async () => {
    const { handler } = start()
    const ordered = await ask(handler, '/explorer/tools/orders__create/call', {
      body: { customer: 'c', quantity: 2 },
    })
    expect(ordered.json).toEqual({
      content: [{ type: 'text', text: '{"id":"o_1","customer":"c","quantity":2}' }],
      isError: false,
    })
    const predicted = await ask(handler, '/explorer/tools/orders__predict/call', { body: {} })
    expect(predicted.json).toMatchObject({ content: [{ text: '42' }] })
    const nothing = await ask(handler, '/explorer/tools/orders__get/call', { body: {} })
    expect(nothing.json).toMatchObject({ content: [{ text: 'null' }], isError: false })
  })

  it.each([
    [{ quantity: 'x' }, 'INVALID_ARGUMENTS', '/call/arguments/customer'],
    [{ customer: 'c', quantity: 101 }, 'ORDERS_SOLD_OUT', '"left":100'],
    [{ customer: 'c', quantity: 13 }, 'INTERNAL_ERROR', 'Internal error'],
  ])('answers %j with %s as an error of the tool', async (body, code, part) => {
    const reply = await ask(start().handler, '/explorer/tools/orders__create/call', { body })
    expect(reply.status).toBe(500)
    expect(reply.json).toMatchObject({ isError: true })
    expect(reply.text).toContain(code)
    expect(reply.text.replaceAll('\\"', '"')).toContain(part)
    expect(reply.text).not.toContain('hunter2')
  })

  it('refuses execution unless it was allowed', async () => {
    const { handler } = start({ allowExecute: false })
    expect((await ask(handler, '/explorer/tools/orders__create/call', { body: {} })).status).toBe(
      403,
    )
  })

  it('asks the service who calls, before anything is told about tools, and tells the function', async () => {
    const authenticate = ({
      header,
      surface,
    }: {
      header: (name: string) => string | undefined
      surface: string
    }) => {
      if (header('authorization') !== 'Bearer good') throw new CallError('UNAUTHORIZED')
      return { id: `ada via ${surface}` }
    }
    const { handler } = start({}, { authenticate })
    const path = '/explorer/tools/orders__create/call'
    const body = { customer: 'c', quantity: 1 }
    const refused = await ask(handler, path, { body })
    expect(refused.status).toBe(401)
    expect(refused.text).toBe('{"error":"Unauthorized"}')
    const accepted = await ask(handler, path, { body, headers: { authorization: 'Bearer good' } })
    expect(accepted.text).toContain('ada via tools')
    const unknown = '/explorer/tools/nope/call'
    expect((await ask(handler, unknown, { body })).status).toBe(401)
    const headers = { authorization: 'Bearer good' }
    expect((await ask(handler, unknown, { body, headers })).status).toBe(404)
    expect((await ask(handler, '/explorer/tools')).status).toBe(401)
  })

  it('says that a function is disabled', async () => {
    const { service, handler } = start()
    service.registry.setHealth('orders.get', { status: 'disabled', message: 'moving house' })
    const reply = await ask(handler, '/explorer/tools/orders__get/call', { body: {} })
    expect(reply.text).toContain('FUNCTION_DISABLED')
    expect(reply.text).toContain('moving house')
  })

  it('carries the title of the service', async () => {
    expect((await ask(start().handler, '/explorer/')).text).toContain('<title>Orders</title>')
  })
})
