import { formatPointer, toReason } from './json.ts'

/** What JSON cannot hold, and where it is. */
export interface NoJson {
  /** JSON Pointer from the value that was looked at. */
  readonly pointer: string
  /** Names it and says what to do instead: `a Map; give an object or a list of pairs`. */
  readonly found: string
}

/**
 * Finds the first thing that JSON cannot hold, where `JSON.stringify` would write `{}`, null, a list of numbers, or nothing.
 * Members that are undefined are left out, and whatever has a `toJSON`, such as a Date, is taken for what that gives.
 */
export function findNoJson(
  value: unknown,
  /** What is longer is refused anyway, so nobody looks at the rest of it: that would stop every other call. */
  maxLength: number = Number.POSITIVE_INFINITY,
): NoJson | undefined {
  const budget = { left: maxLength }
  try {
    if (isPlainJson(value, MOST_LEVELS, budget)) return undefined
    return explain(value, { path: [], above: [] })
  } catch (thrown) {
    return { pointer: '', found: `something that fails when it is read: ${toReason(thrown)}` }
  }
}

/** Deeper values are looked at again by the slower way, which notices circles. */
const MOST_LEVELS = 100

/** The fast way: says yes for plain values, and no for those that need a closer look. */
function isPlainJson(value: unknown, levels: number, budget: Budget): boolean {
  switch (typeof value) {
    case 'string':
      budget.left -= value.length
      return true
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    case 'object':
      return value === null || (levels > 0 && isPlainBranch(value, levels - 1, budget))
    default:
      return false
  }
}

/** Characters that may still be looked at. */
interface Budget {
  left: number
}

function isPlainBranch(branch: object, levels: number, budget: Budget): boolean {
  if (Array.isArray(branch)) {
    budget.left -= branch.length
    for (let index = 0; index < branch.length && budget.left >= 0; index += 1) {
      if (!isPlainJson(branch[index], levels, budget)) return false
    }
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(branch)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const key in branch) {
    const member = (branch as Record<string, unknown>)[key]
    if (member !== undefined && !isPlainJson(member, levels, budget)) return false
    budget.left -= key.length
    if (budget.left < 0) break
  }
  return true
}

interface Place {
  readonly path: readonly string[]
  readonly above: readonly object[]
}

function explain(value: unknown, place: Place): NoJson | undefined {
  const found = typeof value === 'object' && value !== null ? undefined : nameScalar(value)
  if (found !== undefined) return { pointer: formatPointer(place.path), found }
  return typeof value === 'object' && value !== null ? explainBranch(value, place) : undefined
}

function explainBranch(value: object, place: Place): NoJson | undefined {
  const at = (found: string): NoJson => ({ pointer: formatPointer(place.path), found })
  if (place.above.includes(value)) return at('a circle: it contains itself')
  const above = [...place.above, value]
  if (hasToJson(value) && !ArrayBuffer.isView(value)) {
    if (value instanceof Date && Number.isNaN(value.getTime())) return at('a Date that is no date')
    return explain(value.toJSON(place.path.at(-1) ?? ''), { path: place.path, above })
  }
  const found = Array.isArray(value) ? undefined : nameBuiltIn(value)
  if (found !== undefined) return at(found)
  const members = Array.isArray(value)
    ? Array.from(value, (item: unknown, index) => [String(index), item] as const)
    : Object.entries(value).filter(([, member]) => member !== undefined)
  for (const [key, member] of members) {
    const inner = explain(member, { path: [...place.path, key], above })
    if (inner !== undefined) return inner
  }
  return undefined
}

function hasToJson(value: object): value is { readonly toJSON: (key: string) => unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function nameScalar(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}; leave it out or give null`
    case 'bigint':
      return 'a BigInt; give its digits as a string'
    case 'undefined':
      return 'undefined in a list; give null'
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    default:
      return undefined
  }
}

const INSTEAD: Readonly<Record<string, string>> = {
  Map: 'give an object: Object.fromEntries(map)',
  Set: 'give a list: [...set]',
  Error: 'give its message',
  Promise: 'await it',
}

/** Names an object that JSON would write without what is in it. */
function nameBuiltIn(value: object): string | undefined {
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  const name = (value.constructor as { readonly name?: string } | undefined)?.name || kind
  if (ArrayBuffer.isView(value) || kind.endsWith('ArrayBuffer')) {
    return `a ${name}; give its bytes as a base64 string`
  }
  const isWrapper = kind === 'String' || kind === 'Number' || kind === 'Boolean'
  if (kind !== 'Object' && !isWrapper && !isTagged(value)) {
    return [`a ${name}`, INSTEAD[kind]].filter(Boolean).join('; ')
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === Object.prototype || prototype === null
  if (isPlain || isWrapper || Object.keys(value).length > 0) return undefined
  return `a ${name} without members of its own; give a plain object, or the class a toJSON`
}

/** A class of somebody's own may call itself anything; its members are then what counts. */
function isTagged(value: object): boolean {
  return Symbol.toStringTag in value && Object.keys(value).length > 0
}
