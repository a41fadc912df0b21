import { type CallObserver, createUlid, type EndedCall, type RefusedCaller } from '../core/index.ts'
import { newestFirst, type Store, storeKey, storePrefix } from '../store/index.ts'
import {
  type Clock,
  type Duration,
  isPromise,
  isRecord,
  type Json,
  type Maybe,
  systemClock,
  toMilliseconds,
} from '../values/index.ts'
import { createArgumentRedactor } from './redact-arguments.ts'

/**
 * What came of a call. `accepted`: goes on in the background, whose run has a record of its own. `replaced`: the function did
 * not run, because an earlier outcome, a dry run or a simulation answered. `refused`: the caller is not known, or may not.
 */
export type AuditOutcome = 'ok' | 'accepted' | 'replaced' | 'refused' | 'failed'

/** Who called what, with which effect and outcome. */
export interface AuditRecord {
  /** Sorts by time. */
  readonly id: string
  /** When the call ended, RFC 3339. */
  readonly time: string
  /** What it came over: `forrst`, `rest`, `mcp`, `explorer`, `trigger`, `operation`, `replay` or `code`. */
  readonly surface: string
  readonly outcome: AuditOutcome
  /** Code of the first error. */
  readonly code?: string
  /** Id of who called; absent when nobody knows. */
  readonly principal?: string
  /** Id of the API key that was shown. */
  readonly key?: string
  /** Absent when the caller was refused before anybody looked for a function. */
  readonly function?: string
  readonly version?: string
  /** Effects that the function declares; absent when it declares none, or is not known. */
  readonly effects?: readonly string[]
  readonly request?: string
  readonly trace?: string
  readonly durationMs?: number
  /** Of a caller whose credentials were not accepted: the address, and why. */
  readonly address?: string
  readonly reason?: string
  /** How many further refusals of unknown callers this record stands for. */
  readonly repeated?: number
  readonly arguments?: unknown
}

/** Takes one record at a time; what it throws or rejects with goes to the log, with the record. */
export type AuditSink = (record: AuditRecord) => Maybe<void>

/** Where records go, and what of a call they hold. */
export interface AuditOptions {
  readonly to: Store | AuditSink
  /** How long a store keeps a record; 90 days when absent. */
  readonly retention?: Duration
  /**
   * Keeps the arguments too, shortened. Hidden are those whose schema says `writeOnly`, `format: password` or
   * `x-sensitive`, and those with the name of a usual secret.
   */
  readonly arguments?: boolean
  /** Names of further arguments to hide. */
  readonly hide?: readonly string[]
  /** False leaves out calls that succeeded and could change nothing; true when absent. */
  readonly reads?: boolean
  /** True answers a call only after its record is written; false when absent. */
  readonly wait?: boolean
  readonly clock?: Clock
}

const RETENTION: Duration = { value: 90, unit: 'day' }
const LONGEST_TEXT = 200
const LONGEST_ARGUMENTS = 16_384
/** Records on their way to the store; what comes on top goes to the log instead of into memory. */
const MOST_PENDING = 1_000
/** Whoever shows no valid credentials must not be able to fill the store. */
const REFUSALS_PER_MINUTE = 60

/**
 * Creates the audit of a service: an append-only record of who called what, refusals included.
 *
 * @example
 * createService({ info, functions, authenticate, observers: [createAudit({ to: store })] })
 */
export function createAudit(options: AuditOptions): CallObserver {
  const { reads = true, wait = false, clock = systemClock } = options
  const redact = options.arguments ? createArgumentRedactor(options.hide) : undefined
  const { write, close } = createWriter(options, wait)
  const stamp = () => {
    const now = clock.now()
    return { id: createUlid(now), time: new Date(now).toISOString() }
  }
  const limit = createRefusalLimit(clock)
  const writeRepeated = (repeated: number): Maybe<void> =>
    repeated === 0
      ? undefined
      : write({ ...stamp(), surface: 'any', outcome: 'refused', code: 'UNAUTHORIZED', repeated })
  return {
    waits: wait,
    end(ended) {
      const outcome = toOutcome(ended)
      if (outcome === 'ok' && isLeftOut(ended, reads)) return
      const given = redact && ended.target && redact(ended.target, ended.call.arguments)
      return write({ ...stamp(), ...describe(ended, outcome), ...toArguments(given) })
    },
    refused(refused) {
      const { admitted, repeated } = limit()
      return joinWrites([
        writeRepeated(repeated),
        admitted ? write({ ...stamp(), ...describeRefusal(refused) }) : undefined,
      ])
    },
    async close() {
      await writeRepeated(limit(true).repeated)
      await close()
    },
  }
}

/** Which records are wanted. */
export interface AuditQuery {
  readonly principal?: string
  readonly function?: string
  readonly outcome?: AuditOutcome
  /** Epoch milliseconds: not older than this. */
  readonly since?: number
  /** At most this many, the newest; 100 when absent. */
  readonly limit?: number
}

