import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { isList, isRecord, type JsonObject } from '../core/json.ts'

/** Hands state to clients so that it comes back unchanged, and only for a while. */
export interface Seal {
  /** Writes a value as text that nobody else can make. */
  readonly close: (value: JsonObject, ttlMs: number) => string
  /** Reads such text back; undefined when it was changed, made elsewhere, or is too old. */
  readonly open: (text: string) => JsonObject | undefined
}

const LONGEST = 65_536

/** Creates a seal; processes that share a secret can read one another's. */
export function createSeal(secret: string | undefined, clock: Clock): Seal {
  const key = secret ?? randomBytes(32)
  const sign = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest()
  return {
    close(value, ttlMs) {
      const payload = Buffer.from(JSON.stringify([clock.now() + ttlMs, value])).toString(
        'base64url',
      )
      return `${payload}.${sign(payload).toString('base64url')}`
    },
    open(text) {
      if (text.length > LONGEST) return undefined
      const [payload = '', signature = '', ...rest] = text.split('.')
      const given = Buffer.from(signature, 'base64url')
      const wanted = sign(payload)
      // base64url ignores trailing characters: only the text this seal itself would write is genuine.
      if (rest.length > 0 || given.toString('base64url') !== signature) return undefined
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
      return readPayload(payload, clock.now())
    },
  }
}

function readPayload(payload: string, now: number): JsonObject | undefined {
  const parsed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (!isList(parsed)) return undefined
  const [expires, value] = parsed
  return typeof expires === 'number' && expires > now && isRecord(value)
    ? (value as JsonObject)
    : undefined
}
