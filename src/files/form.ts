import { CallError } from '../errors/index.ts'
import { createFile, joinBytes } from './file.ts'
import { parseDisposition, readParameter, toMediaType } from './name.ts'

/** What a form of type `multipart/form-data` holds. */
export interface Form {
  readonly fields: readonly FormField[]
  readonly files: readonly FormFile[]
}

/** A part that is text. */
export interface FormField {
  readonly name: string
  readonly text: string
  /** True when its own Content-Type says so. */
  readonly isJson: boolean
}

/** A part that is a file. */
export interface FormFile {
  readonly name: string
  readonly file: File
}

/** How a form is read. */
export interface FormOptions {
  /** What texts and files may take together before the call begins. */
  readonly maxMemoryBytes: number
  /** Tells whether a part without a file name is a file all the same. */
  readonly isFile: (name: string) => boolean
}

const MAX_PARTS = 200
const MAX_NAME_LENGTH = 200
const MAX_HEAD_BYTES = 8_192
/** What may stand before the first part and after the last one. */
const MAX_ASIDE_BYTES = 8_192

/**
 * Reads a form. Parts are read until the form ends, or until a file takes more memory than allowed: that one is read while
 * somebody reads it, so nothing may follow it.
 */
export async function readForm(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
  { maxMemoryBytes, isFile }: FormOptions,
): Promise<Form> {
  const parts = createPartReader(source, readBoundary(contentType))
  const fields: FormField[] = []
  const files: FormFile[] = []
  let memory = 0
  for (;;) {
    const part = await parts.next()
    if (part === undefined) return { fields, files }
    if (fields.length + files.length === MAX_PARTS) {
      throw refuse(`The form has more than ${MAX_PARTS} parts`, 413)
    }
    const { name, fileName, type } = part
    const chunks: Uint8Array<ArrayBuffer>[] = []
    const isText = fileName === undefined && (type === 'text/plain' || !isFile(name))
    const content = parts.content()
    for (;;) {
      const step = await content.next()
      if (step.done) break
      memory += step.value.length
      chunks.push(step.value)
      if (memory <= maxMemoryBytes) continue
      if (isText) throw refuse(`${name}: the form takes more than ${maxMemoryBytes} bytes`, 413)
      const rest = readRest(chunks, content, () => assertLast(parts, maxMemoryBytes))
      files.push({ name, file: createFile(rest, { name: fileName ?? '', type }) })
      return { fields, files }
    }
    if (isText) {
      const isJson = type === 'application/json'
      fields.push({ name, text: new TextDecoder().decode(joinBytes(chunks)), isJson })
    } else if (fileName !== '' || chunks.length > 0) {
      // A form control without a file sends an empty one without a name.
      files.push({ name, file: new File(chunks, fileName ?? '', { type }) })
    }
  }
}

/** What has arrived, then what arrives. */
async function* readRest(
  chunks: readonly Uint8Array[],
  content: AsyncGenerator<Uint8Array>,
  assertEnd: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  yield* chunks
  yield* content
  await assertEnd()
}

async function assertLast(parts: PartReader, maxMemoryBytes: number): Promise<void> {
  const next = await parts.next()
  if (next === undefined) return
  throw refuse(
    `${next.name}: nothing may follow a file with which the form takes more than ${maxMemoryBytes} bytes; send that file last`,
  )
}

function readBoundary(contentType: string): string {
  const boundary = readParameter(contentType, 'boundary')
  // RFC 2046, 5.1.1; a few clients use other characters of a token.
  if (boundary !== undefined && /^[\x21-\x7e ]{1,70}$/.test(boundary)) return boundary
  throw refuse('Content-Type multipart/form-data must name its boundary')
}

/** The head of a part. */
interface Part {
  readonly name: string
  /** An empty text when it is there and says nothing. */
  readonly fileName: string | undefined
  readonly type: string
}

interface PartReader {
  /** Goes to the next part; undefined when there is none. The content of the one before must have been read. */
  readonly next: () => Promise<Part | undefined>
  /** Gives the content of the part. */
  readonly content: () => AsyncGenerator<Uint8Array<ArrayBuffer>>
}

