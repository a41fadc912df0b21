import { describe, expect, it } from 'vitest'
import {
  createApp,
  createFile,
  createService,
  defineFunction,
  file,
  rest,
  toFetchHandler,
} from 'waymark'
import { createMemoryStore } from 'waymark/store'
import { z } from 'zod'

const seen: unknown[] = []

const attach = defineFunction({
  name: 'tickets.attach',
  version: '1.0.0',
  writes: ['create'],
  input: z.object({
    ticket: z.string(),
    page: z.int().optional(),
    about: z.object({ lang: z.string() }).optional(),
    photo: file({ types: ['image/*'], maxBytes: 3_000_000 }),
    more: z.array(z.file().max(20)).optional(),
  }),
  output: z.object({ name: z.string(), type: z.string(), size: z.number(), rest: z.unknown() }),
  handler: async ({ input: { photo, more = [], ...others } }) => {
    const { byteLength: size } = await photo.arrayBuffer()
    const names = await Promise.all(more.map(async (one) => [one.name, await one.text()]))
    seen.push(photo)
    return { name: photo.name, type: photo.type, size, rest: { ...others, more: names } }
  },
})

const store = defineFunction({
  name: 'blobs.store',
  version: '1.0.0',
  input: {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'string', 'x-file': true }, note: { type: 'string' } },
  },
  output: { type: 'object' },
  handler: async ({ input }) => {
    const { data, note } = input as { data: File; note?: string }
    return { text: await data.text(), type: data.type, name: data.name, note }
  },
})

const TEXT = 'hello world'
const BIG = 400_000

const get = defineFunction({
  name: 'blobs.get',
  version: '1.0.0',
  readOnly: true,
  input: z.object({ kind: z.string() }),
  output: file(),
  handler: ({ input: { kind } }) => {
    if (kind === 'html') return new File(['<script>'], 'x.html', { type: 'text/html' })
    if (kind === 'blob') return new Blob([TEXT], { type: 'text/plain' }) as File
    if (kind === 'hostile')
      return new File(['x'], '../"\r\nX-Bad: 1\u202e.png', { type: 'a\r\nb: c' })
    if (kind === 'unknown') return createFile(stream(), { name: 'big.bin' })
    if (kind === 'big') return createFile(part, { name: 'big.bin', size: BIG })
    return new File([TEXT], 'a.txt', { type: 'text/plain' })
  },
})

async function* part(start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end; at += 1_000) {
    yield new Uint8Array(Math.min(1_000, end - at)).map((_, index) => (at + index) % 251)
  }
}

async function* stream(): AsyncGenerator<Uint8Array> {
  for (let count = 0; count < 300; count += 1) yield new Uint8Array(1_000).fill(1)
}

const record = defineFunction({
  name: 'blobs.record',
  version: '1.0.0',
  input: z.object({}),
  output: z.object({ id: z.int(), files: z.array(file()) }),
  handler: () => ({ id: 1, files: [new File(['a'], 'a.txt', { type: 'text/plain' })] }),
})

const service = createService({
  info: { title: 'Files', version: '1.0.0' },
  functions: [attach, store, get, record],
  store: createMemoryStore(),
})
const handle = toFetchHandler(createApp(service, { surfaces: [rest()] }))

const send = (path: string, init: RequestInit = {}) =>
  handle(new Request(`http://127.0.0.1/api/${path}`, { method: 'POST', ...init }))

const png = (size: number, name = 'a.png', type = 'image/png') =>
  new File([new Uint8Array(size)], name, { type })

function form(...parts: readonly (readonly [string, string | Blob])[]): FormData {
  const data = new FormData()
  for (const [name, value] of parts) data.append(name, value as Blob)
  return data
}

