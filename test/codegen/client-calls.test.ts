import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import type { DiscoveryDocument } from '../../src/discovery/decode.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { generateClient } from '../../src/entries/codegen.ts'
import { createMemoryStore } from '../../src/entries/store.ts'
import { type RunningServer, serve } from '../../src/http/serve.ts'
import * as eventsOnPackage from './client-golden/events.gen.ts'
import * as kitchenOnPackage from './client-golden/kitchen.gen.ts'
import { kitchenDocument } from './client-kitchen.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-client-calls-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Generates a client that carries its runtime and loads it. */
async function load(name: string, document: DiscoveryDocument): Promise<unknown> {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, generateClient(document, { name }))
  return import(/* @vite-ignore */ file)
}

const example = createEventsService({ database: ':memory:' })
const events = (await load('Events', buildDocument(example))) as typeof eventsOnPackage
const kitchen = (await load('Kitchen', kitchenDocument)) as typeof kitchenOnPackage
await example.close()

const EVENT = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'
let server: RunningServer
beforeAll(async () => {
  const service = createEventsService({ database: ':memory:', store: createMemoryStore() })
  server = await serve(service, { port: 0 })
})
afterAll(() => server.close())

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

const MODULES = [
  ['that carries its runtime', events],
  ['on waymark/client', eventsOnPackage],
] as const

describe.each(MODULES)('a client %s', (_name, module) => {
  const { createEventsClient: create, isEventsGetError } = module
  const connect = () => create({ url: `${server.url}/forrst`, name: 'tests' })

  it('calls a function and gives its typed result', async () => {
    const event = await connect().events.get({ id: EVENT })
    const startsAt: string = event.starts_at
    expect([event.name, startsAt]).toEqual(['Tech Conference 2024', '2024-09-15T09:00:00Z'])
  })

  it('throws an error that its guard knows', async () => {
    const thrown = await connect()
      .events.get({ id: 'none' })
      .catch((error: unknown) => error)
    expect(thrown).toBeInstanceOf(module.CallError)
    expect(isEventsGetError(thrown)).toBe(true)
    expect(thrown).toMatchObject({ code: 'NOT_FOUND', details: { resource_type: 'event' } })
  })

  it('gives declared errors as values that the code tells apart', async () => {
    const outcome = await connect().events.get.safe({ id: 'none' })
    if (outcome.ok || !outcome.declared) throw new TypeError('expected a declared error')
    const code: 'NOT_FOUND' | 'UNAUTHORIZED' = outcome.error.code
    expect(code).toBe('NOT_FOUND')
  })

  it('tells errors that a function declares from all others', async () => {
    const outcome = await connect().events.get.safe({ id: 7 as unknown as string })
    expect(outcome).toMatchObject({ ok: false, declared: false })
  })

  it('asks for what a query describes, page after page', async () => {
    const { list } = connect().events
    const page = await list.query({
      where: { status: 'published', starts_at: { gt: '2000-01-01T00:00:00Z' } },
      sorts: ['-starts_at'],
      pagination: { limit: 1 },
    })
    expect(page.data).toHaveLength(1)
    expect(page.data[0]?.attributes?.status).toBe('published')
    const all: string[] = []
    for await (const event of list.each({ pagination: { limit: 1, offset: 0 } })) all.push(event.id)
    const whole = await list.query({ pagination: { limit: 100 } })
    expect(all).toEqual(whole.data.map(({ id }) => id))
    expect(all.length).toBeGreaterThan(1)
  })

  it('follows a link from a result', async () => {
    const { get } = connect().events
    const event = await get({ id: EVENT })
    const venue = await get.links.getEventVenue(event)
    expect(venue.id).toBe(event.venue?.id)
  })

  it('runs a call once under an idempotency key', async () => {
    const { create: createEvent } = connect().events
    const options = {
      idempotencyKey: `key-${_name.length}`,
      deadline: { value: 5, unit: 'second' },
    } as const
    const given = { name: 'Once', starts_at: '2025-01-01T10:00:00Z' }
    const first = await createEvent(given, options)
    expect(await createEvent(given, options)).toEqual(first)
  })

  it('calls any function by its name', async () => {
    expect(await connect().$call('urn:cline:forrst:fn:ping')).toMatchObject({ status: 'healthy' })
  })

  it('says that nobody is there', async () => {
    const client = create({ url: `http://127.0.0.1:${await freePort()}/forrst`, retry: false })
    const outcome = await client.events.list.safe()
    expect(outcome).toMatchObject({ ok: false, error: { code: 'CLIENT_UNREACHABLE' } })
  })

  it('stops when its signal aborts', async () => {
    const outcome = await connect().events.list.safe({}, { signal: AbortSignal.abort() })
    expect(outcome).toMatchObject({ ok: false, declared: false, error: { code: 'CANCELLED' } })
  })

  it('has guards that refuse what is not an error of the function', () => {
    expect(isEventsGetError(new Error('x'))).toBe(false)
    expect(isEventsGetError(new module.CallError('NOT_FOUND'))).toBe(true)
    expect(isEventsGetError(new module.CallError('OTHER'))).toBe(false)
  })
})

