import type { Outcome, Reply, Target } from '../../core/index.ts'
import { formatDisposition, isOneOf, parseFile, readRange, toMediaType } from '../../files/index.ts'
import type { HttpRequest, HttpResponse } from '../../wire/index.ts'

/** Types that a browser may show: none of them can run anything on behalf of this site. */
const SHOWN = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/*',
  'video/*',
  'text/plain',
]

/**
 * Encodes a result that is a file as its bytes. Undefined when it is not one. The type is what the function says: nobody may
 * guess another one, and what could run in a browser is saved, not shown.
 */
export function encodeFile(
  outcome: Outcome,
  target: Target | undefined,
  request: HttpRequest,
  reply: Reply,
): HttpResponse | undefined {
  const rule = target?.outputFiles?.rule
  if (rule === undefined || !outcome.ok) return undefined
  const { result } = outcome
  const file = typeof result === 'string' ? parseFile(result, rule) : result
  if (!(file instanceof File)) return undefined
  const type = toMediaType(file.type)
  const charset = /;\s*charset=([\w-]{1,40})/i.exec(file.type)?.[1]
  const hasSize = Number.isSafeInteger(file.size)
  const headers: Record<string, string> = {
    'content-type': charset === undefined ? type : `${type}; charset=${charset}`,
    'content-disposition': formatDisposition(
      isOneOf(type, SHOWN) ? 'inline' : 'attachment',
      file.name,
    ),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    ...(hasSize && request.method === 'GET' && { 'accept-ranges': 'bytes' }),
    ...reply.headers,
  }
  const range = hasSize ? readRangeHeader(request, file.size, headers['etag']) : undefined
  if (range === 'beyond') {
    return { status: 416, headers: { 'content-range': `bytes */${file.size}` }, body: '' }
  }
  const { start, end } = range ?? { start: 0, end: file.size }
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...headers,
      ...(hasSize && { 'content-length': String(end - start) }),
      ...(range && { 'content-range': `bytes ${start}-${end - 1}/${file.size}` }),
    },
    body: readRange(file, start, end),
  }
}

interface Range {
  readonly start: number
  /** The offset after the last byte. */
  readonly end: number
}

/** Reads a Range header (RFC 9110, 14): one range of bytes, of a GET request. Whatever else it says is passed over. */
function readRangeHeader(
  { method, header }: HttpRequest,
  size: number,
  etag: string | undefined,
): Range | 'beyond' | undefined {
  const text = method === 'GET' ? header('range') : undefined
  const condition = header('if-range')
  if (text === undefined || (condition !== undefined && condition !== etag)) return undefined
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(text.trim()) ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'beyond' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (start >= size) return 'beyond'
  if (last !== '' && Number(last) < start) return undefined
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