describe('files as arguments', () => {
  it('come with the other arguments of a form, each read by its schema', async () => {
    const body = form(
      ['ticket', '7'],
      ['page', '3'],
      ['about[lang]', 'en'],
      ['more', new File(['1'], '1.txt')],
      ['more', new File(['2'], '2.txt')],
      ['photo', png(10)],
    )
    const answer = await send('tickets.attach', { body })
    expect(await answer.json()).toEqual({
      name: 'a.png',
      type: 'image/png',
      size: 10,
      rest: {
        ticket: '7',
        page: 3,
        about: { lang: 'en' },
        more: [
          ['1.txt', '1'],
          ['2.txt', '2'],
        ],
      },
    })
  })

  it('are a list where the schema says so, also when there is one', async () => {
    const body = form(['ticket', '7'], ['more', new File(['1'], '1.txt')], ['photo', png(1)])
    const answer = (await (await send('tickets.attach', { body })).json()) as { rest: unknown }
    expect(answer.rest).toMatchObject({ more: [['1.txt', '1']] })
  })

  it('are read while they arrive when they are large', async () => {
    const answer = await send('tickets.attach', {
      body: form(['ticket', '7'], ['photo', png(2_000_000)]),
    })
    expect(await answer.json()).toMatchObject({ size: 2_000_000 })
    expect((seen.at(-1) as File).size).toBeNaN()
  })

  it('may be JSON, and parts may be', async () => {
    const json = { 'content-type': 'application/json' }
    const body = JSON.stringify({ data: 'data:text/plain;name=a.txt;base64,aGk=', note: 'n' })
    const answer = await send('blobs.store', { body, headers: json })
    expect(await answer.json()).toEqual({
      text: 'hi',
      type: 'text/plain',
      name: 'a.txt',
      note: 'n',
    })
    const about = new Blob(['{"lang":"fi"}'], { type: 'application/json' })
    const raw = `--B\r\nContent-Disposition: form-data; name="about"\r\nContent-Type: application/json\r\n\r\n${await about.text()}\r\n--B\r\nContent-Disposition: form-data; name="ticket"\r\n\r\n1\r\n--B\r\nContent-Disposition: form-data; name="photo"; filename="p"\r\nContent-Type: image/png\r\n\r\nx\r\n--B--\r\n`
    const parts = await send('tickets.attach', {
      body: raw,
      headers: { 'content-type': 'multipart/form-data; boundary="B"' },
    })
    expect(await parts.json()).toMatchObject({ rest: { about: { lang: 'fi' } } })
  })

  it('may be the whole body; the other arguments are then in the query string', async () => {
    const answer = await send('blobs.store?note=x', {
      body: 'abc',
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="../n.bin"',
      },
    })
    const type = 'application/octet-stream'
    expect(await answer.json()).toEqual({ text: 'abc', type, name: 'n.bin', note: 'x' })
  })

  it.each([
    [
      'another type',
      form(['ticket', '1'], ['photo', png(1, 'a', 'text/html')]),
      400,
      'photo: must be of type image/*; got text/html',
    ],
    [
      'too many bytes',
      form(['ticket', '1'], ['photo', png(3_000_001)]),
      413,
      'photo: is larger than 3000000 bytes',
    ],
    [
      'too many bytes for z.file()',
      form(['ticket', '1'], ['more', png(21)], ['photo', png(1)]),
      400,
      'more.0: is larger than 20 bytes',
    ],
    ['none', form(['ticket', '1']), 400, 'photo: Invalid input'],
    [
      'one too many',
      form(['ticket', '1'], ['photo', png(1)], ['photo', png(1)]),
      400,
      'photo: is given more than once',
    ],
    [
      'one that nobody asked for',
      form(['ticket', '1'], ['phot', png(1)]),
      400,
      'phot: tickets.attach takes no file of that name',
    ],
    [
      'text in its place',
      form(['ticket', '1'], ['photo', '**']),
      400,
      'photo: is neither base64 nor a data URL',
    ],
    [
      'an argument twice',
      form(['ticket', '1'], ['ticket', '2'], ['photo', png(1)]),
      400,
      'ticket: Invalid input',
    ],
    [
      '__proto__',
      form(['__proto__[x]', '1'], ['ticket', '1'], ['photo', png(1)]),
      400,
      '__proto__',
    ],
  ])('with %s are refused', async (_title, body, status, message) => {
    const answer = await send('tickets.attach', { body })
    const { title } = (await answer.json()) as { title: string }
    expect([answer.status, title]).toEqual([status, expect.stringContaining(message)])
  })

  it('are refused where the function takes none, or more than a body can hold', async () => {
    const taken = await send('blobs.record', { body: form(['a', png(1)]) })
    expect(taken.status).toBe(415)
    const raw = await send('tickets.attach', {
      body: 'x',
      headers: { 'content-type': 'image/png' },
    })
    expect(await raw.json()).toMatchObject({
      status: 415,
      title: expect.stringMatching(/multipart\/form-data/),
    })
    const coded = await send('blobs.store', {
      body: 'x',
      headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
    })
    expect(coded.status).toBe(415)
  })

  it('count for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'one' }
    const body = (fill: string) =>
      form(['ticket', '1'], ['photo', new File([fill], 'a', { type: 'image/png' })])
    expect((await send('tickets.attach', { body: body('a'), headers })).status).toBe(200)
    expect((await send('tickets.attach', { body: body('a'), headers })).status).toBe(200)
    expect((await send('tickets.attach', { body: body('b'), headers })).status).toBe(409)
    const large = {
      body: form(['ticket', '1'], ['photo', png(2_000_000)]),
      headers: { 'idempotency-key': 'two' },
    }
    const refused = await send('tickets.attach', large)
    expect(await refused.json()).toMatchObject({
      status: 413,
      title: expect.stringMatching(/cannot be kept for later/),
    })
  })
})

