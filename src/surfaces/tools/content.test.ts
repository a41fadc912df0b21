import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask } from '../../../test/explorer/ask.ts'
import { createToolApi } from '../../entries/tools.ts'
import { selectCoding } from './content.ts'

const many = Array.from({ length: 200 }, (_, at) => ({
  name: `tool_${at}`,
  description: `Tool ${at}`,
}))
const providers = { 'a list': many, 'a function': () => many }

describe.each(Object.entries(providers))('the list from %s', (_kind, tools) => {
  const handler = createToolApi({ tools, call: () => [[], false] })
  const path = '/explorer/tools'

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('is sent in %s when asked for', async (coding, decode) => {
    const plain = await ask(handler, path)
    const coded = await ask(handler, path, { headers: { 'accept-encoding': coding } })
    expect(coded.headers['content-encoding']).toBe(coding)
    expect(coded.headers['vary']).toBe('accept-encoding')
    expect(coded.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 4)
    expect(decode(coded.bytes).toString()).toBe(plain.text)
  })

  it('answers 304 without a body to whoever has it', async () => {
    const { etag } = (await ask(handler, path)).headers
    const again = await ask(handler, path, {
      headers: { 'if-none-match': `"other", W/${String(etag)}` },
    })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
    expect(again.headers['etag']).toBe(etag)
    expect((await ask(handler, path, { headers: { 'if-none-match': '*' } })).status).toBe(304)
    expect((await ask(handler, path, { headers: { 'if-none-match': '"old"' } })).status).toBe(200)
  })

  it('has an ETag of its own in each coding', async () => {
    const codings = ['identity', 'gzip', 'br']
    const replies = await Promise.all(
      codings.map((coding) => ask(handler, path, { headers: { 'accept-encoding': coding } })),
    )
    expect(new Set(replies.map(({ headers }) => headers['etag'])).size).toBe(3)
  })
})

describe('one tool', () => {
  const handler = createToolApi({ tools: many, call: () => [[], false] })
  const path = '/explorer/tools/tool_7'

  it('is not sent again to whoever has it', async () => {
    const { etag } = (await ask(handler, path)).headers
    const again = await ask(handler, path, { headers: { 'if-none-match': String(etag) } })
    expect(again.status).toBe(304)
    const other = await ask(handler, '/explorer/tools/tool_8', {
      headers: { 'if-none-match': String(etag) },
    })
    expect(other.status).toBe(200)
  })
})

describe('a short list', () => {
  it('is sent as it is, because compressing would make it longer', async () => {
    const handler = createToolApi({ tools: [], call: () => [[], false] })
    const reply = await ask(handler, '/explorer/tools', {
      headers: { 'accept-encoding': 'br, gzip' },
    })
    expect(reply.headers['content-encoding']).toBeUndefined()
  })

  it('of five tools is already worth it', async () => {
    const tools = many.slice(0, 5).map((tool) => ({ ...tool, annotations: { readOnlyHint: true } }))
    const handler = createToolApi({ tools, call: () => [[], false] })
    const reply = await ask(handler, '/explorer/tools', { headers: { 'accept-encoding': 'gzip' } })
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(reply.bytes).byteLength).toBeGreaterThan(reply.bytes.byteLength)
  })

  it('has another ETag as soon as it changes', async () => {
    const tools = [{ name: 'one' }]
    const handler = createToolApi({ tools, call: () => [[], false] })
    const before = await ask(handler, '/explorer/tools')
    tools.push({ name: 'two' })
    const after = await ask(handler, '/explorer/tools')
    expect(after.headers['etag']).not.toBe(before.headers['etag'])
  })
})

describe('selectCoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['GZIP', 'gzip'],
    ['gzip;q=nonsense', undefined],
  ])('reads %j as %s', (header, coding) => {
    expect(selectCoding(header)).toBe(coding)
  })
})
