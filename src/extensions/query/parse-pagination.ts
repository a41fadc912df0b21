import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { PaginationStrategy, QueryPagination, QueryPosition } from '../../core/index.ts'
import { defined, isRecord, type JsonObject, toCanonicalJson } from '../../values/index.ts'
import type { Findings, PaginationRules, QueryRules } from './rules.ts'

/** Writes positions as opaque text and reads them back. */
export interface CursorCodec {
  /** `scope` says what the position belongs to; a cursor opens only for the scope it was sealed for. */
  readonly seal: (position: QueryPosition, scope: string) => string
  /** Gives undefined for anything that was not sealed with the same secret for the same scope. */
  readonly open: (cursor: string, scope: string) => QueryPosition | undefined
}

type SealedPosition = [QueryPosition['direction'], QueryPosition['values']]

const IV_BYTES = 12
const TAG_BYTES = 16
const MAX_LENGTH = 65_536
const CIPHER = 'aes-256-gcm'

/**
 * Creates the codec of one secret. Positions are encrypted, not only signed: they hold attributes that a caller may
 * not be shown. The nonce follows from the content, so that equal pages have equal cursors and equal ETags.
 */
export function createCursorCodec(secret: string): CursorCodec {
  const derive = (use: string) => createHash('sha256').update(`waymark ${use}\n${secret}`).digest()
  const cipherKey = derive('cursor cipher')
  const nonceKey = derive('cursor nonce')
  return {
    seal({ direction, values }, scope) {
      const text = JSON.stringify([direction, values])
      const nonce = createHmac('sha256', nonceKey).update(`${scope}\n${text}`).digest()
      const iv = nonce.subarray(0, IV_BYTES)
      const cipher = createCipheriv(CIPHER, cipherKey, iv).setAAD(Buffer.from(scope))
      const body = Buffer.concat([cipher.update(text), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(cursor, scope) {
      if (cursor.length > MAX_LENGTH) return undefined
      const bytes = Buffer.from(cursor, 'base64url')
      // Node skips characters that are not base64url; only cursors we wrote count.
      if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) {
        return undefined
      }
      const text = decrypt(bytes, cipherKey, scope)
      if (text === undefined) return undefined
      // What opens was written by `seal`, so its shape is known.
      const [direction, values] = JSON.parse(text) as SealedPosition
      return { direction, values }
    },
  }
}

function decrypt(bytes: Buffer, key: Buffer, scope: string): string | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(scope))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    const body = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))
    return Buffer.concat([body, decipher.final()]).toString()
  } catch {
    return undefined
  }
}

/** Writes what the positions of a query belong to: another order or other conditions make them meaningless. */
export function toCursorScope(parts: {
  readonly name: string
  readonly filters: ReadonlyMap<string, readonly unknown[]>
  readonly sorts: readonly unknown[]
}): string {
  const filters = [...parts.filters].filter(([, list]) => list.length > 0)
  return toCanonicalJson([parts.name, filters.sort(byName), parts.sorts])
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1
}

/** What a page needs to know beside its own parameters. */
export interface PaginationContext {
  readonly rules: QueryRules
  readonly findings: Findings
  readonly timeAttribute: string
  readonly seal: (position: QueryPosition) => string
  readonly open: (cursor: string) => QueryPosition | undefined
}

/** The parameters of each style; `limit` belongs to all. */
const PARAMETERS = {
  offset: ['offset'],
  cursor: ['cursor'],
  keyset: ['after_id', 'before_id', 'since', 'until'],
  page: ['page', 'per_page'],
} as const satisfies Record<PaginationStrategy, readonly string[]>

const STYLES = Object.keys(PARAMETERS) as PaginationStrategy[]
const MAX_OFFSET = 1_000_000_000
const MAX_ID = 255
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

type Parameters = Readonly<Record<string, unknown>>
type Refuse = (name: string, expected: string, details?: JsonObject) => undefined

