import { describe, expect, it } from 'vitest'
import { createFile, formatDisposition, formatFile, parseFile, toMediaType } from './index.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text)
}

describe('the JSON form of a file', () => {
  it('keeps bytes, type and name', async () => {
    const text = formatFile(new Uint8Array([0, 255, 10]), 'image/png', 'ä, b;c.png')
    expect(text).toBe('data:image/png;name=%C3%A4%2C%20b%3Bc.png;base64,AP8K')
    const file = parseFile(text)
    expect([file?.name, file?.type]).toEqual(['ä, b;c.png', 'image/png'])
    expect([...new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer(0))]).toEqual([
      0, 255, 10,
    ])
  })

  it('may be base64 alone, of the only type that is allowed', () => {
    expect(parseFile('aGk=', { types: ['image/png'] })?.type).toBe('image/png')
    expect(parseFile('aGk', { types: ['image/*'] })?.type).toBe('application/octet-stream')
    expect(parseFile('no base64!')).toBeUndefined()
  })
})

describe('a file made of a stream', () => {
  it('reads nothing before somebody asks, and can be cut where its size is known', async () => {
    let opened = 0
    const open = (start: number, end: number) => {
      opened += 1
      return chunks('hello world'.slice(start, end))
    }
    const file = createFile(open, { name: 'a.txt', type: 'text/plain', size: 11 })
    expect([file instanceof File, file.size, opened]).toEqual([true, 11, 0])
    expect(await file.slice(6).text()).toBe('world')
    expect(await file.slice(-5, -3).text()).toBe('wo')
    expect(await new Response(file).text()).toBe('hello world')
  })

  it('skips to the beginning of a slice where the stream cannot', async () => {
    const file = createFile(chunks('hel', 'lo w', 'orld'), { size: 11 })
    expect(await file.slice(2, 8).text()).toBe('llo wo')
  })

  it('cannot be kept as JSON', () => {
    expect(() => JSON.stringify(createFile(chunks('x')))).toThrow('cannot be kept for later')
  })
})

describe('a header made of foreign text', () => {
  it.each([
    ['a.png', 'attachment; filename="a.png"'],
    ['a"\r\nSet-Cookie: x', 'attachment; filename="aSet-Cookie x"'],
    ['../../a', 'attachment; filename="a"'],
    ["ü'()*.pdf", "attachment; filename=\"_'().pdf\"; filename*=UTF-8''%C3%BC%27%28%29.pdf"],
    ['', 'attachment'],
  ])('names %j', (name, header) => {
    expect(formatDisposition('attachment', name)).toBe(header)
  })

  it.each([
    ['IMAGE/PNG; x=1', 'image/png'],
    ['text/html\r\nX: y', 'application/octet-stream'],
    ['nonsense', 'application/octet-stream'],
    [undefined, 'application/octet-stream'],
  ])('reads the media type of %j', (text, type) => {
    expect(toMediaType(text)).toBe(type)
  })
})
