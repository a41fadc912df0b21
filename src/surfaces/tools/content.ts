import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { isPromise, type Maybe } from '../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../wire/index.ts'

/** Below this size a compressed body is hardly shorter. */
const MIN_COMPRESSED_BYTES = 256

/** A content coding we can write. */
export type Coding = 'br' | 'gzip'

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } } as const

const compress: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes) => promisify(gzip)(bytes),
}

/** Text that is sent again and again. */
export interface Content {
  readonly respond: (request: HttpRequest) => Maybe<HttpResponse>
}

/** Prepares text once: its bytes, its ETag, and each compressed form when somebody first asks for it. */
export function prepareContent(text: string, headers: Readonly<Record<string, string>>): Content {
  const bytes = Buffer.from(text)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  const shared = { ...headers, 'cache-control': 'no-cache', vary: 'accept-encoding' }
  const plain = toVariant(bytes, `"${digest}"`, shared)
  const coded: { [coding in Coding]?: Maybe<Variant> } = {}

  function variant(coding: Coding): Maybe<Variant> {
    coded[coding] ??= compress[coding](bytes).then((compressed) => {
      const etag = `"${digest}-${coding}"`
      const ready = toVariant(compressed, etag, { ...shared, 'content-encoding': coding })
      coded[coding] = ready
      return ready
    })
    return coded[coding]
  }

  return {
    respond(request) {
      const coding = selectCoding(request.header('accept-encoding'))
      if (coding === undefined || bytes.byteLength < MIN_COMPRESSED_BYTES)
        return choose(plain, request)
      const chosen = variant(coding)
      return isPromise(chosen)
        ? chosen.then((ready) => choose(ready, request))
        : choose(chosen, request)
    },
  }
}

/** Prepares a value that is sent as JSON. */
export function prepareJson(value: unknown): Content {
  return prepareContent(JSON.stringify(value), {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  })
}

/** Picks the coding an Accept-Encoding header allows and prefers; brotli wins a tie. */
export function selectCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  const weigh = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const br = weigh('br')
  const gz = weigh('gzip')
  if (br > 0 && br >= gz) return 'br'
  return gz > 0 ? 'gzip' : undefined
}

interface Variant {
  readonly etag: string
  readonly full: HttpResponse
  readonly unchanged: HttpResponse
}

function toVariant(
  bytes: Uint8Array,
  etag: string,
  shared: Readonly<Record<string, string>>,
): Variant {
  const headers: Readonly<Record<string, string>> = { ...shared, etag }
  const { 'content-type': _type, 'content-encoding': _coding, ...kept } = headers
  return {
    etag,
    full: { status: 200, headers, body: bytes },
    unchanged: { status: 304, headers: kept, body: '' },
  }
}

function choose(variant: Variant, request: HttpRequest): HttpResponse {
  const known = request.header('if-none-match')
  return known !== undefined && matchesEtag(known, variant.etag) ? variant.unchanged : variant.full
}

function matchesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