describe('files as results', () => {
  const ask = (kind: string, headers: Record<string, string> = {}) =>
    send(`blobs.get?kind=${kind}`, { method: 'GET', headers })

  it('are the body, with type and name', async () => {
    const answer = await ask('text')
    expect(await answer.text()).toBe(TEXT)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '11',
      'content-disposition': 'inline; filename="a.txt"',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    expect(await (await ask('blob')).text()).toBe(TEXT)
  })

  it('that could run in a browser are saved, and their headers are ours', async () => {
    const html = await ask('html')
    expect(html.headers.get('content-disposition')).toBe('attachment; filename="x.html"')
    expect(html.headers.get('content-security-policy')).toContain('sandbox')
    const hostile = await ask('hostile')
    expect(hostile.headers.get('content-type')).toBe('application/octet-stream')
    expect(hostile.headers.get('x-bad')).toBeNull()
  })

  it('of unknown size are sent as they come', async () => {
    const answer = await ask('unknown', { range: 'bytes=0-1' })
    expect(answer.status).toBe(200)
    expect((await answer.arrayBuffer()).byteLength).toBe(300_000)
  })

  it.each([
    ['bytes=0-4', 206, 'bytes 0-4/11', 'hello'],
    ['bytes=6-', 206, 'bytes 6-10/11', 'world'],
    ['bytes=-3', 206, 'bytes 8-10/11', 'rld'],
    ['bytes=-300', 206, 'bytes 0-10/11', TEXT],
    ['bytes=9-99999', 206, 'bytes 9-10/11', 'ld'],
    ['bytes=11-', 416, 'bytes */11', ''],
    ['bytes=-0', 416, 'bytes */11', ''],
    ['bytes=5-2', 200, null, TEXT],
    ['bytes=0-1,3-4', 200, null, TEXT],
    ['bytes=-', 200, null, TEXT],
    ['lines=0-1', 200, null, TEXT],
    [`bytes=0-${'9'.repeat(400)}`, 200, null, TEXT],
  ])('give the range %s', async (range, status, contentRange, text) => {
    const answer = await ask('text', { range })
    expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange])
    expect(await answer.text()).toBe(text)
  })

  it('give ranges of what is read from elsewhere', async () => {
    const answer = await ask('big', { range: 'bytes=300001-300003' })
    expect(answer.headers.get('content-length')).toBe('3')
    expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual(
      [0, 1, 2].map((at) => (300_001 + at) % 251),
    )
    const conditional = await ask('big', { range: 'bytes=0-1', 'if-range': '"x"' })
    expect(conditional.status).toBe(200)
  })

  it('of any size are sent whole to who asks whether they have changed', async () => {
    const answer = await ask('big', { 'if-none-match': '"x"' })
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, BIG])
  })

  it('inside an object are data URLs', async () => {
    const answer = await send('blobs.record', {
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await answer.json()).toEqual({
      id: 1,
      files: ['data:text/plain;name=a.txt;base64,YQ=='],
    })
  })
})
