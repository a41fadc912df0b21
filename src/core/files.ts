import { CallError } from '../errors/index.ts'
import { createFile, formatFile, isStreamed, readRange, readWithin } from '../files/index.ts'
import { type FilePlace, listFiles, mapFiles } from '../schema/index.ts'
import type { Call } from './call.ts'
import { isAsyncIterable } from './stream.ts'
import type { Target } from './target.ts'

/** A file up to this size is text inside a result, which every extension can keep. */
const SMALL_BYTES = 262_144

/** Makes a `File` of everything a handler may give for one: a Blob, bytes or a stream. */
export function toFiles(result: unknown, place: FilePlace): unknown {
  return mapFiles(result, place, (given) => {
    if (typeof given === 'string' || given instanceof File) return given
    if (given instanceof Blob) return new File([given], '', { type: given.type })
    if (given instanceof ArrayBuffer) return new File([new Uint8Array(given)], '')
    if (ArrayBuffer.isView(given)) return new File([given as Uint8Array<ArrayBuffer>], '')
    return isAsyncIterable(given) ? createFile(given as AsyncIterable<Uint8Array>) : given
  })
}

/**
 * Writes the files of a result in their JSON form. Large ones stay what they are where the surface sends them as they are
 * read, and fail elsewhere.
 */
export async function settleFiles(target: Target, call: Call, result: unknown): Promise<unknown> {
  const place = target.outputFiles
  if (place === undefined) return result
  // What is kept under a key has to be text.
  const streams = call.facts.takesFiles === true && call.facts.idempotencyKey === undefined
  let left = Math.floor((target.maxResultBytes / 4) * 3)
  const most = left
  const settled = new Map<unknown, unknown>()
  for (const { value: file } of listFiles(result, place)) {
    if (!(file instanceof File) || settled.has(file)) continue
    // A size that nobody knows compares as not small.
    if (streams && !(file.size <= SMALL_BYTES)) {
      settled.set(file, file)
      continue
    }
    const bytes =
      file.size > left ? undefined : await readWithin(readRange(file, 0, file.size), left)
    if (bytes === undefined) throw tooLarge(most)
    left -= bytes.length
    settled.set(file, formatFile(bytes, file.type, file.name))
  }
  return mapFiles(result, place, (file) => settled.get(file) ?? file)
}

/** Takes the files out that are not text, for whoever looks at the rest. */
export function withoutStreams(result: unknown, place: FilePlace): unknown {
  return mapFiles(result, place, (file) => (isStreamed(file) || file instanceof Blob ? null : file))
}

function tooLarge(most: number): CallError {
  return new CallError('INTERNAL_ERROR', {
    message: `The file is larger than ${most} bytes; ask for it over REST, which sends it as a stream`,
  })
}