/** Reads the records of a store, newest first. */
export async function readAudit(
  store: Store,
  query: AuditQuery = {},
): Promise<readonly AuditRecord[]> {
  const { limit = 100, since = 0 } = query
  const found: AuditRecord[] = []
  let cursor: string | undefined
  do {
    const page = await store.listByPrefix(storePrefix('audit'), {
      limit: 1_000,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { value } of page.entries) {
      if (!isRecord(value)) continue
      const record = value as unknown as AuditRecord
      if (found.length >= limit || Date.parse(record.time) < since) return found
      if (matches(record, query)) found.push(record)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return found
}

function matches(record: AuditRecord, query: AuditQuery): boolean {
  return (['principal', 'function', 'outcome'] as const).every(
    (name) => query[name] === undefined || query[name] === record[name],
  )
}

function createWriter({ to, retention = RETENTION }: AuditOptions, wait: boolean) {
  const ttl = toMilliseconds(retention)
  if (ttl === undefined || ttl === 0) {
    throw new TypeError('audit: retention must be a time such as { value: 90, unit: "day" }')
  }
  const send: AuditSink =
    typeof to === 'function'
      ? to
      : (record) => {
          const place = newestFirst(Date.parse(record.time))
          const value = record as unknown as Json
          // Nothing here replaces or deletes a record: it ends with its retention.
          return to
            .putIfAbsent(storeKey('audit', place, record.id), value, { ttl, lazy: !wait })
            .then(() => undefined)
        }
  const pending = new Set<Promise<void>>()
  const lose = (record: AuditRecord, cause: unknown): never => {
    throw new Error(`an audit record was not written: ${JSON.stringify(record)}`, { cause })
  }
  return {
    write(record: AuditRecord): Maybe<void> {
      if (pending.size >= MOST_PENDING) lose(record, 'too many records wait')
      let sent: Maybe<void>
      try {
        sent = send(record)
      } catch (thrown) {
        return lose(record, thrown)
      }
      if (!isPromise(sent)) return
      const written = sent.catch((thrown: unknown) => lose(record, thrown))
      pending.add(written)
      const forget = () => void pending.delete(written)
      written.then(forget, forget)
      return written
    },
    close: async () => void (await Promise.allSettled(pending)),
  }
}

function joinWrites(writes: readonly Maybe<void>[]): Maybe<void> {
  return writes.some(isPromise) ? Promise.all(writes).then(() => undefined) : undefined
}

/** Tells whether a refusal has a record of its own, and how many of the minute before had none. */
function createRefusalLimit(clock: Clock) {
  let began = Number.NEGATIVE_INFINITY
  let count = 0
  return (isLast = false): { readonly admitted: boolean; readonly repeated: number } => {
    const isOver = isLast || clock.elapsed() - began >= 60_000
    const repeated = isOver ? Math.max(0, count - REFUSALS_PER_MINUTE) : 0
    if (isOver) {
      began = clock.elapsed()
      count = 0
    }
    count += 1
    return { admitted: count <= REFUSALS_PER_MINUTE, repeated }
  }
}

const isReadOnly = ({ target }: EndedCall): boolean => target?.sideEffects?.length === 0

/** Probes and descriptions are asked for all day long. */
function isLeftOut(ended: EndedCall, reads: boolean): boolean {
  return isReadOnly(ended) && (!reads || ended.target?.system === true)
}

const REFUSALS: readonly string[] = ['UNAUTHORIZED', 'FORBIDDEN']

function toOutcome({ call, code, target }: EndedCall): AuditOutcome {
  if (code !== undefined) {
    // With `denied: 'not-found'` a function that exists is said not to.
    const isHidden = code === 'FUNCTION_NOT_FOUND' && target !== undefined
    return isHidden || REFUSALS.includes(code) ? 'refused' : 'failed'
  }
  const { disposition, extensions = [] } = call.reply
  if (disposition === 'accepted' || disposition === 'started') return 'accepted'
  if (disposition === 'instead') return 'replaced'
  const isKept = extensions.some(
    ({ urn, data }) =>
      (urn.endsWith(':idempotency') && data?.['status'] === 'cached') ||
      (urn.endsWith(':caching') && data?.['cache_status'] === 'hit'),
  )
  return isKept ? 'replaced' : 'ok'
}

const cut = (text: string): string => text.slice(0, LONGEST_TEXT)

function describe(
  { call, surface, target, code, durationMs }: EndedCall,
  outcome: AuditOutcome,
): Omit<AuditRecord, 'id' | 'time'> {
  const { principal, facts } = call
  const key = principal?.['key']
  return {
    surface,
    outcome,
    ...(code !== undefined && { code }),
    ...(principal && { principal: cut(principal.id) }),
    ...(typeof key === 'string' && { key: cut(key) }),
    function: target?.name ?? cut(call.function),
    ...(target && { version: target.version }),
    ...(target?.sideEffects?.length && { effects: [...target.sideEffects] }),
    request: cut(call.id),
    ...(facts.trace && { trace: facts.trace.traceId }),
    durationMs: Math.round(durationMs * 1_000) / 1_000,
  }
}

function describeRefusal({
  surface,
  code,
  reason,
  address,
}: RefusedCaller): Omit<AuditRecord, 'id' | 'time'> {
  return {
    surface,
    outcome: 'refused',
    code,
    ...(address !== undefined && { address: cut(address) }),
    ...(reason !== undefined && { reason: cut(reason) }),
  }
}

function toArguments(given: unknown): Pick<AuditRecord, 'arguments'> {
  if (given === undefined) return {}
  return { arguments: JSON.stringify(given).length > LONGEST_ARGUMENTS ? '…' : given }
}
