import { request } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { listen } from '../../test/support/listen.ts'
import type { HttpResponse } from '../wire/http.ts'
import { toNodeListener } from './node.ts'

const serve = (handle: () => HttpResponse) =>
  listen(toNodeListener({ maxRequestBytes: 100, knows: () => true, handle }))

describe('an app on node:http', () => {
  it('tells the producer of a stream to stop when nobody reads any more', async () => {
    let left = false
    async function* endless() {
      try {
        for (;;) {
          yield 'x'
          await turn()
        }
      } finally {
        left = true
      }
    }
    const port = await serve(() => ({ status: 200, headers: {}, body: endless() }))
    const leave = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: leave.signal })
    await response.body?.getReader().read()
    expect(left).toBe(false)
    leave.abort()
    await vi.waitFor(() => expect(left).toBe(true), 10_000)
  })

  it('keeps a connection open, but not behind a body that was too large to read', async () => {
    const port = await serve(() => ({ status: 200, headers: {}, body: 'ok' }))
    const send = (body: string) =>
      new Promise<string | undefined>((resolve, reject) => {
        const headers = { connection: 'keep-alive' }
        const sent = request({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
          answer.resume()
          resolve(answer.headers.connection)
        })
        sent.on('error', reject)
        sent.end(body)
      })
    expect(await send('x'.repeat(100))).toBe('keep-alive')
    expect(await send('x'.repeat(101))).toBe('close')
  })
})
