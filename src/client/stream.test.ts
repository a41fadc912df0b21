import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { CallError } from '../errors/error.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createClient } from './client.ts'
import { createLocalTransport } from './local-transport.ts'

interface Watch {
  yielded: number
  left: boolean
  aborted: boolean
}

function createCounter(watch: Watch = { yielded: 0, left: false, aborted: false }) {
  return defineFunction({
    name: 'numbers.count',
    version: '1.0.0',
    input: z.object({
      to: z.number(),
      failAt: z.number().optional(),
      filler: z.number().optional(),
    }),
    output: z.object({ sum: z.number() }),
    item: z.object({ n: z.number(), filler: z.string().optional() }),
    errors: [{ code: 'NUMBERS_UNLUCKY', message: 'Unlucky' }],
    async *handler({ input, fail, progress, signal }) {
      signal.addEventListener('abort', () => {
        watch.aborted = true
      })
      let sum = 0
      try {
        for (let n = 1; n <= input.to; n += 1) {
          if (n === input.failAt) throw fail('NUMBERS_UNLUCKY')
          sum += n
          watch.yielded = n
          yield input.filler ? { n, filler: 'x'.repeat(input.filler) } : { n }
          if (n === 2) progress(0.5, 'half')
        }
        return { sum }
      } finally {
        watch.left = true
      }
    },
  })
}