/** Reads the parts of a form one after the other, and no more of it than somebody asks for. */
function createPartReader(source: AsyncIterable<Uint8Array>, boundary: string): PartReader {
  const iterator = source[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter may stand at the very beginning.
  let held: Buffer = Buffer.from('\r\n')
  let isFirst = true

  async function more(): Promise<boolean> {
    const step = await iterator.next()
    if (step.done) return false
    const chunk = toBuffer(step.value)
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    return true
  }
  async function require(bytes: number): Promise<void> {
    while (held.length < bytes) if (!(await more())) throw refuse('The form ends too early')
  }
  function take(bytes: number): Buffer {
    const taken = held.subarray(0, bytes)
    held = held.subarray(bytes)
    return taken
  }
  /** Reads up to a mark, which is left out. */
  async function readUntil(mark: string, most: number, what: string): Promise<Buffer> {
    for (;;) {
      const at = held.indexOf(mark)
      if (at > most || (at === -1 && held.length > most)) {
        throw refuse(`${what} of the form takes more than ${most} bytes`, 413)
      }
      if (at !== -1) {
        const found = take(at)
        take(mark.length)
        return found
      }
      if (!(await more())) throw refuse('The form ends too early')
    }
  }
  async function skipRest(): Promise<void> {
    for (let size = held.length; size <= MAX_ASIDE_BYTES; size += held.length) {
      held = held.subarray(held.length)
      if (!(await more())) return
    }
  }

  return {
    async next() {
      if (isFirst) await readUntil(delimiter.toString(), MAX_ASIDE_BYTES, 'The beginning')
      isFirst = false
      await require(2)
      if (held[0] === DASH && held[1] === DASH) {
        await skipRest()
        return undefined
      }
      const padding = await readUntil('\r\n', 100, 'A delimiter')
      if (padding.toString().trim() !== '') throw refuse('A delimiter of the form is not alone')
      await require(2)
      // A part without a head.
      if (held[0] === CR) throw refuse('A part of the form has no Content-Disposition')
      return toPart((await readUntil('\r\n\r\n', MAX_HEAD_BYTES, 'The head of a part')).toString())
    },
    async *content() {
      for (;;) {
        const at = held.indexOf(delimiter)
        // The beginning of a delimiter may be at the end of what has arrived.
        const sure = at === -1 ? held.length - delimiter.length + 1 : at
        if (sure > 0) yield take(sure) as Uint8Array<ArrayBuffer>
        if (at !== -1) {
          take(delimiter.length)
          return
        }
        if (!(await more())) throw refuse('The form ends too early')
      }
    },
  }
}

const DASH = 45
const CR = 13

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function toPart(head: string): Part {
  let disposition: string | undefined
  let type: string | undefined
  for (const line of head.split('\r\n')) {
    const [, name, value = ''] = /^([\w-]{1,100})[ \t]*:(.*)$/s.exec(line) ?? []
    if (name === undefined) throw refuse('The head of a part has a line that is not a header')
    if (name.toLowerCase() === 'content-disposition') disposition ??= value
    if (name.toLowerCase() === 'content-type') type ??= value
  }
  const name = disposition && readParameter(disposition, 'name')
  if (name === undefined || name === '' || !/^\s*form-data\s*;/i.test(disposition ?? '')) {
    throw refuse('Each part of the form needs Content-Disposition: form-data; name="…"')
  }
  if (name.length > MAX_NAME_LENGTH) {
    throw refuse(`${name.slice(0, 50)}…: a name has at most ${MAX_NAME_LENGTH} characters`)
  }
  const isNamed = /;\s*filename\*?\s*=/i.test(disposition ?? '')
  return {
    name,
    fileName: isNamed ? (parseDisposition(disposition) ?? '') : undefined,
    type: type === undefined && !isNamed ? 'text/plain' : toMediaType(type),
  }
}

function refuse(message: string, status = 400): CallError {
  return new CallError('INVALID_REQUEST', { message, status })
}
