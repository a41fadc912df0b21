import type { Principal } from '../core/index.ts'
import type { HttpRequest } from '../wire/index.ts'

/**
 * Gives the name under which the memory and the budgets of one caller are counted. Behind a proxy that is trusted it
 * can read the address the proxy supplies: every other header is the caller's own choice.
 */
export type CallerKey = (request: HttpRequest, principal: Principal | undefined) => string

const LONGEST_KEY = 200

/** Names a caller by its principal, otherwise by the network its connection comes from. */
export const callerOf: CallerKey = (request, principal) =>
  principal === undefined ? toNetwork(request.peerAddress?.()) : `principal ${principal.id}`

/** Makes a key short enough to be remembered: a hook may hand on whatever a caller sent. */
export function readCallerKey(
  callerKey: CallerKey | undefined,
  request: HttpRequest,
  principal: Principal | undefined,
): string {
  const key = (callerKey ?? callerOf)(request, principal)
  return key.length > LONGEST_KEY ? copyStart(key, LONGEST_KEY) : key
}

/** Copies the beginning of a text: a slice would keep the whole of it in memory. */
export function copyStart(text: string, length: number): string {
  return text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
}

/** One IPv6 customer has 2^64 addresses, so what counts is the first half of the address. */
function toNetwork(address: string | undefined): string {
  if (address === undefined) return ''
  const bare = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!bare.includes(':')) return bare
  const [head = '', tail] = bare.split('%', 1)[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`
}

/** How much may be remembered, altogether and for one caller. */
export interface CallerMemoryOptions<Value> {
  readonly max: number
  readonly maxPerCaller: number
  readonly maxBytes: number
  readonly maxBytesPerCaller: number
  /** Tells that somebody is using a value just now; others make room first. */
  readonly isBusy?: (value: Value) => boolean
  /** Runs for a value that had to make room. */
  readonly onEvict?: (value: Value) => void
}

/** What a value takes, and whose it is; without a caller it only counts for the whole. */
export interface MemoryCost {
  readonly caller: string | undefined
  readonly bytes: number
}

/** Values that callers make a process remember, the one not used for the longest time first. */
export interface CallerMemory<Value> {
  readonly get: (key: string) => Value | undefined
  /** Marks a value as the one used last. */
  readonly touch: (key: string) => void
  /** Adds a value; the caller's own oldest make room for it, then those of everybody. */
  readonly set: (key: string, value: Value, cost: MemoryCost) => void
  /** Counts bytes that a value has gained or lost. */
  readonly grow: (key: string, bytes: number) => void
  readonly delete: (key: string) => void
  /** The value not used for the longest time, with its key. */
  readonly oldest: () => readonly [string, Value] | undefined
  readonly values: () => readonly Value[]
  readonly size: () => number
}

interface Entry<Value> {
  readonly value: Value
  readonly caller: string | undefined
  bytes: number
}

interface Share {
  readonly keys: Set<string>
  bytes: number
}

/** How many are looked at for one that is idle: making room must cost the same however much is remembered. */
const LOOKED_AT = 32

/** Creates a memory that no caller can fill at the cost of the process, nor at the cost of others. */
export function createCallerMemory<Value>(
  options: CallerMemoryOptions<Value>,
): CallerMemory<Value> {
  const entries = new Map<string, Entry<Value>>()
  const shares = new Map<string, Share>()
  let total = 0

  const shareOf = (caller: string | undefined): Share | undefined =>
    caller === undefined ? undefined : shares.get(caller)

  function remove(key: string): Entry<Value> | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    entries.delete(key)
    total -= entry.bytes
    const share = shareOf(entry.caller)
    if (share === undefined || entry.caller === undefined) return entry
    share.keys.delete(key)
    share.bytes -= entry.bytes
    if (share.keys.size === 0) shares.delete(entry.caller)
    return entry
  }

  const isIdle = (key: string): boolean => {
    const entry = entries.get(key)
    return entry !== undefined && options.isBusy?.(entry.value) !== true
  }

  function evict(keys: Iterable<string>, except: string): boolean {
    const key = pick(keys, except, isIdle)
    const entry = key === undefined ? undefined : remove(key)
    if (entry === undefined) return false
    options.onEvict?.(entry.value)
    return true
  }

  function makeRoom(key: string, caller: string | undefined): void {
    const share = shareOf(caller)
    const tooMuch = () =>
      share !== undefined &&
      (share.keys.size > options.maxPerCaller || share.bytes > options.maxBytesPerCaller)
    while (tooMuch() && share !== undefined && evict(share.keys, key));
    const full = () => entries.size > options.max || total > options.maxBytes
    while (full() && evict(entries.keys(), key));
  }

  return {
    get: (key) => entries.get(key)?.value,
    touch(key) {
      const entry = entries.get(key)
      if (entry === undefined) return
      entries.delete(key)
      entries.set(key, entry)
      const keys = shareOf(entry.caller)?.keys
      keys?.delete(key)
      keys?.add(key)
    },
    set(key, value, { caller, bytes }) {
      remove(key)
      entries.set(key, { value, caller, bytes })
      total += bytes
      if (caller !== undefined) {
        const share = shares.get(caller) ?? { keys: new Set(), bytes: 0 }
        shares.set(caller, share)
        share.keys.add(key)
        share.bytes += bytes
      }
      makeRoom(key, caller)
    },
    grow(key, bytes) {
      const entry = entries.get(key)
      if (entry === undefined) return
      entry.bytes += bytes
      total += bytes
      const share = shareOf(entry.caller)
      if (share !== undefined) share.bytes += bytes
      if (bytes > 0) makeRoom(key, entry.caller)
    },
    delete: remove,
    oldest() {
      const [first] = entries
      return first && [first[0], first[1].value]
    },
    values: () => [...entries.values()].map(({ value }) => value),
    size: () => entries.size,
  }
}

/** Gives one that can go: the oldest that is idle among the first, otherwise the oldest. */
function pick(
  keys: Iterable<string>,
  except: string,
  isIdle: (key: string) => boolean,
): string | undefined {
  let first: string | undefined
  let looked = 0
  for (const key of keys) {
    if (key === except) continue
    if (isIdle(key)) return key
    first ??= key
    looked += 1
    if (looked === LOOKED_AT) break
  }
  return first
}
