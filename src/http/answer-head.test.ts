import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HttpResponse } from '../wire/http.ts'
import { toNodeListener } from './node.ts'

const OK: HttpResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' }
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Serves answers; the second of two requests on one connection is the first that can use the end of another head. */
async function serve(
  answer: HttpResponse | ((count: number) => HttpResponse),
  around: (listener: RequestListener) => RequestListener = (listener) => listener,
  options: ServerOptions & { readonly maxRequestsPerSocket?: number } = {},
): Promise<number> {
  let count = 0
  const handle = () => {
    count += 1
    return typeof answer === 'function' ? answer(count) : answer
  }
  const server = createServer(
    options,
    around(toNodeListener({ maxRequestBytes: 100, knows: () => true, handle })),
  )
  server.maxRequestsPerSocket = options.maxRequestsPerSocket ?? 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** Sends requests one after the other on one connection and gives what comes back for each, without dates. */
async function exchange(port: number, requests: readonly string[]): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1')
  const answers: string[] = []
  for (const request of requests) {
    if (socket.destroyed) break
    socket.write(request)
    answers.push(
      await new Promise<string>((resolve) =>
        socket.once('data', (chunk) => resolve(String(chunk))),
      ),
    )
  }
  socket.destroy()
  return answers.map((answer) => answer.replace(/Date: [^\r]+/, 'Date: now'))
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const PLAIN =
  'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: text/plain\r\nDate: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\nok'

describe('the head of an answer', () => {
  it('is what node:http writes, the first time and every other time', async () => {
    expect(await exchange(await serve(OK), [GET, GET, GET])).toEqual([PLAIN, PLAIN, PLAIN])
  })

  it('has the length and the headers of its own answer', async () => {
    const port = await serve((count) => ({
      status: 200,
      headers: { 'x-count': String(count) },
      body: 'é'.repeat(count),
    }))
    const answers = await exchange(port, [GET, GET, GET])
    expect(answers.map((answer) => answer.split('\r\n').slice(1, 3))).toEqual([
      ['content-length: 2', 'x-count: 1'],
      ['content-length: 4', 'x-count: 2'],
      ['content-length: 6', 'x-count: 3'],
    ])
    expect(answers[2]?.endsWith('\r\n\r\nééé')).toBe(true)
  })

  it('tells the date of its own second', async () => {
    const port = await serve(OK)
    const dateOf = async () => (await fetch(`http://127.0.0.1:${port}/`)).headers.get('date')
    const [first] = [await dateOf(), await dateOf()]
    await vi.waitFor(async () => expect(await dateOf()).not.toBe(first), 5_000)
  })

  it('says close where the connection ends', async () => {
    const port = await serve(OK)
    const close = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const [, , last] = await exchange(port, [GET, GET, close])
    expect(last).toContain('\r\nConnection: close\r\n')
    const old = 'GET / HTTP/1.0\r\n\r\n'
    expect((await exchange(port, [GET, GET, old]))[2]).toContain('\r\nConnection: close\r\n')
    const few = await serve(OK, undefined, { maxRequestsPerSocket: 3 })
    const answers = await exchange(few, [GET, GET, GET])
    expect(answers.map((answer) => /Connection: (.*)\r/.exec(answer)?.[1])).toEqual([
      'keep-alive',
      'keep-alive',
      'close',
    ])
  })

  it('keeps what others have set on the answer', async () => {
    const port = await serve(OK, (listener) => (incoming, outgoing) => {
      outgoing.setHeader('x-frame-options', 'deny')
      outgoing.removeHeader('connection')
      listener(incoming, outgoing)
    })
    const answers = await exchange(port, [GET, GET])
    expect(answers[1]).toBe(answers[0])
    expect(answers[1]).toContain('x-frame-options: deny')
    expect(answers[1]).not.toContain('Connection')
  })

  it('has no body for HEAD, and the length of the one it would have', async () => {
    const head = 'HEAD / HTTP/1.1\r\nHost: x\r\n\r\n'
    const [, second] = await exchange(await serve(OK), [GET, head])
    expect(second).toBe(PLAIN.slice(0, -2))
  })

  it.each(['a\r\nset-cookie: b', 'a\nb', 'a\0b'])(
    'never holds a line break of a value: %j',
    async (value) => {
      const port = await serve((count) => ({
        ...OK,
        headers: count < 3 ? {} : { 'x-note': value },
      }))
      const [, , third] = await exchange(port, [GET, GET, GET])
      expect(third).toMatch(/^HTTP\/1\.1 500 /)
      expect(third).not.toContain('set-cookie')
    },
  )

  it('is written by node:http alone where its text is not the field we know', async () => {
    const publicly: boolean[] = []
    const watch =
      (hides: boolean): ((listener: RequestListener) => RequestListener) =>
      (listener) =>
      (incoming, outgoing) => {
        // Other versions and runtimes may keep the text elsewhere.
        if (hides) Object.assign(outgoing, { _header: undefined })
        const writeHead = vi.spyOn(outgoing, 'writeHead')
        listener(incoming, outgoing)
        publicly.push(writeHead.mock.calls.length === 1)
      }
    expect(await exchange(await serve(OK, watch(true)), [GET, GET, GET])).toEqual([
      PLAIN,
      PLAIN,
      PLAIN,
    ])
    expect(publicly.splice(0)).toEqual([true, true, true])
    const [, second] = await exchange(await serve(OK, watch(false)), [GET, GET, GET])
    expect(second).toBe(PLAIN)
    expect(publicly).toContain(false)
  })
})
