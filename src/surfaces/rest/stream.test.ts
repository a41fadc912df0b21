import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { createApp } from '../../http/app.ts'

let left = 0
const count = defineFunction({
  name: 'numbers.count',
  version: '1.0.0',
  input: z.object({ to: z.int(), failAt: z.int().optional(), large: z.boolean().optional() }),
  item: z.object({ value: z.number(), text: z.string().optional() }),
  output: z.object({ sum: z.number() }),
  errors: [{ code: 'NUMBERS_TIRED', message: 'Too tired', status: 409 }],
  async *handler({ input, progress, fail }) {
    let sum = 0
    try {
      for (let value = 1; value <= input.to; value += 1) {
        if (value === input.failAt) throw fail('NUMBERS_TIRED', { details: { value } })
        sum += value
        yield { value, ...(input.large && { text: 'x'.repeat(2_000) }) }
        progress(value / input.to, `${value} of\n${input.to}`)
      }
      return { sum }
    } finally {
      left += 1
    }
  },
})
const plain = defineFunction({
  name: 'numbers.one',
  version: '1.0.0',
  handler: () => ({ value: 1 }),
})
const app = createApp(serviceOf([count, plain], { limits: { maxResponseBytes: 1_000 } }), {
  surfaces: allSurfaces(),
})

async function ask(path: string, accept: string, body: unknown) {
  const request = toRequest(body, { path, headers: { host: 'localhost', accept } })
  const response = await app.handle(request)
  let text = ''
  if (typeof response.body === 'string') text = response.body
  else for await (const chunk of response.body as AsyncIterable<string>) text += chunk
  return { ...response, text }
}

const lines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('a function that streams, over REST', () => {
  it.each(['application/jsonl', 'application/x-ndjson'])(
    'sends a line for each part as %s',
    async (type) => {
      const { status, headers, text } = await ask('/api/numbers.count', type, { to: 2 })
      expect([status, headers['content-type']]).toEqual([200, type])
      expect(lines(text).filter((line) => !('progress' in (line as object)))).toEqual([
        { item: { value: 1 } },
        { item: { value: 2 } },
        { result: { sum: 3 } },
      ])
      expect(text).toContain(
        '{"progress":{"current":100,"total":100,"percent":100,"message":"2 of\\n2"}}\n',
      )
    },
  )

  it('sends events to who accepts events', async () => {
    const { headers, text } = await ask('/api/numbers.count@1.0.0', 'text/event-stream', { to: 1 })
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
    })
    expect(text).toMatch(/^event: item\ndata: {"value":1}\n\n/)
    expect(text).toMatch(/event: result\ndata: {"sum":1}\n\n$/)
  })

  it.each([
    ['*/*'],
    ['application/json'],
    ['application/json, text/event-stream;q=0.5'],
    ['text/event-stream;q=0'],
    ['text/html'],
  ])('answers in one piece to Accept: %s', async (accept) => {
    const { headers, text } = await ask('/api/numbers.count', accept, { to: 2 })
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(text)).toEqual({ sum: 3 })
  })

  it('takes the first of the types that are equally welcome', async () => {
    const accept = 'application/json;q=0.1, application/jsonl, text/event-stream'
    const { headers } = await ask('/api/numbers.count', accept, { to: 1 })
    expect(headers['content-type']).toBe('application/jsonl')
  })

  it('answers a refusal before the first item as an ordinary answer', async () => {
    const { status, headers, text } = await ask('/api/numbers.count', 'application/jsonl', {
      to: 'many',
    })
    expect([status, headers['content-type']]).toEqual([400, 'application/problem+json'])
    expect(JSON.parse(text)).toMatchObject({ errors: [{ pointer: '/to' }] })
    const tired = await ask('/api/numbers.count', 'application/jsonl', { to: 1, failAt: 1 })
    expect(tired.status).toBe(409)
  })

  it('ends with the problem of a function that fails in the middle', async () => {
    const asked = { to: 3, failAt: 2 }
    const { status, text } = await ask('/api/numbers.count', 'application/jsonl', asked)
    expect(status).toBe(200)
    expect(lines(text).at(-1)).toMatchObject({
      error: { status: 409, code: 'NUMBERS_TIRED', details: { value: 2 } },
    })
  })

  it('refuses an item that is larger than an answer may be', async () => {
    const asked = { to: 1, large: true }
    const { text } = await ask('/api/numbers.count', 'application/jsonl', asked)
    expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL_ERROR' })
  })

  it('ends the function when the reader leaves', async () => {
    const request = toRequest(
      { to: 1_000_000 },
      {
        path: '/api/numbers.count',
        headers: { host: 'localhost', accept: 'application/jsonl' },
      },
    )
    const before = left
    const { body } = await app.handle(request)
    for await (const _ of body as AsyncIterable<string>) break
    await expect.poll(() => left).toBe(before + 1)
  })
})

describe('the OpenAPI document of a function that streams', () => {
  it('tells the types of its answer and the schema of a line', async () => {
    const { body } = await app.handle(
      toRequest('', { method: 'GET', path: '/openapi.json', headers: { host: 'localhost' } }),
    )
    const { paths } = JSON.parse(Buffer.from(body as Uint8Array).toString())
    const { content } = paths['/api/numbers.count'].post.responses['200']
    expect(Object.keys(content)).toEqual([
      'application/json',
      'application/vnd.waymark.extensions+json',
      'application/jsonl',
      'text/event-stream',
    ])
    const { oneOf } = content['application/jsonl'].schema
    expect(oneOf.flatMap(({ required }: { required: string[] }) => required)).toEqual([
      'item',
      'progress',
      'result',
      'error',
    ])
    expect(Object.keys(paths['/api/numbers.one'].post.responses['200'].content)).toEqual([
      'application/json',
      'application/vnd.waymark.extensions+json',
    ])
  })
})

describe('a function that does not stream, over REST', () => {
  it('answers in one piece whatever is accepted', async () => {
    const { headers, text } = await ask('/api/numbers.one', 'text/event-stream', {})
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(text)).toEqual({ value: 1 })
  })

  it.each([
    ['characters', 'x'.repeat(2_000)],
    ['bytes of its characters', '\u20ac'.repeat(400)],
  ])('refuses a result with more %s than an answer may have', async (_what, text) => {
    const whole = defineFunction({
      name: 'numbers.many',
      version: '1.0.0',
      handler: () => ({ text }),
    })
    const small = createApp(serviceOf([whole], { limits: { maxResponseBytes: 1_000 } }), {
      surfaces: allSurfaces(),
    })
    const { status, body } = await small.handle(
      toRequest({}, { path: '/api/numbers.many', headers: { host: 'localhost' } }),
    )
    expect(status).toBe(500)
    expect(JSON.parse(body as string).title).toContain('larger than 1000 bytes')
  })
})
