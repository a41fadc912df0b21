import { afterAll, describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { createMockService, type MockOptions } from '../../src/change/mock/service.ts'
import type { Service } from '../../src/core/service.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { type Client, createClient, createLocalTransport } from '../../src/entries/client.ts'
import { CODES } from '../../src/errors/codes.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'

const closing: Service[] = []
afterAll(async () => {
  for (const service of closing) await service.close()
})

function clientOf(service: Service): Client {
  closing.push(service)
  const transport = createLocalTransport(createApp(service, { surfaces: allSurfaces() }).handle)
  return createClient({ transport, name: 'test', retry: false })
}

const events = createEventsService({ database: ':memory:' })
const document = buildDocument(events)
const mockOf = (options: MockOptions = {}, described: unknown = document) =>
  clientOf(createMockService(described, options).service)

const EVENT = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'

/** What a client of the events service does, and expects, whoever answers. */
describe.each([
  ['the service', () => clientOf(events)],
  ['the mock of its document', () => mockOf()],
])('a client of %s', (_, create) => {
  const client = create()

  it('discovers, lists, reads, follows a link and creates', async () => {
    const discovered = await client.discover()
    if (!discovered.ok) throw new Error(discovered.error.message)
    expect(discovered.result.functions.map(({ name }) => name)).toContain('events.get')
    expect(await client.callOrThrow('events.list', { status: 'published' })).toContainEqual(
      expect.objectContaining({ status: 'published' }),
    )
    const event = await client.callOrThrow('events.get', { id: EVENT })
    expect(event).toMatchObject({ id: EVENT, name: 'Tech Conference 2024' })
    const described = await client.discoverFunction('events.get')
    const link = described.ok ? described.result.links?.[0] : undefined
    if (link === undefined || '$ref' in link) throw new Error('the link is missing')
    const venue = await client.follow(link, event)
    expect(venue).toMatchObject({ ok: true, result: { id: expect.any(String) } })
    const created = await client.callOrThrow('events.create', {
      name: 'Offsite',
      starts_at: '2027-05-01T09:00:00Z',
    })
    expect(created).toMatchObject({ name: 'Offsite', status: 'draft', id: expect.any(String) })
  })

  it('refuses wrong arguments and unknown versions', async () => {
    expect(await client.call('events.create', { name: 7 })).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS' },
    })
    expect(await client.call('events.get', { id: EVENT }, { version: '9.0.0' })).toMatchObject({
      error: { code: 'VERSION_NOT_FOUND', details: { available_versions: ['1.0.0'] } },
    })
  })

  it('filters, sorts and pages through a list until its end', async () => {
    type Page = {
      data: { id: string; attributes: { name: string } }[]
      meta: { pagination: { next_cursor: string | null } }
    }
    const names: string[] = []
    let cursor: string | null = null
    do {
      const page = (await client.callOrThrow(
        'events.list',
        {},
        {
          extensions: [
            {
              urn: 'urn:forrst:ext:query',
              options: {
                filters: {
                  self: [{ attribute: 'status', operator: 'in', value: ['published', 'draft'] }],
                },
                sorts: [{ attribute: 'name', direction: 'asc' }],
                pagination: { limit: 10, cursor },
              },
            },
          ],
        },
      )) as Page
      names.push(...page.data.map(({ attributes }) => attributes.name))
      cursor = page.meta.pagination.next_cursor
    } while (cursor !== null)
    expect(names.length).toBeGreaterThan(0)
    expect(names).toEqual(names.toSorted())
  })

  it('plays the simulation by its name', async () => {
    const extensions = [
      { urn: 'urn:forrst:ext:simulation', options: { enabled: true, scenario: 'success' } },
    ]
    expect(
      await client.callOrThrow('events.create', { name: 'x', starts_at: 'y' }, { extensions }),
    ).toEqual({ id: 'evt_demo_001', name: 'Demo Event', status: 'draft' })
  })
})

describe('a mock', () => {
  const orders = {
    forrst: '0.1.0',
    discovery: '0.1',
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      {
        name: 'orders.get',
        version: '1.0.0',
        stability: 'stable',
        arguments: [{ name: 'id', required: true, schema: { type: 'string' } }],
        result: {
          name: 'order',
          schema: {
            type: 'object',
            properties: { id: { type: 'string' }, total: { type: 'number', minimum: 1 } },
            required: ['id', 'total'],
          },
        },
        errors: [
          {
            code: 'ORDERS_GONE',
            message: 'Gone',
            data: {
              type: 'object',
              properties: { since: { type: 'string' } },
              required: ['since'],
            },
          },
        ],
        simulations: [
          { name: 'lost', input: { id: 'lost' }, error: { code: 'NOT_FOUND', message: 'Lost' } },
          { name: 'gold', input: { id: 'gold' }, output: { id: 'gold', total: 1000 } },
        ],
      },
    ],
  }
  const get = (client: Client, id: string) => client.call('orders.get', { id })

  it('answers simulations whose arguments fit, and makes the rest up with the id asked for', async () => {
    const client = mockOf({}, orders)
    expect(await get(client, 'gold')).toMatchObject({ result: { total: 1000 } })
    expect(await get(client, 'lost')).toMatchObject({ error: { code: 'NOT_FOUND' } })
    expect(await get(client, 'other')).toMatchObject({
      result: { id: 'other', total: expect.any(Number) },
    })
  })

  it('makes everything up when the schema is preferred', async () => {
    const outcome = await get(mockOf({ prefer: 'schema' }, orders), 'lost')
    expect(outcome).toMatchObject({ ok: true, result: { id: 'lost' } })
  })

  it('gives the same answer for the same seed and arguments, and another for another seed', async () => {
    const [one, same, other] = await Promise.all(
      ['1', '1', '2'].map((seed) => get(mockOf({ seed }, orders), 'a')),
    )
    expect(one).toMatchObject({ result: (same as { result: unknown }).result as object })
    expect((other as { result: unknown }).result).not.toEqual((one as { result: unknown }).result)
  })

  it('fails as often as it is told, with declared errors and their details', async () => {
    const client = mockOf({ failures: [{ share: 0.5 }] }, orders)
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => get(client, 'a')))
    const failed = outcomes.filter((outcome) => !outcome.ok)
    expect(failed.length).toBeGreaterThan(10)
    expect(failed.length).toBeLessThan(50)
    expect(failed[0]).toMatchObject({
      error: { code: 'ORDERS_GONE', details: { since: expect.any(String) } },
    })
    const always = mockOf({ failures: [{ share: 1, code: 'RATE_LIMITED' }] }, orders)
    expect(await get(always, 'a')).toMatchObject({
      error: { code: 'RATE_LIMITED', message: CODES.RATE_LIMITED.message },
    })
  })

  it('takes its time', async () => {
    const client = mockOf({ latency: { least: 60, most: 80 } }, orders)
    const start = performance.now()
    await get(client, 'a')
    expect(performance.now() - start).toBeGreaterThanOrEqual(55)
  })

  it('warns at start of a result it cannot make', () => {
    const [first] = orders.functions
    const { warnings } = createMockService({
      ...orders,
      functions: [
        {
          ...first,
          result: { name: 'x', schema: { type: 'string', pattern: '^(?=a)b$' } },
          simulations: [],
        },
      ],
    })
    expect(warnings.join('\n')).toContain('orders.get@1.0.0: no result can be made')
  })

  it('describes the same functions as what it stands for', () => {
    const { service } = createMockService(document)
    expect(buildDocument(service).functions.map(({ name }) => name)).toEqual(
      document.functions.map(({ name }) => name),
    )
  })
})
