import { afterEach, describe, expect, it, vi } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { legacyClient, toHttpRequest } from '../../../test/mcp/wire.ts'
import { createWireCheck, type Revision } from '../../../test/mcp/wire-schema.ts'
import { defineFunction } from '../../core/function.ts'
import {
  agentOf,
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
} from '../../entries/mcp.ts'
import type { HttpResponse } from '../../wire/http.ts'

interface Event {
  readonly id: string | undefined
  readonly retry: string | undefined
  readonly data: string
}

const handlers: McpHandler[] = []
afterEach(() => {
  for (const handler of handlers.splice(0)) handler.close()
})

/** Reads the events of an answer one by one. */
async function* readEvents({ body }: HttpResponse): AsyncGenerator<Event, void> {
  let text = ''
  for await (const chunk of body as AsyncIterable<string>) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks.filter((part) => !part.startsWith(':'))) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
      const data = field('data') ?? ''
      if (data !== '') createWireCheck('2025-11-25').message(JSON.parse(data))
      yield { id: field('id'), retry: field('retry'), data }
    }
  }
}

async function rest(events: AsyncIterable<Event>): Promise<readonly Event[]> {
  const all: Event[] = []
  for await (const event of events) all.push(event)
  return all
}

async function next(events: AsyncGenerator<Event, void>): Promise<Event> {
  const { value } = await events.next()
  if (value === undefined) throw new Error('the stream has ended')
  return value
}

/** A shop with a call that the test leads step by step, and a client that can leave and come back. */
async function open(options: McpHandlerOptions = {}, revision: Revision = '2025-11-25') {
  const led = { report: (_message: string) => {}, finish: () => {}, aborted: false }
  const service = createShop({}, [
    defineFunction({
      name: 'shop.led',
      version: '1.0.0',
      handler: ({ progress, signal }) =>
        new Promise((resolve, reject) => {
          led.report = (message) => progress(0.1, message)
          led.finish = () => resolve('the end')
          signal.addEventListener('abort', () => {
            led.aborted = true
            reject(signal.reason)
          })
        }),
    }),
    defineFunction({
      name: 'shop.polled',
      version: '1.0.0',
      async handler({ call }) {
        await agentOf(call)?.detach()
        return 'polled'
      },
    }),
  ])
  const handler = createMcpHandler(service, options)
  handlers.push(handler)
  const { session } = await legacyClient(handler, { revision })
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': revision }
  return {
    led,
    service,
    async call(name: string, leave = new AbortController()) {
      const params = { name, _meta: { progressToken: name } }
      const body = { jsonrpc: '2.0', id: name, method: 'tools/call', params }
      const answer = handler(toHttpRequest(body, headers, leave.signal))
      if (name === 'shop__led') led.report('first')
      return { events: readEvents(await answer), leave }
    },
    get: async (lastEventId?: string, leave = new AbortController()) =>
      handler(toHttpRequest('', { ...headers, 'last-event-id': lastEventId }, leave.signal, 'GET')),
    end: () => handler(toHttpRequest('', headers, undefined, 'DELETE')),
  }
}

