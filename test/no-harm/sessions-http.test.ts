import { describe, expect, it, onTestFinished } from 'vitest'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { serve } from '../../src/http/serve.ts'
import { createShop } from '../mcp/shop.ts'

/** Opens sessions over HTTP with a service that keeps two of one caller. */
async function open() {
  const server = await serve(createShop(), {
    port: 0,
    surfaces: allSurfaces({ mcp: { sessions: { maxPerCaller: 2 } } }),
  })
  onTestFinished(() => server.close())
  const send = (body: object, session?: string) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
  const begin = async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
    const opened = await send({ method: 'initialize', params })
    const id = opened.headers.get('mcp-session-id') ?? ''
    return id
  }
  const ping = async (session: string) => (await send({ method: 'ping' }, session)).status
  /** Listens to a session; tells whether the service has ended that. */
  const listen = async (session: string) => {
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    const { status, body } = await fetch(`${server.url}/mcp`, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': session },
      signal: ended.signal,
    })
    expect(status).toBe(200)
    const state = { isOver: false }
    const over = drain(body).then(() => {
      state.isOver = true
    })
    over.catch(() => {})
    return { state, over }
  }
  const end = async (session: string) =>
    (await fetch(`${server.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': session } }))
      .status
  return { begin, ping, listen, end }
}

async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; ) part = await reader?.read()
}

describe('as reported: more sessions of one caller than are kept, over HTTP', () => {
  it('ends the one that was not used for the longest time, and no other', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const used = await listen(first)
    const second = await begin()
    const unused = await listen(second)
    expect(await ping(first)).toBe(200)
    await begin()
    await unused.over
    expect(used.state.isOver).toBe(false)
  })

  it('ends one that nobody listens to before one that somebody does', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const heard = await listen(first)
    for (let count = 0; count < 5; count += 1) await begin()
    expect(await ping(first)).toBe(200)
    expect(heard.state.isOver).toBe(false)
  })

  it('takes it up again from its id: its client goes on, at the cost of another', async () => {
    const { begin, ping, listen } = await open()
    const first = await begin()
    const second = await begin()
    const third = await begin()
    const heard = [await listen(second), await listen(third)] as const
    // Two are kept, so the one that comes back takes the place of the oldest of the others.
    expect(await ping(first)).toBe(200)
    await heard[0].over
    expect(heard[1].state.isOver).toBe(false)
  })

  it('does not know one that the client has ended, nor one that was never opened', async () => {
    const { begin, ping, end } = await open()
    const first = await begin()
    expect(await end(first)).toBe(204)
    expect(await ping(first)).toBe(404)
    expect(await ping('made-up')).toBe(404)
  })
})
