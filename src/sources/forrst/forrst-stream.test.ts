import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { front, start } from '../../../test/support/front.ts'
import { createTestLogger, serviceOf } from '../../../test/support/service.ts'
import { createHonestShop } from '../../../test/verify/shop.ts'
import type { Call } from '../../core/call.ts'
import { defineFunction } from '../../core/function.ts'
import { buildDocument } from '../../discovery/document.ts'
import { createClient } from '../../entries/client.ts'
import { verifyService } from '../../entries/verify.ts'
import { CallError } from '../../errors/error.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'

const FILLER = 'x'.repeat(10_000)

/** A service that streams, and keeps what became of its streams. */
function createFar() {
  const seen: Call[] = []
  const watch = { yielded: 0, left: 0 }
  const run = defineFunction({
    name: 'rows.run',
    version: '1.0.0',
    sideEffects: ['create'],
    input: {
      type: 'object',
      properties: { rows: { type: 'integer' }, mode: { type: 'string' } },
    },
    item: { $ref: '#/components/schemas/Row' },
    output: { type: 'object', properties: { rows: { type: 'integer' } }, required: ['rows'] },
    errors: [{ code: 'ROWS_SOLD_OUT', message: 'Sold out', status: 410 }],
    async *handler({ call, input, fail, progress, signal }) {
      seen.push(call)
      const rows = Number(input['rows'] ?? 3)
      try {
        if (input['mode'] === 'refuse') throw fail('ROWS_SOLD_OUT', { details: { left: 0 } })
        for (let row = 1; row <= rows; row += 1) {
          watch.yielded = row
          yield { row, ...(input['mode'] === 'long' && { filler: FILLER }) }
          progress(row / rows, `row ${row}`)
        }
        if (input['mode'] === 'fail') throw fail('ROWS_SOLD_OUT', { details: { left: 0 } })
        if (input['mode'] === 'bug') throw new Error('secret path /etc/far')
        if (input['mode'] === 'hang') await delay(60_000, undefined, { signal })
        return { rows }
      } finally {
        watch.left += 1
      }
    },
  })
  const list = defineFunction({
    name: 'rows.list',
    version: '1.0.0',
    sideEffects: [],
    item: { type: 'integer' },
    async *handler() {
      yield* [1, 2, 3]
    },
  })
  const service = serviceOf([run, list], {
    store: createMemoryStore(),
    log: createTestLogger(),
    components: {
      schemas: {
        Row: { type: 'object', properties: { row: { type: 'integer' } }, required: ['row'] },
      },
    },
  })
  return { seen, watch, service }
}