const servers: (RunningServer | { close: () => unknown })[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serveCounter(watch?: Watch) {
  const server = await serve(serviceOf([createCounter(watch)]), { port: 0, graceMs: 100 })
  servers.push(server)
  return createClient({ url: `${server.url}/forrst`, name: 'test', retry: false })
}

function localCounter(watch?: Watch) {
  const handler = createForrstHandler(serviceOf([createCounter(watch)]))
  return createClient({ transport: createLocalTransport(handler), name: 'test' })
}

/** Serves a text to whoever asks, and leaves the connection open if told so. */
async function serveText(text: string | ((id: string) => string), open = false) {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(typeof text === 'string' ? text : text(id))
    if (!open) response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({ close: () => server.closeAllConnections() ?? server.close() })
  const { port } = server.address() as AddressInfo
  return createClient({ url: `http://127.0.0.1:${port}/forrst`, name: 'test', retry: false })
}

describe.each([
  ['over HTTP', serveCounter],
  ['in this process', async (watch?: Watch) => localCounter(watch)],
])('a streamed call %s', (_where, connect) => {
  it('gives the items as they come, reports progress, and then the result', async () => {
    const client = await connect()
    const progress: unknown[] = []
    const stream = client.stream(
      'numbers.count',
      { to: 3 },
      { onProgress: (p) => progress.push(p) },
    )
    const items: unknown[] = []
    for await (const item of stream) items.push(item)
    expect(items).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(progress).toEqual([{ current: 50, total: 100, percent: 50, message: 'half' }])
    expect(await stream.result()).toEqual({ sum: 6 })
  })

  it('gives the result to a caller who does not care for the items', async () => {
    const client = await connect()
    expect(await client.stream('numbers.count', { to: 100 }).result()).toEqual({ sum: 5050 })
  })

  it('throws the error of the function after the items before it, from the loop and the result', async () => {
    const client = await connect()
    const stream = client.stream('numbers.count', { to: 3, failAt: 2 })
    const items: unknown[] = []
    const reading = (async () => {
      for await (const item of stream) items.push(item)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'NUMBERS_UNLUCKY' })
    expect(items).toEqual([{ n: 1 }])
    await expect(stream.result()).rejects.toMatchObject({ code: 'NUMBERS_UNLUCKY' })
  })

  it('throws what the service refuses before the first item', async () => {
    const client = await connect()
    await expect(client.stream('numbers.count', {}).next()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    })
    await expect(client.stream('numbers.none').next()).rejects.toBeInstanceOf(CallError)
  })

  it('ends the call when the loop is left: the generator runs its finally', async () => {
    const watch: Watch = { yielded: 0, left: false, aborted: false }
    const client = await connect(watch)
    const stream = client.stream('numbers.count', { to: 1e9 })
    for await (const item of stream) {
      if ((item as { n: number }).n === 3) break
    }
    await expect.poll(() => watch, { timeout: 10_000 }).toMatchObject({ left: true, aborted: true })
    await expect(stream.result()).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('ends when the signal of the caller does, also while nothing comes', async () => {
    const watch: Watch = { yielded: 0, left: false, aborted: false }
    const client = await connect(watch)
    const controller = new AbortController()
    const stream = client.stream('numbers.count', { to: 1e9 }, { signal: controller.signal })
    await stream.next()
    controller.abort()
    const drain = stream.result()
    await expect(drain).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect.poll(() => watch.left, { timeout: 10_000 }).toBe(true)
  })

  it('does not run ahead of a caller who reads slowly', async () => {
    const watch: Watch = { yielded: 0, left: false, aborted: false }
    const client = await connect(watch)
    const stream = client.stream('numbers.count', { to: 10_000, filler: 10_000 })
    await stream.next()
    await delay(300)
    const early = watch.yielded
    await delay(300)
    // What runs ahead are the buffers of two sockets, not the hundred megabytes of the stream.
    expect(watch.yielded).toBe(early)
    expect(early).toBeLessThan(2_000)
    await stream.return()
  })

  it('tells deadline and cancellation apart as errors of the stream', async () => {
    const client = await connect()
    const stream = client.stream(
      'numbers.count',
      { to: 1e9 },
      { deadline: { value: 200, unit: 'millisecond' } },
    )
    await expect(stream.result()).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
  })
})

/** What is still held; garbage that a busy machine has not collected yet says nothing about a stream. */
function measureHeap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('a streamed call', () => {
  it('sends nothing before the first item is asked for', async () => {
    const watch: Watch = { yielded: 0, left: false, aborted: false }
    const stream = localCounter(watch).stream('numbers.count', { to: 1 })
    await delay(20)
    expect(watch.yielded).toBe(0)
    await stream.return()
    expect(watch.yielded).toBe(0)
  })

  it('keeps to a flat memory over 100,000 items, and leaves no listener behind', async () => {
    const client = await serveCounter()
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    const before = measureHeap()
    let seen = 0
    let highest = 0
    for await (const _ of client.stream('numbers.count', { to: 100_000, filler: 1_500 })) {
      seen += 1
      if (seen % 5_000 === 0) highest = Math.max(highest, measureHeap())
    }
    expect(seen).toBe(100_000)
    // The items are 150 MB in all.
    expect(highest - before).toBeLessThan(20 * 1024 * 1024)
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  }, 60_000)

  it('reads what other services write: no greeting, CRLF, several lines, and success after an error', async () => {
    const client = await serveText(
      (id) =>
        'event: data\r\ndata: {"n":\r\ndata: 1}\r\n\r\n: hello\r\n\r\nevent: strange\r\ndata: ?\r\n\r\n' +
        'event: error\r\ndata: {"code":"GONE_WRONG","message":"No"}\r\n\r\n' +
        `event: complete\r\ndata: {"protocol":{"name":"forrst","version":"0.1.0"},"id":"${id}","result":{"streamed":true}}\r\n\r\n`,
    )
    const stream = client.stream('a.b')
    expect(await stream.next()).toEqual({ done: false, value: { n: 1 } })
    await expect(stream.result()).rejects.toMatchObject({ code: 'GONE_WRONG', message: 'No' })
  })

  it.each([
    ['event: data\ndata: 1\n\n', 'CLIENT_CONNECTION_LOST'],
    ['event: data\ndata: {oops\n\n', 'CLIENT_INVALID_RESPONSE'],
    ['event: data\ndata: {"__proto__":{}}\n\n', 'CLIENT_INVALID_RESPONSE'],
    [`event: data\ndata: "${'x'.repeat(1_100_000)}"\n\n`, 'CLIENT_RESPONSE_TOO_LARGE'],
    ['event: done\ndata: 1\n\nevent: complete\ndata: {}\n\n', 'CLIENT_INVALID_RESPONSE'],
  ])('fails with a code of its own when a stream is broken: %#', async (text, code) => {
    const client = await serveText(text)
    await expect(client.stream('a.b').result()).rejects.toMatchObject({ code })
  })

  it('gives up a service that falls silent', async () => {
    const client = await serveText('event: data\ndata: 1\n\n', true)
    const stream = client.stream('a.b', {}, { timeoutMs: 200 })
    await stream.next()
    await expect(stream.next()).rejects.toMatchObject({ code: 'CLIENT_TIMEOUT' })
  })

  it('does not wait for the end of a connection after the last event', async () => {
    const client = await serveText(
      (id) =>
        `event: done\ndata: 7\n\nevent: complete\ndata: {"protocol":{"name":"forrst","version":"0.1.0"},"id":"${id}","result":{"streamed":true}}\n\n`,
      true,
    )
    const started = performance.now()
    expect(await client.stream('a.b').result()).toBe(7)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('is a dependency error to a handler that streams on behalf of its own call', async () => {
    const client = localCounter()
    const within = { context: {}, facts: {}, signal: () => new AbortController().signal }
    const stream = client.stream('numbers.count', { to: 2, failAt: 2 }, { within })
    await expect(stream.result()).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
  })
})