/** Answers as a service that streams, works in the background and is at first too busy. */
function createKitchen(): Server {
  let asked = 0
  return createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const { id, call } = JSON.parse(text)
    const answer = (body: object, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ protocol: { name: 'forrst', version: '0.1.0' }, id, ...body }))
    }
    if (call.function === 'orders.watch') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('event: data\ndata: {"status":"connected"}\n\nevent: data\nda')
      response.write(
        'ta: {"dish":1}\n\nevent: progress\ndata: {"current":1,"total":2,"percent":50}\n\n',
      )
      response.write('event: data\ndata: {"dish":2}\n\nevent: done\ndata: 2\n\n')
      const complete = {
        protocol: { name: 'forrst', version: '0.1.0' },
        id,
        result: { streamed: true },
      }
      response.end(`event: complete\ndata: ${JSON.stringify(complete)}\n\n`)
    } else if (call.function === 'orders.cook') {
      const data = {
        operation_id: 'op_1',
        status: 'pending',
        retry_after: { value: 5, unit: 'millisecond' },
      }
      answer({ result: null, extensions: [{ urn: 'urn:forrst:ext:async', data }] })
    } else if (call.function.endsWith(':fn:status')) {
      asked += 1
      const done = { operation_id: 'op_1', status: 'completed', result: 'soup' }
      answer({
        result:
          asked % 3 === 0 ? done : { operation_id: 'op_1', status: 'processing', progress: 0.5 },
      })
    } else if (asked === 0) {
      asked += 1
      answer({ result: null, errors: [{ code: 'UNAVAILABLE', message: 'busy' }] }, 503)
    } else {
      answer({ result: { id: call.arguments?.id, version: call.version } })
    }
  })
}

describe.each([
  ['that carries its runtime', kitchen],
  ['on waymark/client', kitchenOnPackage],
] as const)('a client %s of a service with long work', (_name, module) => {
  const busy = createKitchen()
  beforeAll(() => new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => busy.close(resolve)))
  const connect = () => {
    const { port } = busy.address() as AddressInfo
    return module.createKitchenClient({
      url: `http://127.0.0.1:${port}/`,
      retry: { baseDelayMs: 1 },
    })
  }

  it('tries again what was not run, and pins the version of every method', async () => {
    const { get } = connect().orders
    expect(await get({ id: 'a' })).toEqual({ id: 'a', version: '2.1.0' })
    expect(await get.v1({ id: 'b' })).toEqual({ id: 'b', version: '1.0.0' })
    expect(await get.v3_0_0_beta_1({ id: 'c' })).toMatchObject({ version: '3.0.0-beta.1' })
  })

  it('gives the parts of a stream, then its result', async () => {
    const seen: unknown[] = []
    const progress: unknown[] = []
    const parts = connect().orders.watch.stream(
      { id: 'a' },
      { onProgress: ({ percent }) => progress.push(percent) },
    )
    let next = await parts.next()
    for (; !next.done; next = await parts.next()) seen.push(next.value)
    expect([seen, progress, next.value]).toEqual([[{ dish: 1 }, { dish: 2 }], [50], 2])
  })

  it('follows an operation to its end', async () => {
    const operation = await connect().orders.cook.start({ id: 'a' })
    const states: string[] = []
    const dish: string = await operation.wait({ onState: ({ status }) => states.push(status) })
    expect([operation.id, dish]).toEqual(['op_1', 'soup'])
    expect(states).toEqual(['processing'])
  })
})
