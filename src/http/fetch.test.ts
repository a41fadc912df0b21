import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../wire/http.ts'
import { toFetchHandler } from './fetch.ts'

const serve = (body: HttpResponse['body']) =>
  toFetchHandler({
    maxRequestBytes: 100,
    knows: () => true,
    handle: () => ({ status: 200, headers: {}, body }),
  })

describe('an app behind web-standard requests', () => {
  it('tells the producer of a stream to stop when nobody reads any more', async () => {
    let left = false
    async function* endless() {
      try {
        for (;;) yield 'x'
      } finally {
        left = true
      }
    }
    const response = await serve(endless())(new Request('http://localhost/'))
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('x')
    expect(left).toBe(false)
    await reader?.cancel()
    expect(left).toBe(true)
  })

  it('reads no more of a body than the limit and one chunk', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 60
        controller.enqueue(new Uint8Array(60))
      },
    })
    let tooLarge: boolean | undefined
    const handler = toFetchHandler({
      maxRequestBytes: 100,
      knows: () => true,
      handle(request) {
        tooLarge = request.bodyTooLarge
        return { status: 413, headers: {}, body: '' }
      },
    })
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, duplex: 'half' }
    expect((await handler(new Request('http://localhost/', init))).status).toBe(413)
    expect(tooLarge).toBe(true)
    expect(sent).toBeLessThan(600)
  })
})
