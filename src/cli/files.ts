import { openAsBlob } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { toSafeName } from '../files/index.ts'
import type { JsonObject } from '../values/index.ts'
import { isRecord } from '../values/index.ts'
import { type CommandInput, EXIT, UsageError } from './command.ts'
import { formatJson } from './print.ts'

/** Media types by the ending of a name, for files that a person gives; anything else is bytes. */
const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
}

/** Opens each argument written as `name=@path`; `name=@@text` is the text `@text`. */
export async function readFiles(given: JsonObject, cwd: string): Promise<JsonObject> {
  const read = async (value: unknown): Promise<unknown> => {
    if (typeof value === 'string' && value.startsWith('@@')) return value.slice(1)
    if (typeof value === 'string' && value.startsWith('@')) return openFile(value.slice(1), cwd)
    if (!isRecord(value)) return value
    const members = Object.entries(value).map(async ([name, member]) => [name, await read(member)])
    return Object.fromEntries((await Promise.all(members)) as [string, unknown][])
  }
  return (await read(given)) as JsonObject
}

async function openFile(path: string, cwd: string): Promise<File> {
  const type = TYPES[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? ''
  try {
    return new File([await openAsBlob(resolve(cwd, path))], basename(path), { type })
  } catch {
    throw new UsageError(
      `cannot read the file ${path}; a text that begins with @ is written @@text`,
    )
  }
}

/** Saves the file of a result at a path, several in a folder that ends in a slash, and any other result as JSON. */
export async function saveResult(
  { io }: CommandInput,
  result: unknown,
  place: string,
): Promise<number> {
  const files = listBlobs(result)
  const [first, ...others] = files
  const isFolder = place.endsWith('/')
  if (others.length > 0 && !isFolder) {
    throw new UsageError(`the result has ${files.length} files; name a folder: --out ${place}/`)
  }
  if (first === undefined) {
    await save(resolve(io.cwd, place), new Blob([formatJson(result)]), io)
    return EXIT.ok
  }
  for (const [index, file] of files.entries()) {
    // The name is the service's: it may only choose a name, never a folder.
    const name = (file instanceof File && toSafeName(file.name)) || `file-${index + 1}`
    await save(resolve(io.cwd, isFolder ? `${place}${name}` : place), file, io)
  }
  return EXIT.ok
}

async function save(path: string, blob: Blob, io: CommandInput['io']): Promise<void> {
  try {
    await writeFile(path, new Uint8Array(await blob.arrayBuffer()))
  } catch (thrown) {
    throw new UsageError(`cannot write ${path}: ${(thrown as Error).message}`)
  }
  io.err(`${path} (${blob.size} bytes)\n`)
}

function listBlobs(value: unknown): readonly Blob[] {
  if (value instanceof Blob) return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(listBlobs)
}
