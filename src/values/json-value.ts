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
export function findNoJson(value: unknown): NoJson | undefined {
  const found = inspectJson(value, Number.POSITIVE_INFINITY)
  return found === 'too long' ? undefined : found
}

/**
 * Does the same up to a length of the JSON text: what is longer is refused anyway, so nobody looks at the rest of it, which
 * would stop every other call. Quotes, colons and commas are counted, escapes are not.
 */
export function inspectJson(value: unknown, maxLength: number): NoJson | 'too long' | undefined {
  const budget = { left: maxLength }
  try {
    if (isPlainJson(value, MOST_LEVELS, budget)) return budget.left < 0 ? 'too long' : undefined
    const walk: Walk = { path: [], above: [], left: maxLength }
    return explain(value, walk) ?? (walk.left < 0 ? 'too long' : undefined)
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
      budget.left -= value.length + 2
      return true
    case 'boolean':
      budget.left -= 4
      return true
    case 'number':
      budget.left -= 1
      return Number.isFinite(value)
    case 'object':
      if (value !== null) return levels > 0 && isPlainBranch(value, levels - 1, budget)
      budget.left -= 4
      return true
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
    budget.left -= branch.length + 1
    for (let index = 0; index < branch.length && budget.left >= 0; index += 1) {
      if (!isPlainJson(branch[index], levels, budget)) return false
    }
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(branch)
  if (prototype !== Object.prototype && prototype !== null) return false
  budget.left -= 1
  for (const key in branch) {
    const member = (branch as Record<string, unknown>)[key]
    if (member === undefined) continue
    budget.left -= key.length + 4
    if (budget.left < 0) break
    if (!isPlainJson(member, levels, budget)) return false
  }
  return true
}

/** Where the slower way is, and how much it may still look at. */
interface Walk extends Budget {
  readonly path: (string | number)[]
  readonly above: object[]
}

function explain(value: unknown, walk: Walk): NoJson | undefined {
  if (typeof value === 'object' && value !== null) return explainBranch(value, walk)
  const found = nameScalar(value)
  walk.left -= typeof value === 'string' ? value.length + 2 : 1
  return found === undefined ? undefined : toNoJson(found, walk)
}

function toNoJson(found: string, { path }: Walk): NoJson {
  return { pointer: formatPointer(path.map(String)), found }
}

function explainBranch(value: object, walk: Walk): NoJson | undefined {
  if (walk.above.includes(value)) return toNoJson('a circle: it contains itself', walk)
  walk.above.push(value)
  const found = explainInside(value, walk)
  walk.above.pop()
  return found
}

function explainInside(value: object, walk: Walk): NoJson | undefined {
  if (hasToJson(value) && !ArrayBuffer.isView(value)) {
    if (value instanceof Date && Number.isNaN(value.getTime())) {
      return toNoJson('an invalid Date', walk)
    }
    return explain(value.toJSON(String(walk.path.at(-1) ?? '')), walk)
  }
  walk.left -= 1
  if (Array.isArray(value)) {
    walk.left -= value.length
    for (let index = 0; index < value.length && walk.left >= 0; index += 1) {
      const found = explainMember(index, value[index], walk)
      if (found !== undefined) return found
    }
    return undefined
  }
  const builtIn = nameBuiltIn(value)
  if (builtIn !== undefined) return toNoJson(builtIn, walk)
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    walk.left -= key.length + 4
    if (walk.left < 0) return undefined
    const found = explainMember(key, member, walk)
    if (found !== undefined) return found
  }
  return undefined
}

function explainMember(key: string | number, member: unknown, walk: Walk): NoJson | undefined {
  walk.path.push(key)
  const found = explain(member, walk)
  walk.path.pop()
  return found
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
  // JSON takes an object around a number for the number.
  if (kind === 'Number' && !(Symbol.toStringTag in value)) return nameScalar(Number(value))
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
