import { describe, expect, it } from 'vitest'
import { CallError } from '../errors/index.ts'
import { type Form, readForm } from './index.ts'

const TYPE = 'multipart/form-data; boundary=X'

async function* inPieces(text: string, ...cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  const ends = [...cuts, bytes.length]
  for (const [index, end] of ends.entries())
    yield bytes.subarray(index === 0 ? 0 : cuts[index - 1], end)
}

const read = (text: string, maxMemoryBytes = 1_000, type = TYPE, cuts: readonly number[] = []) =>
  readForm(inPieces(text, ...cuts), type, { maxMemoryBytes, isFile: (name) => name === 'photo' })

const part = (head: string, content: string) =>
  `--X\r\nContent-Disposition: ${head}\r\n\r\n${content}\r\n`

async function toPlain({ fields, files }: Form): Promise<unknown> {
  return {
    fields: fields.map(({ name, text }) => [name, text]),
    files: await Promise.all(
      files.map(async ({ name, file }) => [name, file.name, file.type, await file.text()]),
    ),
  }
}

const WHOLE = `preamble\r\n${part('form-data; name="note"', 'hello\r\n--Y')}--X \t\r\nContent-Type: image/png\r\ncontent-disposition: form-data; name="photo"; filename="a.png"\r\n\r\n\r\n--X not\r\r\n--\r\n--X--\r\nepilogue`

describe('a form', () => {
  const broken = WHOLE.replace('\r\n--X not', '\r\n--Z not')

  it('is read the same wherever its bytes are cut', async () => {
    const whole = {
      fields: [['note', 'hello\r\n--Y']],
      files: [['photo', 'a.png', 'image/png', '\r\n--Z not\r\r\n--']],
    }
    for (let at = 1; at < broken.length; at += 1) {
      expect(await toPlain(await read(broken, 1_000, TYPE, [at])), `cut at ${at}`).toEqual(whole)
    }
    const each = Array.from({ length: broken.length - 1 }, (_, index) => index + 1)
    expect(await toPlain(await read(broken, 1_000, TYPE, each))).toEqual(whole)
  })

  it('hands a file over that takes more memory than allowed, and reads it as somebody reads', async () => {
    const content = 'x'.repeat(5_000)
    const text = `${part('form-data; name="note"', 'hi')}${part('form-data; name="photo"; filename="a"', content)}--X--\r\n`
    let taken = 0
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < text.length; at += 100) {
        taken = at
        yield Buffer.from(text.slice(at, at + 100))
      }
    }
    const { files } = await readForm(source(), TYPE, { maxMemoryBytes: 500, isFile: () => true })
    expect(taken).toBeLessThan(1_000)
    expect(files[0]?.file.size).toBeNaN()
    expect(await files[0]?.file.text()).toBe(content)
    expect(() => files[0]?.file.stream()).toThrow('can be read once')
  })

  it('fails at the end of such a file when something follows it', async () => {
    const text = `${part('form-data; name="photo"; filename="a"', 'x'.repeat(900))}${part('form-data; name="note"', 'late')}--X--`
    const { files } = await read(text, 500)
    await expect(files[0]?.file.text()).rejects.toThrow('note: nothing may follow a file')
  })

  it('leaves out the empty file of a form control that nobody used', async () => {
    const empty = part('form-data; name="photo"; filename=""', '')
    expect(await toPlain(await read(`${empty}--X--`))).toEqual({ fields: [], files: [] })
  })

  it.each([
    ['name="photo"; filename="../../etc/passwd"', 'passwd'],
    ['name="photo"; filename="C:\\\\temp\\\\a.png"', 'a.png'],
    ['name="photo"; filename="a%0D%0ASet-Cookie: x=1%22.png"', 'aSet-Cookie x=1.png'],
    ['name="photo"; filename="日本.png"', '日本.png'],
    ['name="photo"; filename="x"; filename*=UTF-8\'\'%e2%82%ac.png', '€.png'],
    ['name="photo"; filename*=UTF-8\'\'%ff%fe', ''],
    ['name="photo"; filename=".."', ''],
    ['name="photo"; filename="CON.txt"', ''],
    ['name="photo"; filename="\u202egnp.exe"', 'gnp.exe'],
    [`name="photo"; filename="${'a'.repeat(5_000)}.png"`, `${'a'.repeat(196)}.png`],
  ])('makes %s safe', async (parameters, name) => {
    const { files } = await read(`${part(`form-data; ${parameters}`, 'x')}--X--`)
    expect(files[0]?.file.name).toBe(name)
  })

  it.each([
    ['no boundary', '--X--', 'multipart/form-data', 'must name its boundary'],
    ['no end', part('form-data; name="a"', 'x'), TYPE, 'ends too early'],
    ['nothing', '', TYPE, 'ends too early'],
    ['no name', `${part('form-data', 'x')}--X--`, TYPE, 'Content-Disposition: form-data; name='],
    ['another disposition', `${part('attachment; name="a"', 'x')}--X--`, TYPE, 'form-data'],
    ['no head', '--X\r\n\r\nx\r\n--X--', TYPE, 'no Content-Disposition'],
    ['a line without a colon', '--X\r\nhello\r\n\r\nx\r\n--X--', TYPE, 'is not a header'],
    ['a long head', `--X\r\nA: ${'x'.repeat(9_000)}\r\n\r\nx\r\n--X--`, TYPE, '8192 bytes'],
    ['a long name', `${part(`form-data; name="${'n'.repeat(300)}"`, 'x')}--X--`, TYPE, '200 char'],
    ['a long preamble', 'x'.repeat(20_000), TYPE, '8192 bytes'],
    ['long texts', `${part('form-data; name="a"', 'x'.repeat(1_001))}--X--`, TYPE, '1000 bytes'],
    ['many parts', `${part('form-data; name="a"', '').repeat(201)}--X--`, TYPE, '200 parts'],
    ['a delimiter with text', '--Xa: b\r\n\r\nx\r\n--X--', TYPE, 'not alone'],
  ])('with %s is refused', async (_title, text, type, message) => {
    const failure = await read(text, 1_000, type).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(CallError)
    expect((failure as CallError).message).toContain(message)
  })
})
