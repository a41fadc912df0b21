import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { toText } from '../core/text.ts'
import { createPeer, type LivePeer } from './peer.ts'
import { POLLING_VERSION } from './protocol.ts'
import type { Seal } from './seal.ts'
import type { Introduction } from './server.ts'
import { createSessionStreams, type SessionStreams, type StreamOptions } from './session-streams.ts'

/** How sessions of clients before 2026-07-28 are kept. */
export interface SessionOptions extends StreamOptions {
  /** Sessions remembered at one time; 10000 when absent. */
  readonly max?: number
  /** Milliseconds after which a session nobody uses is forgotten; one hour when absent. */
  readonly idleMs?: number
}

/** What a client introduced itself with, and what runs between it and us. */
export interface Session {
  readonly id: string
  readonly introduction: Introduction
  readonly peer: LivePeer
  readonly streams: SessionStreams
}

/** The sessions of one server. */
export interface Sessions {
  readonly open: (introduction: Introduction, owner: string) => Session
  /** Finds a session of this owner; undefined when it ended or never was. */
  readonly find: (id: string, owner: string) => Session | undefined
  /** Ends a session for good; tells whether there was one. */
  readonly end: (id: string, owner: string) => boolean
  readonly close: () => void
}

interface Entry {
  readonly session: Session
  readonly owner: string
  lastUsed: number
}

const WEEK_MS = 604_800_000
const CAPABILITIES = ['elicitation', 'sampling', 'roots']

/**
 * Creates the sessions of one server. An id says all there is to know about its session and is signed: any process
 * with the same secret can take it up, so nothing has to be shared and nobody has to be sent to the same process.
 */
export function createSessions(seal: Seal, clock: Clock, options: SessionOptions = {}): Sessions {
  const max = options.max ?? 10_000
  const idleMs = options.idleMs ?? 3_600_000
  const entries = new Map<string, Entry>()
  const ended = new Set<string>()

  function remember(id: string, introduction: Introduction, owner: string): Session {
    if (entries.size >= max) forgetOne(entries, clock.now() - idleMs)
    const polls = introduction.version === POLLING_VERSION
    const streams = createSessionStreams(options, polls)
    const session: Session = { id, introduction, peer: createPeer(), streams }
    entries.set(id, { session, owner, lastUsed: clock.now() })
    return session
  }

  function find(id: string, owner: string): Session | undefined {
    const entry = entries.get(id)
    if (entry !== undefined) {
      entry.lastUsed = clock.now()
      return entry.owner === owner ? entry.session : undefined
    }
    const known = ended.has(id) ? undefined : seal.open(id)
    if (known === undefined || known['owner'] !== owner) return undefined
    return remember(id, fromToken(known), owner)
  }

  return {
    open(introduction, owner) {
      const id = seal.close({ ...toToken(introduction), owner }, WEEK_MS)
      return remember(id, introduction, owner)
    },
    find,
    end(id, owner) {
      const session = find(id, owner)
      if (session === undefined) return false
      endSession(session)
      entries.delete(id)
      if (ended.size >= max) ended.delete(ended.values().next().value ?? '')
      ended.add(id)
      return true
    },
    close() {
      for (const { session } of entries.values()) endSession(session)
      entries.clear()
    },
  }
}

function endSession({ peer, streams }: Session): void {
  peer.close()
  streams.end()
}

/** Makes room: an idle session if there is one, otherwise the oldest without an open stream. */
function forgetOne(entries: Map<string, Entry>, idleSince: number): void {
  let candidate: string | undefined
  for (const [id, { session, lastUsed }] of entries) {
    if (!session.streams.busy()) candidate ??= id
    if (lastUsed < idleSince) {
      candidate = id
      break
    }
  }
  const id = candidate ?? entries.keys().next().value
  const entry = id === undefined ? undefined : entries.get(id)
  if (id === undefined || entry === undefined) return
  endSession(entry.session)
  entries.delete(id)
}

function toToken({ version, capabilities, caller }: Introduction): {
  readonly version: string
  readonly can: readonly string[]
  readonly caller: string
  readonly nonce: string
} {
  return {
    version,
    can: CAPABILITIES.filter((name) => capabilities[name] !== undefined),
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
