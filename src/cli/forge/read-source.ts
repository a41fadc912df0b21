import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, parse, relative, resolve, sep } from 'node:path'
import { CallError } from '../../errors/index.ts'
import { createPublicFetch, type PublicResponse } from '../../net/index.ts'
import { allowSameFolder, type ExternalOptions } from '../../sources/openapi/index.ts'
import { toReason } from '../../values/index.ts'
import { type Io, RemoteError } from '../command.ts'
import { readTextFile } from '../read-json.ts'

/** A document somebody named on the command line. */
export interface SourceText {
  /** As it was named, for messages. */
  readonly file: string
  readonly text: string
  /** Where it is, so that references can be joined to it; absent for standard input. */
  readonly url?: string
}

/** Reads a document from a file, an address, or `-` for standard input. */
export async function readSource(reference: string, io: Io): Promise<SourceText> {
  if (isWeb(reference)) {
    return { file: reference, text: await fetchNamed(reference, io), url: reference }
  }
  const text = readTextFile(reference, io.cwd)
  if (reference === '-') return { file: '<stdin>', text }
  return { file: reference, text, url: pathToAddress(resolve(io.cwd, reference)) }
}

/** How further documents are got. */
export interface ExternalReaderOptions {
  readonly io: Io
  /** Other folders and public addresses too. */
  readonly allowAll: boolean
  /** Reads a file that may be read; the one on the disk when absent. */
  readonly readPath?: (path: string) => Promise<string>
}

/** Decides which further documents a document may pull in, and reads them. */
export function createExternalReader(
  { url = '' }: Pick<SourceText, 'url'>,
  options: ExternalReaderOptions,
): Pick<ExternalOptions, 'fetchDocument' | 'allow'> {
  const { io, allowAll } = options
  const readPath =
    options.readPath ??
    ((path) => {
      io.onRead?.(path)
      return readBeside(path, allowAll ? undefined : dirname(toPath(url, io)))
    })
  const isFile = url !== '' && !isWeb(url)
  const isBeside = isFile ? allowSameFolder(url) : () => false
  return {
    // An address with `file:` is never read: a document from the web could name one.
    allow: (address) =>
      isWeb(address)
        ? allowAll
        : !hasScheme(address) && (isBeside(address) || (allowAll && isFile)),
    fetchDocument: (address) =>
      isWeb(address) ? fetchPublicText(address, io) : readPath(toPath(address, io)),
  }
}

const LIMITS = { maxBytes: 64 * 1024 * 1024, timeoutMs: 30_000 } as const

/** Fetches an address that the person at the keyboard named; their own network is theirs to name. */
export async function fetchNamed(url: string, io: Io): Promise<string> {
  try {
    return await fetchPublicText(url, io)
  } catch (thrown) {
    if (!isRefused(thrown)) throw toRemoteError(thrown, url)
  }
  // Whoever answers must not be able to send us on into that network.
  const fetchHere = createPublicFetch({
    ...LIMITS,
    allowLoopback: true,
    allowPrivate: true,
    redirects: 'refuse',
  })
  try {
    return toText(await fetchHere(url, { signal: io.signal }), url)
  } catch (thrown) {
    throw toRemoteError(thrown, url)
  }
}

async function fetchPublicText(url: string, io: Io): Promise<string> {
  const fetchPublic = createPublicFetch({ ...LIMITS, redirects: { follow: 5 } })
  return toText(await fetchPublic(url, { signal: io.signal }), url)
}

function toText({ status, body }: PublicResponse, url: string): string {
  if (status >= 200 && status < 300) return new TextDecoder().decode(body)
  throw new RemoteError(`${url} answered ${status}`)
}

function isRefused(thrown: unknown): boolean {
  if (!(thrown instanceof CallError)) return false
  return thrown.errors[0].details?.['reason'] === 'address_refused'
}

function toRemoteError(thrown: unknown, url: string): RemoteError {
  if (thrown instanceof RemoteError) return thrown
  const reason = toReason(thrown)
  return new RemoteError(`${url} cannot be read: ${reason}`)
}

async function readBeside(path: string, folder: string | undefined): Promise<string> {
  const stats = await stat(path)
  // A pipe would make the reader wait for ever.
  if (!stats.isFile()) throw new Error('it is not a file')
  if (stats.size > LIMITS.maxBytes) throw new Error(`it is larger than ${LIMITS.maxBytes} bytes`)
  if (folder !== undefined) {
    // A link beside the document may lead anywhere.
    const inside = relative(await realpath(folder), await realpath(path))
    if (inside.startsWith('..') || resolve(inside) === inside) {
      throw new Error('it leads to another folder; allow it with --allow-external-refs')
    }
  }
  return readFile(path, 'utf8')
}

function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address)
}

function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(address)
}

/** Writes a path as an address without a drive, so that it cannot be taken for a scheme. */
export function pathToAddress(path: string): string {
  return `/${path.slice(parse(path).root.length).split(sep).join('/')}`
}

function toPath(address: string, io: Io): string {
  return join(parse(resolve(io.cwd)).root, address)
}
