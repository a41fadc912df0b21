import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modernClient } from '../../test/mcp/wire.ts'
import { call, toRequest } from '../../test/support/forrst.ts'
import { fc } from '../../test/support/property.ts'
import { defineFunction } from '../core/function.ts'
import { createMcpHandler } from '../entries/mcp.ts'
import { createRestHandler } from '../surfaces/rest/handler.ts'
import { createService } from '../system/create-service.ts'
import { didYouMean, nearest } from './suggest.ts'

const named = (name: string, changes: object = {}) =>
  defineFunction({ name, version: '1.0.0', readOnly: true, handler: () => ({}), ...changes })

const address = z.strictObject({ street: z.string().optional() })

const service = createService({
  info: { title: 'Shop', version: '1.0.0' },
  functions: [
    named('orders.list', {
      query: { filters: { allowed: ['status', 'created_at'] }, sorts: { allowed: ['created_at'] } },
      resources: () => ({ data: [] }),
    }),
    named('orders.lost', { discoverable: false }),
    named('orders.create', {
      input: {
        type: 'object',
        properties: { customer: { type: 'string' }, place: { $ref: '#/components/schemas/Place' } },
        additionalProperties: false,
      },
    }),
    named('orders.move', {
      input: z.strictObject({ to: address.optional(), stops: z.array(address).optional() }),
    }),
    named('orders.pay', {
      input: z.object({
        customer_id: z.string(),
        customer: z.string().optional(),
        card: z.object({ number: z.string() }).optional(),
      }),
    }),
  ],
  components: {
    schemas: {
      Place: {
        type: 'object',
        properties: { street: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
})

const QUERY = 'urn:forrst:ext:query'

async function refusals(input: object): Promise<readonly string[]> {
  const { body } = await call(service, { function: 'orders.pay', arguments: input })
  return (body.errors ?? []).map(({ message }) => message)
}

async function refusal(document: Parameters<typeof call>[1]) {
  const { body } = await call(service, document)
  const [error] = body.errors ?? []
  return { message: error?.message, details: error?.details, source: error?.source }
}

describe('did you mean', () => {
  it('suggests functions near to an unknown name', async () => {
    expect(await refusal({ function: 'order.list' })).toEqual({
      message: 'Function not found: order.list; did you mean orders.list?',
      details: { function: 'order.list', did_you_mean: ['orders.list'] },
      source: { pointer: '/call/function' },
    })
    const { message } = await refusal({ function: 'urn:cline:forrst:fn:pign' })
    expect(message).toContain('did you mean urn:cline:forrst:fn:ping?')
  })

  it('never suggests a function that discovery hides', async () => {
    const { message, details } = await refusal({ function: 'orders.lst' })
    expect(message).toContain('orders.list')
    expect(JSON.stringify([message, details])).not.toContain('lost')
  })

  it('says nothing where nothing is near', async () => {
    expect(await refusal({ function: 'weather.today' })).toMatchObject({
      message: 'Function not found: weather.today',
      details: { function: 'weather.today' },
    })
  })

  it('suggests where a function is described, too', async () => {
    const { message } = await refusal({
      function: 'urn:cline:forrst:fn:describe',
      arguments: { function: 'orders.creat' },
    })
    expect(message).toBe('Function not found: orders.creat; did you mean orders.create?')
  })

  it.each([
    ['orders.create', { custmer: 'c' }, 'custmer', 'customer'],
    ['orders.create', { place: { stret: 'x' } }, 'place.stret', 'street'],
    ['orders.move', { stosp: [] }, 'stosp', 'stops'],
    ['orders.move', { to: { streeet: 'x' } }, 'to.streeet', 'street'],
    ['orders.move', { stops: [{ sreet: 'x' }] }, 'stops.0.sreet', 'street'],
  ])('suggests the argument of %s that %j means', async (name, input, field, meant) => {
    const what = field.includes('.') ? 'a known property' : `an argument of ${name}`
    expect(await refusal({ function: name, arguments: input })).toMatchObject({
      message: `${field}: is not ${what}; did you mean "${meant}"?`,
      source: { pointer: `/call/arguments/${field.replaceAll('.', '/')}` },
    })
  })

  it.each([
    [{ customerid: 'c' }, 'customer_id', 'customerid'],
    [{ customer_id: 'c', card: { nummber: '1' } }, 'card.number', 'nummber'],
  ])('says in %j which name stands for the one that is missing', async (input, field, written) => {
    const messages = await refusals(input)
    expect(messages[0]).toContain(`${written}: is not `)
    expect(messages.find((message) => message.startsWith(`${field}: `))).toContain(
      `did you mean it by "${written}"?`,
    )
  })

  it.each([{ customer: 'c' }, { weather: 'x' }, {}])(
    'takes no other argument of %j for the one that is missing',
    async (input) => {
      expect(await refusals(input)).toContain(
        'customer_id: Invalid input: expected string, received undefined',
      )
    },
  )

  it('does not search a crowd for the one that is missing', async () => {
    const crowd = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]))
    const input = { ...crowd, customerid: 'c' }
    expect(await refusals(input)).toContain(
      'customer_id: Invalid input: expected string, received undefined',
    )
  })

  it('suggests the extension that was misspelt', async () => {
    const extensions = [{ urn: 'urn:forrst:ext:qury' }]
    const { message } = await refusal({ function: 'orders.list', extensions })
    expect(message).toBe(
      'Extension not supported: urn:forrst:ext:qury; did you mean "urn:forrst:ext:query"?',
    )
  })

  it('says which option a missing one was written as', async () => {
    const extensions = [{ urn: 'urn:forrst:ext:simulation', options: { enabeld: true } }]
    const { message } = await refusal({ function: 'orders.list', extensions })
    expect(message).toBe('options.enabled must be given, as true or false; there is "enabeld"')
  })

  it('suggests fields to filter and sort by', async () => {
    const wish = (options: object) =>
      refusal({ function: 'orders.list', extensions: [{ urn: QUERY, options }] })
    const filters = { self: [{ attribute: 'statsu', operator: 'equals', value: 'x' }] }
    expect((await wish({ filters })).message).toContain('did you mean "status"?')
    const sorts = [{ attribute: 'createdat', direction: 'asc' }]
    expect((await wish({ sorts })).message).toContain('did you mean "created_at"?')
  })

  it('suggests functions at addresses that nobody has', async () => {
    const request = toRequest({}, { path: '/api/orders.creates' })
    const { status, body } = await createRestHandler(service)(request)
    expect(status).toBe(404)
    expect(JSON.parse(String(body)).title).toBe(
      'No function at /api/orders.creates; did you mean orders.create? see /openapi.json',
    )
  })

  it('suggests tools to agents', async () => {
    const client = await modernClient(createMcpHandler(service))
    const { error } = await client.request('tools/call', { name: 'orders__lst', arguments: {} })
    expect(error?.message).toBe('Unknown tool: orders__lst; did you mean "orders__list"?')
  })
})

describe('nearest', () => {
  it('finds misspelt, cut and differently cased words, best first', () => {
    expect(nearest('strng', ['number', 'string'])).toEqual(['string'])
    expect(nearest('hook', ['schedule', 'webhook'])).toEqual(['webhook'])
    expect(nearest('STATUS', ['status'])).toEqual(['status'])
    expect(nearest('abcd', ['abxy', 'abcx', 'wxyz'], { count: 3 })).toEqual(['abcx', 'abxy'])
    expect(didYouMean(7, ['7'])).toBeUndefined()
  })

  it('counts the distance as the whole table would', () => {
    expect(nearest('kitten', ['sitting'], { distance: 2 })).toEqual([])
    expect(nearest('kitten', ['sitting'], { distance: 3 })).toEqual(['sitting'])
    expect(nearest('abcdef', ['defabc'], { distance: 5 })).toEqual([])
    expect(nearest('abcdefg', ['defabcg'], { distance: 6 })).toEqual(['defabcg'])
  })

  it('agrees with the whole table for any two words', () => {
    // Short words are judged more strictly, and pieces of a word leniently; these are neither.
    const word = fc
      .string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 })
      .map((middle) => `<${middle}_________>`)
    fc.assert(
      fc.property(word, word, fc.integer({ min: 2, max: 4 }), (left, right, distance) => {
        const isNear = distanceByTable(left, right) <= distance
        expect(nearest(left, [right], { distance })).toEqual(isNear ? [right] : [])
      }),
    )
  })

  it('stays short for long words and many members', () => {
    const prefix = 'x'.repeat(90)
    const members = Array.from({ length: 100_000 }, (_, index) => `${prefix}${index}`)
    const start = process.cpuUsage()
    nearest(`${prefix}${'y'.repeat(1_000_000)}`, members)
    const { user } = process.cpuUsage(start)
    expect(user / 1000).toBeLessThan(500)
  })
})

function distanceByTable(a: string, b: string): number {
  const table = [...`-${a}`].map((_, row) => [...`-${b}`].map((__, column) => row || column))
  const at = (row: number, column: number) => table[row]?.[column] ?? 0
  for (let row = 1; row <= a.length; row++) {
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      table[row]?.splice(
        column,
        1,
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + change,
        ),
      )
    }
  }
  return at(a.length, b.length)
}
