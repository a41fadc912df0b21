import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { createCallerMemory, isSameSecret } from '../../../net/index.ts'
import {
  type Clock,
  isList,
  isRecord,
  type JsonObject,
  once,
  toText,
  unref,
} from '../../../values/index.ts'
import { POLLING_VERSION, USED_CAPABILITIES } from '../protocol.ts'
import type { Introduction } from '../server.ts'
import { createPeer, type LivePeer } from './peer.ts'
import { createSessionStreams, type SessionStreamOptions, type SessionStreams } from './streams.ts'

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
  const key = once(() => secret ?? randomBytes(32))
  const sign = (payload: string): Buffer => createHmac('sha256', key()).update(payload).digest()
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
      if (!isSameSecret(given, wanted)) return undefined
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

/** How sessions of clients before 2026-07-28 are kept. */
export interface SessionOptions extends SessionStreamOptions {
  /** Sessions remembered at one time; 10000 when absent. */
  readonly max?: number
  /** Sessions of one caller; 1000 when absent. One more takes the place of the caller's own oldest. */
  readonly maxPerCaller?: number
  /** Bytes that all sessions may keep, messages for replay included; 67108864 when absent. */
  readonly maxBytes?: number
  /** Bytes that the sessions of one caller may keep; 16777216 when absent. */
  readonly maxBytesPerCaller?: number
  /** Milliseconds after which a session nobody uses has ended; one hour when absent. */
  readonly idleMs?: number
}

/** What a client introduced itself with, and what runs between it and us. */
export interface McpSession {
  readonly id: string
  readonly introduction: Introduction
  readonly peer: LivePeer
  readonly streams: SessionStreams
}

/** The sessions of one server; each counts for its caller, who is its owner where nothing else is said. */
export interface Sessions {
  readonly open: (introduction: Introduction, owner: string, caller?: string) => McpSession
  /** Finds a session of this owner; undefined when it ended or never was. */
  readonly find: (id: string, owner: string, caller?: string) => McpSession | undefined
  /** Ends a session for good; tells whether there was one. */
  readonly end: (id: string, owner: string) => boolean
  readonly close: () => void
}

interface Entry {
  readonly session: McpSession
  readonly owner: string
  lastUsed: number
}

const WEEK_MS = 604_800_000
const LONGEST_TIMER_MS = 2_147_483_647
/** About what an empty session takes; its id comes on top. */
const SESSION_BYTES = 4_096

/**
 * Creates the sessions of one server. An id says all there is to know about its session and is signed: any process
 * with the same secret can take it up, so nothing has to be shared and nobody has to be sent to the same process.
 */
export function createSessions(seal: Seal, clock: Clock, options: SessionOptions = {}): Sessions {
  const { max = 10_000, idleMs = 3_600_000 } = options
  const ended = createEnded(clock, max)
  const entries = createCallerMemory<Entry>({
    max,
    maxPerCaller: options.maxPerCaller ?? 1_000,
    maxBytes: options.maxBytes ?? 67_108_864,
    maxBytesPerCaller: options.maxBytesPerCaller ?? 16_777_216,
    isBusy,
    onEvict: ({ session }) => endSession(session),
  })
  let sweep: NodeJS.Timeout | undefined

  /** Ends the sessions nobody uses; those with an open stream or a running call are in use. */
  function expire(): void {
    const now = clock.now()
    for (let next = entries.oldest(); next !== undefined; next = entries.oldest()) {
      const [id, entry] = next
      if (entry.lastUsed > now - idleMs) return
      if (isBusy(entry)) {
        entry.lastUsed = now
        entries.touch(id)
      } else {
        entries.delete(id)
        ended.add(id)
        endSession(entry.session)
      }
    }
  }

  /** Nobody may call again, so a timer looks as well; it keeps no process alive. */
  function schedule(): void {
    sweep ??= unref(
      setTimeout(
        () => {
          sweep = undefined
          expire()
          if (entries.size() > 0) schedule()
        },
        Math.min(idleMs, LONGEST_TIMER_MS),
      ),
    )
  }

  function remember(
    id: string,
    introduction: Introduction,
    owner: string,
    caller: string,
  ): McpSession {
    const onSize = (bytes: number) => entries.grow(id, bytes)
    const streams = createSessionStreams(options, introduction.version === POLLING_VERSION, onSize)
    const session: McpSession = { id, introduction, peer: createPeer(onSize), streams }
    const entry = { session, owner, lastUsed: clock.now() }
    entries.set(id, entry, { caller, bytes: SESSION_BYTES + 2 * id.length })
    schedule()
    return session
  }

  function find(id: string, owner: string, caller = owner): McpSession | undefined {
    expire()
    const entry = entries.get(id)
    if (entry !== undefined) {
      if (entry.owner !== owner) return undefined
      entry.lastUsed = clock.now()
      entries.touch(id)
      return entry.session
    }
    const known = seal.open(id)
    if (known === undefined || known['owner'] !== owner || ended.has(id)) return undefined
    return remember(id, fromToken(known), owner, caller)
  }

  return {
    open(introduction, owner, caller = owner) {
      expire()
      const id = seal.close({ ...toToken(introduction), owner }, WEEK_MS)
      return remember(id, introduction, owner, caller)
    },
    find,
    end(id, owner) {
      const session = find(id, owner)
      if (session === undefined) return false
      entries.delete(id)
      ended.add(id)
      endSession(session)
      return true
    },
    close() {
      clearTimeout(sweep)
      for (const { session } of entries.values()) {
        entries.delete(session.id)
        endSession(session)
      }
    },
  }
}

function isBusy({ session: { peer, streams } }: Entry): boolean {
  return streams.busy() || peer.busy()
}

function endSession({ peer, streams }: McpSession): void {
  peer.close()
  streams.end()
}

/** Remembers which signed ids are worth nothing any more, by a digest: ids are as long as their clients make them. */
function createEnded(
  clock: Clock,
  max: number,
): { readonly add: (id: string) => void; readonly has: (id: string) => boolean } {
  const digests = new Map<string, number>()
  const digestOf = (id: string) => createHash('sha256').update(id).digest('base64url').slice(0, 22)
  return {
    has: (id) => digests.size > 0 && digests.has(digestOf(id)),
    add(id) {
      for (const [digest, until] of digests) {
        if (until > clock.now() && digests.size < max) break
        digests.delete(digest)
      }
      digests.set(digestOf(id), clock.now() + WEEK_MS)
    },
  }
}

function toToken({ version, capabilities, caller }: Introduction): {
  readonly version: string
  readonly can: readonly string[]
  readonly caller: string
  readonly nonce: string
} {
  return {
    version,
    can: USED_CAPABILITIES.filter((name) => capabilities[name] !== undefined),
    caller: caller ?? '',
    nonce: randomUUID(),
  }
}

function fromToken(token: Readonly<Record<string, unknown>>): Introduction {
  const { version, can, caller } = token
  return {
    version: toText(version),
    capabilities: Object.fromEntries(
      (Array.isArray(can) ? can : []).map((name) => [toText(name), {}]),
    ),
    caller: typeof caller === 'string' && caller !== '' ? caller : undefined,
  }
}
