import { describe, expect, it } from 'vitest'
import { toRequest } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import type { FunctionDefinition } from '../core/function.ts'
import { createApp } from '../http/app.ts'
import { rest } from '../surfaces/rest/surface.ts'
import { createContracts } from './index.ts'

const list = (more: Partial<FunctionDefinition> = {}): FunctionDefinition => ({
  name: 'orders.list',
  version: '1.0.0',
  readOnly: true,
  input: {
    type: 'object',
    properties: {
      open: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      size: { type: 'object', properties: { width: { type: 'integer' } } },
    },
  },
  query: { filters: { allowed: ['status', 'zip'] }, pagination: { strategies: ['offset'] } },
  resources: ({ plan }) => ({ data: [], meta: { filters: plan.filters as never } }),
  handler: ({ input }) => input,
  ...more,
})

async function get(query: string, definition = list()) {
  const app = createApp(serviceOf([definition]), { surfaces: [rest()] })
  const [path = '', search = ''] = query.split('?')
  const request = { ...toRequest('', { method: 'GET', path, headers: { host: 'localhost' } }) }
  const { status, body } = await app.handle({ ...request, query: search })
  return { status, body: JSON.parse(body as string) }
}

describe('the contract of a function', () => {
  it('joins arguments and query parameters into one closed schema', () => {
    const service = serviceOf([list()])
    const target = service.registry.find('orders.list')?.latest
    const contract = target && createContracts(service).of(target)
    expect(Object.keys(contract?.parameters.schema['properties'] as object)).toEqual([
      'open',
      'tags',
      'size',
      'filter',
      'page',
    ])
    expect(contract?.http).toMatchObject([
      { method: 'GET', path: '/orders.list' },
      { method: 'POST', path: '/orders.list' },
    ])
  })

  it('does not start with an argument that has the name of a query parameter', () => {
    const input = { type: 'object', properties: { filter: { type: 'string' } } }
    expect(() => serviceOf([list({ input })])).toThrow(
      'the argument "filter" has the name of a query parameter; rename it',
    )
  })

  it('takes an argument of that name where the query does not use it', () => {
    const input = { type: 'object', properties: { include: { type: 'string' } } }
    expect(() => serviceOf([list({ input })])).not.toThrow()
  })
})

describe('GET /api/{function}', () => {
  it('reads arguments by their schemas', async () => {
    expect(await get('/api/orders.list?open=true&tags=a&tags=b&size[width]=5')).toEqual({
      status: 200,
      body: { open: true, tags: ['a', 'b'], size: { width: 5 } },
    })
  })

  it('takes one value of a list as a list', async () => {
    expect((await get('/api/orders.list?tags=a')).body).toEqual({ tags: ['a'] })
  })

  it('refuses an unknown argument with the name that was meant', async () => {
    const { status, body } = await get('/api/orders.list?opne=true')
    expect([status, body.errors[0].message]).toEqual([400, expect.stringContaining('"open"')])
  })

  it('names the parameter that is wrong', async () => {
    const { body } = await get('/api/orders.list?filter[stats]=x')
    expect(body.errors[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringMatching(/^filter\.stats/),
      pointer: expect.stringMatching(/^\/filter\/stats/),
    })
  })

  it('reads a value whose type nothing says as it looks, and in quotes as text', async () => {
    const values = async (text: string) =>
      (await get(`/api/orders.list?filter[zip]=${text}`)).body.meta.filters[0].values
    expect(await values('12345')).toEqual([12_345])
    expect(await values('%2212345%22')).toEqual(['12345'])
  })

  it.each([
    ['a value and members', 'size=1&size[width]=5'],
    ['half a bracket', 'size[width=5'],
    ['members of members without end', `size${'[a]'.repeat(9)}=1`],
  ])('refuses %s', async (_title, query) => {
    expect((await get(`/api/orders.list?${query}`)).status).toBe(400)
  })

  it('is refused for a function that may change something', async () => {
    const { status, body } = await get('/api/orders.list', {
      name: 'orders.list',
      version: '1.0.0',
      writes: ['create'],
      handler: () => null,
    })
    expect([status, body.title]).toEqual([405, 'orders.list is called with POST'])
  })
})
