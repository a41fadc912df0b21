import { randomUUID } from 'node:crypto'
import {
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Next,
  type Outcome,
  readBoolean,
  readChoice,
  readDuration,
  readText,
  requireKey,
  requireMilliseconds,
  withFacts,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createStoreGuard, type OnStoreFailure, type Store, toOwner } from '../../store/index.ts'
import {
  createAbortable,
  type Duration,
  extensionUrn,
  formatTimestamp,
  type Maybe,
  runInScope,
  toDuration,
} from '../../values/index.ts'
import { lockFunctions } from './functions.ts'
import {
  type Acquisition,
  acquireLock,
  createLockQueue,
  type LockLease,
  type LockQueue,
  type LockScope,
  toFullKey,
  waitForLock,
} from './lease.ts'

/** How locks are taken and kept. */
export interface AtomicLockExtensionOptions {
  readonly store: Store
  /** The longest time a call may wait for a lock, however long it asked for; one minute when absent. */
  readonly maxBlock?: Duration
  /** How long a lock is prolonged while its function runs; one hour when absent, `false` never prolongs. */
  readonly renewFor?: Duration | false
  /**
   * Tells whether a caller may take a lock away from its holder; nobody may when absent. Where callers are authenticated,
   * the service needs an `authorize` hook besides, which lets the call pass.
   */
  readonly authorizeForceRelease?: (call: Call, fullKey: string) => Maybe<boolean>
  /** `refuse` when absent: without the store nobody can promise that there is one holder. */
  readonly onStoreFailure?: OnStoreFailure
}

/** A lock as the caller wants it. */
interface Wish {
  readonly key: string
  readonly fullKey: string
  readonly scope: LockScope
  readonly owner: string
  readonly ttlMs: number
  readonly blockMs: number | undefined
  readonly autoRelease: boolean
}

const MAX_KEY_LENGTH = 200
const MAX_TTL_MS = 24 * 3_600_000

/** Creates the extension that lets one call at a time hold a key, across all processes of a store. */
export function atomicLockExtension(options: AtomicLockExtensionOptions): Extension {
  const { store, renewFor = { value: 1, unit: 'hour' } } = options
  const queue = createLockQueue()
  const guard = createStoreGuard('atomic-lock', options.onStoreFailure ?? 'refuse')
  const maxBlockMs = requireMilliseconds(
    'atomic-lock: maxBlock',
    options.maxBlock ?? { value: 1, unit: 'minute' },
  )
  const renewForMs =
    renewFor === false ? false : requireMilliseconds('atomic-lock: renewFor', renewFor)

  return {
    urn: extensionUrn('atomic-lock'),
    version: '1.0.0',
    phase: 'run',
    order: -10,
    ofOneRun: true,
    functions: (service) => lockFunctions(service, { ...options, onReleased: queue.wake }),
    async around(exchange, next) {
      const wish = readWish(exchange, maxBlockMs)
      const acquisition = await guard.ask(
        exchange.service,
        () => acquire(exchange, wish, { store, queue }),
        undefined,
      )
      if (acquisition === undefined) {
        exchange.answer({ key: wish.key, acquired: false })
        return next(exchange.call)
      }
      return runLocked(exchange, { wish, lease: acquisition.lease, renewForMs, queue }, next)
    },
  }
}

async function acquire(
  { call, service: { clock }, answer }: ExtensionCall,
  wish: Wish,
  { store, queue }: { readonly store: Store; readonly queue: LockQueue },
): Promise<Extract<Acquisition, { acquired: true }>> {
  const { key, scope, fullKey, blockMs } = wish
  const principal = toOwner(call.principal)
  const attempt = () => acquireLock(store, { ...wish, principal, now: clock.now() })
  const start = clock.elapsed()
  const acquisition =
    blockMs === undefined
      ? await attempt()
      : await runInScope([call.signal()], { afterMs: blockMs }, (signal) =>
          waitForLock(attempt, { fullKey, queue, signal }),
        )
  if (acquisition.acquired) return acquisition
  answer({ key, acquired: false })
  const details = { key, scope, full_key: fullKey }
  if (blockMs === undefined) throw new CallError('LOCK_ACQUISITION_FAILED', { details })
  call.signal().throwIfAborted()
  const waited = toDuration(clock.elapsed() - start)
  throw new CallError('LOCK_TIMEOUT', { details: { ...details, waited } })
}

interface Locked {
  readonly wish: Wish
  readonly lease: LockLease
  readonly renewForMs: number | false
  readonly queue: LockQueue
}

async function runLocked(
  { call, service, answer }: ExtensionCall,
  { wish, lease, renewForMs, queue }: Locked,
  next: Next,
): Promise<Outcome> {
  const { key, scope, fullKey, owner, ttlMs } = wish
  const expiresAt = () => formatTimestamp(service.clock.now() + ttlMs)
  // Answered now, so that a caller whose deadline passes knows what it holds; kept current while the function runs.
  const told = { key, acquired: true, owner, scope, expires_at: expiresAt() }
  answer(told)
  const abortable = createAbortable(call.signal)
  const keeping =
    renewForMs === false
      ? undefined
      : lease.keep({
          maxMs: renewForMs,
          clock: service.clock,
          onRenewed() {
            told.expires_at = expiresAt()
          },
          onLost: () => abortable.abort(lost(wish)),
        })
  const outcome = await next({
    ...withFacts(call, { fencingToken: lease.token }),
    signal: abortable.signal,
  })
  abortable.detach()
  await keeping?.stop()
  if (!wish.autoRelease) return outcome
  try {
    const released = await lease.release()
    if (released !== 'deleted') service.log.warn('a lock ended before its call', { lock: fullKey })
  } catch (thrown) {
    // What the function did stands; the lock ends by itself.
    service.log.warn('a lock could not be released', { lock: fullKey, error: thrown })
  }
  queue.wake(fullKey)
  return outcome
}

function lost({ key, scope, fullKey }: Wish): CallError {
  return new CallError('LOCK_ACQUISITION_FAILED', {
    message: 'The lock was lost while the function ran',
    details: { key, scope, full_key: fullKey },
  })
}

function readWish(exchange: ExtensionCall, maxBlockMs: number): Wish {
  const key = requireKey(exchange, 'key', MAX_KEY_LENGTH)
  if (key.includes(':meta:')) throw invalidOption(exchange, 'key', 'without ":meta:"')
  const ttlMs = readDuration(exchange, 'ttl', { above: 0, max: MAX_TTL_MS })
  if (ttlMs === undefined) throw invalidOption(exchange, 'ttl', 'given, as a duration')
  const scope = readChoice(exchange, 'scope', ['function', 'global']) ?? 'function'
  const blockMs = readDuration(exchange, 'block')
  return {
    key,
    scope,
    ttlMs,
    fullKey: toFullKey({ function: exchange.target.name, key, scope }),
    blockMs: blockMs === undefined ? undefined : Math.min(blockMs, maxBlockMs),
    owner: readText(exchange, 'owner') ?? randomUUID(),
    autoRelease: readBoolean(exchange, 'auto_release') ?? true,
  }
}