describe('a call whose connection breaks', () => {
  it('goes on; its client comes back and gets the rest with the result, and nothing twice', async () => {
    const { led, call, get } = await open()
    const { events, leave } = await call('shop__led')
    const greeting = await next(events)
    expect(greeting).toMatchObject({ retry: '1000', data: '' })
    expect(greeting.id).toMatch(/^answer-[0-9a-f]{8}-0$/)
    const first = await next(events)
    expect(first.data).toContain('first')
    leave.abort()
    led.report('missed')
    const resumed = readEvents(await get(first.id))
    expect((await next(resumed)).data).toContain('missed')
    led.report('seen')
    led.finish()
    const [seen, result, ...more] = await rest(resumed)
    expect(seen?.data).toContain('seen')
    expect(JSON.parse(result?.data ?? '')).toMatchObject({
      id: 'shop__led',
      result: { content: [{ text: 'the end' }] },
    })
    expect(more).toEqual([])
    expect(led.aborted).toBe(false)
    expect((await get(result?.id)).status).toBe(204)
  })

  it('may end before its client is back', async () => {
    const { led, call, get } = await open()
    const { events, leave } = await call('shop__led')
    const { id } = await next(events)
    leave.abort()
    led.finish()
    await new Promise(setImmediate)
    const all = await rest(readEvents(await get(id)))
    expect(all.map(({ data }) => data)).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('the end'),
    ])
    expect(new Set(all.map((event) => event.id)).size).toBe(2)
  })

  it('gets only what belongs to it', async () => {
    const { led, service, call, get } = await open()
    const listening = readEvents(await get())
    const { id: listen } = await next(listening)
    const { events, leave } = await call('shop__led')
    const { id } = await next(events)
    leave.abort()
    service.registry.add({ name: 'a.b', version: '1.0.0', handler: () => 1 })
    led.finish()
    expect((await next(listening)).data).toContain('list_changed')
    const all = await rest(readEvents(await get(id)))
    expect(all.map(({ data }) => data).join()).not.toContain('list_changed')
    expect(id?.slice(0, -2)).not.toBe(listen?.slice(0, -2))
  })

  it('is aborted when nobody comes back in time', async () => {
    const { led, call, get } = await open({ sessions: { resumeMs: 5 } })
    const { events, leave } = await call('shop__led')
    const { id } = await next(events)
    leave.abort()
    await vi.waitFor(() => expect(led.aborted).toBe(true))
    expect((await get(id)).status).toBe(400)
  })

  it('is aborted at once where streams cannot be taken up again', async () => {
    const { led, call } = await open({ sessions: { resumeMs: 0 } })
    const { events, leave } = await call('shop__led')
    expect(await next(events)).toMatchObject({ id: undefined, retry: undefined })
    leave.abort()
    expect(led.aborted).toBe(true)
  })

  it('ends with its session', async () => {
    const { led, call, get, end } = await open()
    const { events, leave } = await call('shop__led')
    const { id } = await next(events)
    leave.abort()
    await end()
    expect(led.aborted).toBe(true)
    expect((await get(id)).status).toBe(404)
  })

  it('has numbers but no greeting before 2025-11-25, whose clients would not understand it', async () => {
    const { led, call, get } = await open({}, '2025-06-18')
    const { events, leave } = await call('shop__led')
    const first = await next(events)
    expect(first.data).toContain('first')
    leave.abort()
    led.finish()
    const [result] = await rest(readEvents(await get(first.id)))
    expect(result?.data).toContain('the end')
  })
})

describe('what is kept for a client that is away', () => {
  it('is bounded; what was forgotten is not passed over in silence', async () => {
    const { led, call, get } = await open({ sessions: { replaySize: 600 } })
    const { events, leave } = await call('shop__led')
    const { id } = await next(events)
    leave.abort()
    for (let count = 0; count < 20; count += 1) led.report(`step ${count}`)
    const response = await get(id)
    expect(response.status).toBe(400)
    expect(String(response.body)).toContain('no longer kept')
    const all = await rest(readEvents(await get(id?.replace(/-0$/, '-20'), closing())))
    expect(all.map(({ data }) => data).join()).toContain('step 19')
  })

  it('is a hundred streams at most: calls of a client that leaves again and again end', async () => {
    const { led, call, get } = await open()
    const ids: (string | undefined)[] = []
    for (let count = 0; count < 101; count += 1) {
      const { events, leave } = await call('shop__led')
      ids.push((await next(events)).id)
      leave.abort()
    }
    expect(led.aborted).toBe(true)
    expect((await get(ids[0])).status).toBe(400)
    expect((await get(ids[1])).status).toBe(200)
  })

  it('holds what belongs to no request, too', async () => {
    const { service, get } = await open()
    const leave = new AbortController()
    const { id } = await next(readEvents(await get(undefined, leave)))
    leave.abort()
    service.registry.add({ name: 'a.b', version: '1.0.0', handler: () => 1 })
    await new Promise(setImmediate)
    const resumed = readEvents(await get(id))
    expect((await next(resumed)).data).toContain('tools/list_changed')
    expect((await next(resumed)).data).toContain('prompts/list_changed')
  })

  it('is no reason to refuse a client that only listens; others learn that theirs is lost', async () => {
    const { get } = await open()
    expect((await get('listen-00000000-7')).status).toBe(200)
    for (const id of ['answer-00000000-7', 'made up', '']) {
      expect((await get(id)).status).toBe(400)
    }
  })
})

describe('a client that is sent away', () => {
  it('comes back for the result when the handler lets it go', async () => {
    const { call, get } = await open()
    const { events } = await call('shop__polled')
    const before = await rest(events)
    expect(before.map(({ data }) => data)).toEqual(['', ''])
    expect(before.at(-1)?.retry).toBe('1000')
    const [result] = await rest(readEvents(await get(before.at(-1)?.id)))
    expect(result?.data).toContain('polled')
  })

  it('comes back when no connection may last', async () => {
    const { led, call, get } = await open({ sessions: { connectionMs: 5, retryMs: 7 } })
    const { events } = await call('shop__led')
    const before = await rest(events)
    expect(before.at(-1)).toMatchObject({ retry: '7', data: '' })
    led.finish()
    const [result] = await rest(readEvents(await get(before.at(-1)?.id)))
    expect(result?.data).toContain('the end')
  })
})

/** Leaves as soon as everything that waits was read. */
function closing(): AbortController {
  const leave = new AbortController()
  setTimeout(() => leave.abort(), 20)
  return leave
}