/** Reads the `pagination` option; undefined when the function does not page. */
export function parsePagination(
  option: unknown,
  context: PaginationContext,
): QueryPagination | undefined {
  const { findings, rules } = context
  if (option !== undefined && !isRecord(option)) {
    findings.add(['pagination'], 'must be an object such as { "limit": 25 }')
    return undefined
  }
  const refuse: Refuse = (name, expected, details) => {
    findings.add(['pagination', name], expected, details)
  }
  // A parameter that is null is as good as absent, but `cursor: null` asks for the first page by cursors.
  const entries = Object.entries(option ?? {}).filter(([, value]) => value !== null)
  const parameters: Parameters = Object.fromEntries(entries)
  if (rules.pagination === undefined) {
    const [first] = Object.keys(parameters)
    if (first !== undefined) refuse(first, 'is not supported: the function does not page')
    return undefined
  }
  const { styles, defaultStyle } = rules.pagination
  const byCursor = option?.['cursor'] === null && styles.includes('cursor')
  const style = selectStyle(parameters, styles, byCursor ? 'cursor' : defaultStyle, refuse)
  if (style === undefined) return undefined
  const limit = readLimit(parameters, rules.pagination, style, refuse)
  return readStyle(style, limit, parameters, context, refuse)
}

/** The style whose parameters are used; the fallback where there is only a limit. */
function selectStyle(
  parameters: Parameters,
  styles: PaginationRules['styles'],
  fallback: PaginationStrategy,
  refuse: Refuse,
): PaginationStrategy | undefined {
  let chosen: PaginationStrategy | undefined
  for (const name of Object.keys(parameters)) {
    if (name === 'limit') continue
    const style = STYLES.find((candidate) => PARAMETERS[candidate].some((known) => known === name))
    if (style === undefined || !styles.includes(style)) {
      const known = ['limit', ...styles.flatMap((supported) => PARAMETERS[supported])]
      return refuse(name, `is not supported; use ${known.join(', ')}`, { supported: styles })
    }
    if (chosen !== undefined && chosen !== style) {
      return refuse(name, `cannot be combined with ${chosen} pagination`)
    }
    chosen = style
  }
  return chosen ?? fallback
}

function readLimit(
  parameters: Parameters,
  { defaultLimit, maxLimit }: PaginationRules,
  style: PaginationStrategy,
  refuse: Refuse,
): number {
  const name = style === 'page' && 'per_page' in parameters ? 'per_page' : 'limit'
  const limit = (parameters[name] ?? defaultLimit) as number
  if (!Number.isSafeInteger(limit) || limit < 1) {
    refuse(name, `must be a whole number from 1 to ${maxLimit}`)
  } else if (limit > maxLimit) {
    refuse(name, `must be at most ${maxLimit}`, { requested: limit, max_limit: maxLimit })
  }
  return limit
}

function readStyle(
  style: PaginationStrategy,
  limit: number,
  parameters: Parameters,
  { timeAttribute, seal, open }: PaginationContext,
  refuse: Refuse,
): QueryPagination {
  switch (style) {
    case 'offset':
      return { style, limit, offset: readWhole(parameters, 'offset', 0, refuse) }
    case 'page':
      return { style, limit, page: readWhole(parameters, 'page', 1, refuse) }
    case 'cursor': {
      const { cursor } = parameters
      const position = typeof cursor === 'string' ? open(cursor) : undefined
      if (cursor !== undefined && position === undefined) {
        refuse('cursor', 'must be a cursor of an earlier answer to the same filters and sorts')
      }
      return { style, limit, seal, ...(position && { position }) }
    }
    case 'keyset': {
      const { after_id, before_id, since, until } = parameters
      return {
        style,
        limit,
        timeAttribute,
        ...defined({
          afterId: readId(after_id, 'after_id', refuse),
          beforeId: readId(before_id, 'before_id', refuse),
          since: readTime(since, 'since', refuse),
          until: readTime(until, 'until', refuse),
        }),
      }
    }
  }
}

function readWhole(parameters: Parameters, name: string, least: number, refuse: Refuse): number {
  const value = (parameters[name] ?? least) as number
  if (Number.isInteger(value) && value >= least && value <= MAX_OFFSET) return value
  refuse(name, `must be a whole number from ${least} to ${MAX_OFFSET}`)
  return least
}

function readId(value: unknown, name: string, refuse: Refuse): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value !== '' && value.length <= MAX_ID) return value
  return refuse(name, `must be an id of 1 to ${MAX_ID} characters`)
}

/** Reads a moment into UTC, the form in which attributes are compared with it. */
function readTime(value: unknown, name: string, refuse: Refuse): string | undefined {
  if (value === undefined) return undefined
  const moment = typeof value === 'string' && TIMESTAMP.test(value) ? Date.parse(value) : Number.NaN
  if (!Number.isNaN(moment)) return new Date(moment).toISOString().replace('.000Z', 'Z')
  return refuse(name, 'must be an RFC 3339 timestamp such as "2030-01-15T10:30:00Z"')
}
