import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import { isRecord } from '../core/json.ts'
import type { QueryPosition } from '../core/query-plan.ts'

/** Writes positions as opaque text and reads them back. */
export interface CursorCodec {
  /** `scope` says what the position belongs to; a cursor opens only for the scope it was sealed for. */
  readonly seal: (position: QueryPosition, scope: string) => string
  /** Gives undefined for anything that was not sealed with the same secret for the same scope. */
  readonly open: (cursor: string, scope: string) => QueryPosition | undefined
}

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
      // Node reads past what is no base64url; only what we wrote ourselves counts.
      if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) {
        return undefined
      }
      const text = decrypt(bytes, { key: cipherKey, scope })
      return text === undefined ? undefined : toPosition(text)
    },
  }
}

function decrypt(
  bytes: Buffer,
  { key, scope }: { readonly key: Buffer; readonly scope: string },
): string | undefined {
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

/** What opens was written by `seal`, so its shape is known. */
function toPosition(text: string): QueryPosition {
  const [direction, values] = JSON.parse(text) as [
    QueryPosition['direction'],
    QueryPosition['values'],
  ]
  return { direction, values }
}

/** Writes what the positions of a query belong to: another order or other conditions make them meaningless. */
export function toCursorScope(parts: {
  readonly name: string
  readonly filters: ReadonlyMap<string, readonly unknown[]>
  readonly sorts: readonly unknown[]
}): string {
  const filters = [...parts.filters].filter(([, list]) => list.length > 0)
  return JSON.stringify([parts.name, filters.sort(byName), parts.sorts], sortedMembers)
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1
}

function sortedMembers(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).sort(byName))
}
