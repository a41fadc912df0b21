import { CallError } from '../errors/index.ts'
import { fromBase64, toBase64 } from './base64.ts'
import { ANY_BYTES, type FileRule, isOneOf, toMediaType, toSafeName } from './name.ts'

/** Where the bytes of a file come from: a stream, or a function that opens one at an offset. */
export type FileSource =
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | ((start: number, end: number) => AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>)

/** What is known about a file before it is read. */
export interface CreateFileOptions {
  readonly name?: string
  /** `application/octet-stream` when absent. */
  readonly type?: string
  /** Bytes; callers can ask for ranges when it is there. */
  readonly size?: number
}

/** How a streamed file is read; its `size` is NaN while nobody knows it. */
interface Streamed {
  readonly open: (start: number, end: number) => AsyncIterable<Uint8Array>
  /** Lets a check see a size that fits while the real one is not known. */
  assumed: number | undefined
}

// Registered, so that two copies of the package know each other's files.
const streamed: unique symbol = Symbol.for('waymark streamed file')

type StreamedFile = File & { readonly [streamed]: Streamed }

/**
 * Makes a file of a stream, for results that are not in memory: nothing is read before somebody asks for it.
 *
 * @example
 * createFile(createReadStream(path), { name: 'report.csv', type: 'text/csv', size: stats.size })
 */
export function createFile(source: FileSource, options: CreateFileOptions = {}): File {
  const { name = '', type = ANY_BYTES, size = Number.NaN } = options
  const file = new File([], name, { type })
  let used = false
  const open = (start: number, end: number): AsyncIterable<Uint8Array> => {
    if (typeof source === 'function') return source(start, end) as AsyncIterable<Uint8Array>
    if (used) throw new TypeError('this file is a stream, which can be read once')
    used = true
    const whole = source as AsyncIterable<Uint8Array>
    return start === 0 && !(end < size) ? whole : cut(whole, start, end)
  }
  const own: Streamed = { open, assumed: undefined }
  const readAll = async () => joinBytes(await collect(open(0, size)))
  return Object.defineProperties(file, {
    [streamed]: { value: own },
    size: { get: () => own.assumed ?? size },
    stream: { value: () => toReadable(open(0, size)) },
    bytes: { value: readAll },
    arrayBuffer: { value: async () => (await readAll()).buffer },
    text: { value: async () => new TextDecoder().decode(await readAll()) },
    slice: {
      value: (start = 0, end = size, sliceType = '') => {
        const [from, to] = [toOffset(start, size), toOffset(end, size)]
        const length = Math.max(0, to - from)
        return createFile((first, last) => open(from + first, from + last), {
          type: sliceType,
          size: length,
        })
      },
    },
    toJSON: { value: refuseJson },
  })
}

function toOffset(at: number, size: number): number {
  if (Number.isNaN(size)) throw new TypeError('a file of unknown size has no slices')
  return at < 0 ? Math.max(0, size + at) : Math.min(at, size)
}

function refuseJson(): never {
  throw new CallError('INVALID_REQUEST', {
    message:
      'A file that is sent as a stream cannot be kept for later; send a smaller one, or leave out what keeps the call',
    status: 413,
  })
}

/** Tells whether a file is read while it arrives. */
export function isStreamed(value: unknown): value is File {
  return typeof value === 'object' && value !== null && streamed in value
}

/** Runs a check that looks at the size of files which is not known yet. */
export function assumeSize(file: File, size: number | undefined): void {
  if (isStreamed(file)) (file as StreamedFile)[streamed].assumed = size
}

/** Gives the bytes of a file, from one offset to before another. */
export function readRange(file: Blob, start: number, end: number): AsyncIterable<Uint8Array> {
  if (isStreamed(file)) return (file as StreamedFile)[streamed].open(start, end)
  const part = start === 0 && end >= file.size ? file : file.slice(start, end)
  return part.stream()
}

async function* cut(
  source: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of source) {
    const from = Math.max(0, start - at)
    const to = Math.min(chunk.length, end - at)
    if (to > from) yield chunk.subarray(from, to)
    at += chunk.length
    if (at >= end) return
  }
}

/** Makes a web stream that reads only when somebody reads it. */
function toReadable(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await iterator.next()
        if (step.done) controller.close()
        else controller.enqueue(step.value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Reads everything; undefined when it is more than `most` bytes, which are not read to the end. */
export async function readWithin(
  source: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return joinBytes(chunks)
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return chunks
}

/** Joins chunks of bytes. */
export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const DATA_URL = /^data:([^;,]{0,200})((?:;[^;,]{0,2000}){0,10}?);base64,/i

/** Reads the JSON form of a file: base64, or a data URL with its type and name. Undefined when it is neither. */
export function parseFile(text: string, { types = [] }: FileRule = {}): File | undefined {
  const url = DATA_URL.exec(text)
  const bytes = fromBase64(url === null ? text : text.slice(url[0].length))
  if (bytes === undefined) return undefined
  const name = /;name=([^;,]*)/i.exec(url?.[2] ?? '')?.[1]
  return new File([new Uint8Array(bytes)], toSafeName(name && decodeName(name)) ?? '', {
    type: url === null || url[1] === '' ? defaultType(types) : toMediaType(url[1]),
  })
}

/** Takes a data URL apart without reading its bytes; undefined when the text is none. */
export function splitFile(
  text: string,
): { readonly type: string; readonly name: string; readonly data: string } | undefined {
  const url = DATA_URL.exec(text)
  if (url === null) return undefined
  const name = /;name=([^;,]*)/i.exec(url[2] ?? '')?.[1]
  return {
    type: toMediaType(url[1]),
    name: toSafeName(name && decodeName(name)) ?? '',
    data: text.slice(url[0].length),
  }
}

/** What a file is whose sender does not say: the only type that it may be. */
export function defaultType(types: readonly string[]): string {
  const [only, ...others] = types
  return only === undefined || others.length > 0 || only.includes('*') ? ANY_BYTES : only
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Writes the JSON form of a file: `data:image/png;name=a.png;base64,…`. */
export function formatFile(bytes: Uint8Array, type: string, name: string | undefined): string {
  const safe = toSafeName(name)
  const named = safe === undefined ? '' : `;name=${encodeURIComponent(safe)}`
  return `data:${toMediaType(type)}${named};base64,${toBase64(bytes)}`
}

/** Reads a file, however large, into its JSON form. */
export async function toDataUrl(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return formatFile(bytes, blob.type, blob instanceof File ? blob.name : undefined)
}

/** Says what is wrong with a file by its rule; undefined when nothing is. */
export function findFault(
  file: Blob,
  { types = [], minBytes = 0, maxBytes = Number.POSITIVE_INFINITY }: FileRule,
): { readonly code: string; readonly message: string } | undefined {
  const type = toMediaType(file.type)
  if (types.length > 0 && !isOneOf(type, types)) {
    const message = `must be of type ${types.join(' or ')}; got ${type}`
    return { code: 'contentMediaType', message }
  }
  if (file.size > maxBytes) return { code: 'maxBytes', message: `is larger than ${maxBytes} bytes` }
  if (file.size < minBytes)
    return { code: 'minBytes', message: `is smaller than ${minBytes} bytes` }
  return undefined
}

/** Passes bytes on, and fails when there are more than allowed. */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  most: number,
  refuse: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > most) throw refuse()
    yield chunk
  }
}
