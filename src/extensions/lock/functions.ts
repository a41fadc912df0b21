import {
  type Call,
  defineFunction,
  type FunctionDefinition,
  type Service,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { jsonSchema } from '../../schema/index.ts'
import { type Store, toOwner } from '../../store/index.ts'
import { formatTimestamp, type Maybe } from '../../values/index.ts'
import { readLock } from './lease.ts'

/** What the lock functions work on. */
export interface LockFunctionOptions {
  readonly store: Store
  /** Tells whether a caller may take a lock away from its holder; nobody may when absent. */
  readonly authorizeForceRelease?: (call: Call, fullKey: string) => Maybe<boolean>
  /** Told about a lock that has become free. */
  readonly onReleased: (fullKey: string) => void
}

const KEY = { type: 'string', minLength: 1, description: 'Full lock key (with scope prefix)' }

/** Lists the three functions that look after locks. */
export function lockFunctions(
  service: Service,
  options: LockFunctionOptions,
): readonly FunctionDefinition[] {
  return [
    releaseFunction(options),
    forceReleaseFunction(service, options),
    statusFunction(service, options),
  ]
}

function releaseFunction({ store, onReleased }: LockFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:atomic-lock:fn:release',
    version: '1.0.0',
    summary: 'Release a lock with ownership verification',
    sideEffects: ['delete'],
    discoverable: false,
    input: jsonSchema<{ key: string; owner: string }>({
      type: 'object',
      properties: {
        key: KEY,
        owner: {
          type: 'string',
          minLength: 1,
          description: 'Owner token from lock acquisition',
        },
      },
      required: ['key', 'owner'],
    }),
    async handler({ input: { key, owner }, principal }) {
      const lock = await readLock(store, key)
      if (lock === undefined) throw notFound(key)
      // Everybody can read the owner token: where callers are known, only the one who took the lock may end it.
      const isTheirs = lock.principal === undefined || lock.principal === toOwner(principal)
      if (lock.owner !== owner || !isTheirs) {
        throw new CallError('LOCK_OWNERSHIP_MISMATCH', { details: { key } })
      }
      // Only this acquisition: the lock may have changed hands since it was read.
      const gone = await store.deleteIfOwner(lock.entry.key, lock.entry.owner ?? '')
      if (gone !== 'deleted') throw notFound(key)
      onReleased(key)
      return { released: true, key }
    },
  })
}

function forceReleaseFunction(service: Service, options: LockFunctionOptions): FunctionDefinition {
  const { store, onReleased } = options
  return defineFunction({
    name: 'urn:cline:forrst:ext:atomic-lock:fn:force-release',
    version: '1.0.0',
    summary: 'Administratively release a lock without ownership verification',
    sideEffects: ['delete'],
    discoverable: false,
    input: jsonSchema<{ key: string }>({
      type: 'object',
      properties: { key: KEY },
      required: ['key'],
    }),
    async handler({ input: { key }, call }) {
      await assertForce(service, options, { call, key })
      const lock = await readLock(store, key)
      if (lock === undefined || !(await store.delete(lock.entry.key))) throw notFound(key)
      onReleased(key)
      return { released: true, key, forced: true }
    },
  })
}

/** `authorize` has been asked before the function runs, as before every call; without one nobody has been. */
async function assertForce(
  { authenticate, authorize }: Service,
  { authorizeForceRelease }: LockFunctionOptions,
  { call, key }: { readonly call: Call; readonly key: string },
): Promise<void> {
  const message =
    authorizeForceRelease === undefined
      ? 'The locks of others are not released here: the service has no authorizeForceRelease (stateful.atomicLock)'
      : authenticate !== undefined && authorize === undefined
        ? 'The locks of others are released to callers whom the authorize hook lets, and the service has none'
        : 'Not permitted to release the locks of others'
  const mayAsk = authenticate === undefined || authorize !== undefined
  if (mayAsk && (await authorizeForceRelease?.(call, key))) return
  throw new CallError('FORBIDDEN', { message, details: { key } })
}

function statusFunction({ clock }: Service, { store }: LockFunctionOptions): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:atomic-lock:fn:status',
    version: '1.0.0',
    summary: 'Check the status of a lock',
    sideEffects: [],
    discoverable: false,
    input: jsonSchema<{ key: string }>({
      type: 'object',
      properties: { key: KEY },
      required: ['key'],
    }),
    async handler({ input: { key } }) {
      const lock = await readLock(store, key)
      if (lock === undefined) return { key, locked: false }
      const left = lock.entry.ttl ?? 0
      return {
        key,
        locked: true,
        owner: lock.owner,
        acquired_at: formatTimestamp(lock.acquired),
        expires_at: formatTimestamp(clock.now() + left),
        ttl_remaining: Math.ceil(left / 1000),
      }
    },
  })
}

function notFound(key: string): CallError {
  return new CallError('LOCK_NOT_FOUND', { details: { key } })
}
