import { describe, expect, it } from 'vitest'
import type { HttpResponse } from 'waymark'
import { createCounting, WAYS } from './ways.ts'

const MANY = 20_000

function reader({ body }: HttpResponse): AsyncIterator<string | Uint8Array> {
  if (typeof body === 'string' || body instanceof Uint8Array) throw new Error(String(body))
  return body[Symbol.asyncIterator]()
}

/** Lets everything run that is ready to. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe.each(WAYS)('a stream over $name', ({ name, ask }) => {
  it('waits for a reader that is slow, and ends when it leaves', async () => {
    const { watched, open, leave } = createCounting()
    const chunks = reader(await ask(open, MANY))
    await chunks.next()
    await settle()
    const made = watched.made
    // A buffer or two: nothing is made for a reader that does not read.
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(3_000)
    await settle()
    expect(watched.made).toBe(made)
    await chunks.next()
    await chunks.next()
    await settle()
    expect(watched.made).toBeGreaterThan(made)
    await chunks.return?.()
    leave()
    // A session keeps its stream for a client that comes back.
    if (name !== 'MCP 2025-06-18') {
      await settle()
      expect(watched.left).toBe(true)
    }
  }, 30_000)

  it('brings every item once and in order, and then the result', async () => {
    const { open } = createCounting()
    let text = ''
    const chunks = reader(await ask(open, 2_000))
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
      text += Buffer.from(step.value).toString()
    }
    const values = [...text.matchAll(/\{\\?"value\\?":(\d+),/g)].map(([, value]) => Number(value))
    expect(values).toEqual(Array.from({ length: 2_000 }, (_, index) => index + 1))
    expect(text).toMatch(/\\?"count\\?":2000/)
  }, 30_000)
})

describe('a stream for EventSource', () => {
  const [, events] = WAYS
  it('numbers its events, and goes on after the last one that the reader has', async () => {
    const { open } = createCounting()
    const read = async (headers: Record<string, string>) => {
      const response = await events?.ask(
        (request) => open({ ...request, header: (name) => headers[name] ?? request.header(name) }),
        5,
      )
      const chunks = reader(response as HttpResponse)
      let text = ''
      for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
        text += Buffer.from(step.value).toString()
      }
      return [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id)
    }
    expect(await read({})).toEqual(['1', '2', '3', '4', '5'])
    expect(await read({ 'last-event-id': '3' })).toEqual(['4', '5'])
  })

  it('refuses an id that its function does not take', async () => {
    const { open } = createCounting()
    const response = await events?.ask(
      (request) =>
        open({
          ...request,
          header: (name) => (name === 'last-event-id' ? 'x' : request.header(name)),
        }),
      5,
    )
    expect(response?.status).toBe(400)
  })
})
