import { describe, expect, it, onTestFinished } from 'vitest'
import { createMockService, type MockOptions } from '../../src/change/mock/service.ts'
import type { FunctionObject } from '../../src/discovery/decode.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { createClient, createLocalTransport, type StreamOptions } from '../../src/entries/client.ts'
import { verifyService } from '../../src/entries/verify.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { createHonestShop } from '../verify/shop.ts'

const PRICE = {
  type: 'object',
  properties: {
    symbol: { type: 'string', pattern: '^[A-Z]{3}$' },
    price: { type: 'number', minimum: 1, maximum: 9 },
  },
  required: ['symbol', 'price'],
}

const watch: FunctionObject = {
  name: 'prices.watch',
  version: '1.0.0',
  stability: 'stable',
  arguments: [{ name: 'symbol', schema: { type: 'string' } }],
  errors: [{ code: 'PRICES_CLOSED', message: 'The market is closed' }],
  extensions: [{ urn: 'urn:forrst:ext:stream', item: { $ref: '#/components/schemas/Price' } }],
}

const toDocument = (object: Partial<FunctionObject> = {}) => ({
  forrst: '0.1.0',
  info: { title: 'Prices', version: '1.0.0' },
  functions: [{ ...watch, ...object }],
  components: { schemas: { Price: PRICE } },
})

/** A client of the mock of one function. */
function mockOf(object: Partial<FunctionObject> = {}, options: MockOptions = {}) {
  const { service, warnings } = createMockService(toDocument(object), options)
  onTestFinished(() => service.close())
  const transport = createLocalTransport(createApp(service, { surfaces: allSurfaces() }).handle)
  return { client: createClient({ transport, name: 'test', retry: false }), service, warnings }
}

/** Reads a stream to its end. */
async function read(
  { client }: Pick<ReturnType<typeof mockOf>, 'client'>,
  input: Record<string, unknown> = {},
  options: StreamOptions = {},
) {
  const stream = client.stream('prices.watch', input, options)
  const items: unknown[] = []
  for await (const item of stream) items.push(item)
  return { items, result: await stream.result() }
}

const isPrice = expect.objectContaining({
  symbol: expect.stringMatching(/^[A-Z]{3}$/),
  price: expect.any(Number),
})

describe('a mock of a function that streams', () => {
  it('declares the stream and makes its items from their schema', async () => {
    const mock = mockOf()
    expect(buildDocument(mock.service).functions[0]?.extensions).toEqual([
      expect.objectContaining({ urn: 'urn:forrst:ext:stream' }),
    ])
    const { items, result } = await read(mock)
    expect(items.length).toBeGreaterThanOrEqual(3)
    expect(items).toEqual(items.map(() => isPrice))
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBeGreaterThan(1)
    expect(result).toBeNull()
  })

  it('gives the same items for the same seed and arguments, and others for others', async () => {
    const { items } = await read(mockOf(), { symbol: 'ABC' })
    expect(await read(mockOf(), { symbol: 'ABC' })).toMatchObject({ items })
    expect((await read(mockOf({}, { seed: '2' }), { symbol: 'ABC' })).items).not.toEqual(items)
    expect(items).toEqual(items.map(() => expect.objectContaining({ symbol: 'ABC' })))
  })

  it('answers the same items in one piece to who does not read a stream', async () => {
    const mock = mockOf()
    const { items } = await read(mock, { symbol: 'ABC' })
    expect(await mock.client.callOrThrow('prices.watch', { symbol: 'ABC' })).toEqual(items)
  })

  it('streams the list that a simulation or an example shows', async () => {
    const shown = [{ symbol: 'EEE', price: 2 }]
    const scripted = mockOf({
      simulations: [{ name: 'quiet', input: { symbol: 'ZZZ' }, output: [] }],
      examples: [{ name: 'one', params: [{ value: 'EEE' }], result: { value: shown } }],
    })
    expect((await read(scripted, { symbol: 'ZZZ' })).items).toEqual([])
    expect((await read(scripted, { symbol: 'EEE' })).items).toEqual(shown)
  })

  it('ends with the result where there is one', async () => {
    const schema = { type: 'object', properties: { count: { type: 'integer' } } }
    const { items, result } = await read(
      mockOf({
        result: { name: 'summary', schema },
        examples: [{ name: 'one', params: [], result: { value: { count: 5 } } }],
      }),
    )
    expect(items).toEqual(items.map(() => isPrice))
    expect(result).toEqual({ count: 5 })
  })

  it('tells how far it is', async () => {
    const heard: number[] = []
    await read(mockOf(), {}, { onProgress: ({ percent }) => heard.push(percent) })
    expect(heard.at(-1)).toBe(100)
  })

  it('plays errors before the first item, and failures anywhere', async () => {
    const closed = { code: 'PRICES_CLOSED', message: 'Closed' }
    const scripted = mockOf({ simulations: [{ name: 'x', input: {}, error: closed }] })
    await expect(read(scripted)).rejects.toMatchObject({ code: 'PRICES_CLOSED' })
    const failing = mockOf({}, { failures: [{ share: 1 }] })
    const lengths = new Set<number>()
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const stream = failing.client.stream('prices.watch', {})
      let length = 0
      const reading = (async () => {
        for await (const _ of stream) length += 1
      })()
      await expect(reading).rejects.toMatchObject({ code: 'PRICES_CLOSED' })
      lengths.add(length)
    }
    expect(lengths.size).toBeGreaterThan(1)
  })

  it('stops when the reader leaves', async () => {
    const { client } = mockOf({}, { latency: { least: 20, most: 20 } })
    const stream = client.stream('prices.watch', {})
    await stream.next()
    await stream.return()
    await expect(stream.result()).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('warns at start of items it cannot make', () => {
    const item = { type: 'string', pattern: '^(?=a)b$' }
    const { warnings } = mockOf({ extensions: [{ urn: 'urn:forrst:ext:stream', item }] })
    expect(warnings.join('\n')).toContain('prices.watch@1.0.0: no result can be made: its items')
  })

  it('keeps what it declares', async () => {
    const shop = await createHonestShop()
    onTestFinished(() => shop.close())
    const { service } = createMockService(buildDocument(shop))
    onTestFinished(() => service.close())
    const { findings, unproven } = await verifyService(service)
    expect(findings.filter(({ rule }) => rule.startsWith('extension.'))).toEqual([])
    expect(unproven.join('\n')).not.toContain('urn:forrst:ext:stream')
  })
})