/** A server that begins to stream and then drops the connection. */
async function startBroken(events: string) {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(events, () => setTimeout(() => response.destroy(), 50))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/forrst`, close }
}

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

describe('a stream of a remote service', () => {
  it('is declared with its items, and passes through with progress and result', async () => {
    const far = createFar()
    const { client, service } = await front(await start(far.service))
    const [declared] = buildDocument(service).functions.map(({ extensions }) => extensions)
    expect(declared).toEqual([{ urn: 'urn:forrst:ext:stream', item: expect.any(Object) }])
    const heard: (string | undefined)[] = []
    const stream = client.stream(
      'rows.run',
      { rows: 3 },
      { onProgress: ({ percent, message }) => heard.push(`${percent} ${message}`) },
    )
    expect(await collect(stream)).toEqual([{ row: 1 }, { row: 2 }, { row: 3 }])
    expect(await stream.result()).toEqual({ rows: 3 })
    expect(heard.at(-1)).toBe('100 row 3')
  })

  it('gives the whole to who does not read items, on every surface', async () => {
    const { client, near } = await front(await start(createFar().service))
    expect(await client.callOrThrow('rows.run', { rows: 2 })).toEqual({ rows: 2 })
    expect(await client.callOrThrow('rows.list', {})).toEqual([1, 2, 3])
    const answer = await fetch(`${near.url}/api/rows.list`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await answer.json()).toEqual([1, 2, 3])
    const stream = client.stream('rows.list', {})
    expect(await collect(stream)).toEqual([1, 2, 3])
    expect(await stream.result()).toBeNull()
  })

  it('passes through as many services as there are', async () => {
    const middle = await front(await start(createFar().service))
    const { client } = await front(middle.near)
    expect(await collect(client.stream('rows.run', { rows: 2 }))).toEqual([{ row: 1 }, { row: 2 }])
  })

  it('keeps what it declares', async () => {
    const shop = await createHonestShop()
    const { near } = await front(await start(shop))
    const { findings, unproven } = await verifyService(near.url)
    expect(findings.filter(({ rule }) => rule.startsWith('extension.'))).toEqual([])
    expect(unproven.join('\n')).not.toContain('urn:forrst:ext:stream')
  })

  it('takes deadline, trace, context and key along', async () => {
    const far = createFar()
    const { client } = await front(await start(far.service))
    const traceId = 'a'.repeat(32)
    const send = () =>
      client.stream(
        'rows.run',
        { rows: 1 },
        {
          deadline: { value: 20, unit: 'second' },
          context: { tenant: 'acme' },
          idempotencyKey: 'key-1',
          extensions: [
            {
              urn: 'urn:forrst:ext:tracing',
              options: { trace_id: traceId, span_id: 'b'.repeat(16) },
            },
          ],
        },
      )
    expect(await collect(send())).toEqual([{ row: 1 }])
    const [call] = far.seen
    expect(call?.context).toMatchObject({ tenant: 'acme', caller: 'front' })
    expect(call?.facts.trace?.traceId).toBe(traceId)
    expect(call?.facts.idempotencyKey).toBe('key-1')
    const left = (call?.facts.deadline ?? 0) - Date.now()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(20_000)
    const again = send()
    expect(await again.result()).toEqual({ rows: 1 })
    expect(far.seen).toHaveLength(1)
  })

  it('makes the remote function wait for a slow reader, and ends it when the reader leaves', async () => {
    const far = createFar()
    const { client } = await front(await start(far.service))
    const stream = client.stream('rows.run', { rows: 100_000, mode: 'long' })
    expect((await stream.next()).value).toMatchObject({ row: 1 })
    // Until every buffer on the way is full; then nothing moves any more.
    let before = -1
    await expect
      .poll(
        () => {
          const stands = before === far.watch.yielded
          before = far.watch.yielded
          return stands
        },
        { timeout: 20_000, interval: 250 },
      )
      .toBe(true)
    expect(far.watch.yielded).toBeLessThan(50_000)
    expect(far.watch.left).toBe(0)
    await stream.return()
    await expect.poll(() => far.watch.left, { timeout: 10_000 }).toBe(1)
    expect(far.watch.yielded).toBeLessThan(50_000)
  })

  it('aborts a remote function that waits for something else', async () => {
    const far = createFar()
    const { client } = await front(await start(far.service))
    const stream = client.stream('rows.run', { rows: 1, mode: 'hang' })
    await stream.next()
    await stream.return()
    await expect.poll(() => far.seen[0]?.signal().aborted, { timeout: 10_000 }).toBe(true)
    const late = client.stream(
      'rows.run',
      { rows: 1, mode: 'hang' },
      { deadline: { value: 300, unit: 'millisecond' } },
    )
    await expect(collect(late)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    await expect.poll(() => far.watch.left, { timeout: 10_000 }).toBe(2)
  })
})

describe('a stream of a remote service that fails', () => {
  it('gives the items before, then code and details of the error', async () => {
    const { client } = await front(await start(createFar().service))
    const items: unknown[] = []
    const read = async (mode: string) => {
      for await (const item of client.stream('rows.run', { rows: 2, mode })) items.push(item)
    }
    await expect(read('fail')).rejects.toMatchObject({
      code: 'ROWS_SOLD_OUT',
      errors: [{ details: { left: 0 } }],
    })
    expect(items).toEqual([{ row: 1 }, { row: 2 }])
    const bug = await read('bug').catch((thrown: unknown) => thrown)
    expect(bug).toMatchObject({
      code: 'DEPENDENCY_ERROR',
      errors: [{ details: { dependency_error: 'INTERNAL_ERROR' } }],
    })
    expect(JSON.stringify(bug)).not.toContain('/etc/far')
  })

  it('is an ordinary answer with its status when nothing was streamed yet', async () => {
    const { near } = await front(await start(createFar().service))
    const answer = await fetch(`${near.url}/forrst`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: '1',
        call: { function: 'rows.run', arguments: { mode: 'refuse' } },
        extensions: [{ urn: 'urn:forrst:ext:stream', options: { accept: true } }],
      }),
    })
    expect(answer.status).toBe(410)
    expect(await answer.json()).toMatchObject({
      errors: [{ code: 'ROWS_SOLD_OUT', details: { left: 0 } }],
    })
  })

  it('answers DEPENDENCY_ERROR when the connection breaks, and UNAVAILABLE when there is none', async () => {
    const server = await start(createFar().service)
    const broken = await startBroken('event: data\ndata: {"row":1}\n\n')
    const { stream } = createClient({ url: broken.url, name: 'front', retry: false })
    const client = createClient({ url: `${server.url}/forrst`, name: 'front' })
    const near = await front(server, { client: { ...client, stream } })
    const items = near.client.stream('rows.run', {})
    expect((await items.next()).value).toEqual({ row: 1 })
    await expect(items.next()).rejects.toMatchObject({
      code: 'DEPENDENCY_ERROR',
      errors: [{ details: { dependency: 'far', dependency_error: 'CLIENT_CONNECTION_LOST' } }],
    })
    await broken.close()
    await expect(near.client.stream('rows.run', {}).next()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    })
  })

  it('answers DEPENDENCY_ERROR for a service that does not keep its own declaration', async () => {
    const far = createFar()
    const refusing = serviceOf(
      ['rows.run', 'rows.list'].map((name) =>
        defineFunction({
          name,
          version: '1.0.0',
          handler: () => {
            throw new CallError('NOT_FOUND')
          },
        }),
      ),
    )
    const server = await start(refusing)
    const client = createClient({ url: `${server.url}/forrst`, name: 'front', retry: false })
    const discover = async () =>
      ({ ok: true, result: buildDocument(far.service), extensions: [] }) as const
    const { client: near } = await front(server, { client: { ...client, discover } })
    await expect(near.stream('rows.list', {}).next()).rejects.toMatchObject({
      code: 'DEPENDENCY_ERROR',
      errors: [{ details: { dependency_error: 'EXTENSION_NOT_APPLICABLE' } }],
    })
  })
})
