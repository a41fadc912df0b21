/** Any value JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** A length of time as Forrst writes it. */
export interface Duration {
  readonly value: number
  readonly unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
}

/** Reads JSON that was written by ourselves or is decoded next; what came as bytes goes through `wire/json.ts`. */
export function fromJson(text: string): Json {
  return JSON.parse(text) as Json
}

/** Reads text that may not be JSON; `otherwise` stands for what is none. */
export function tryJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** Leaves out the members that are undefined: an optional member is there with a value, or not at all. */
export function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const present = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [Name in keyof Members]?: never }
}

/** Adds an item to the list under a key, which it begins where there is none. */
export function pushTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

/** Sorts items into lists by a key, each in the order they came in. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const lists = new Map<Key, Item[]>()
  for (const item of items) pushTo(lists, keyOf(item), item)
  return lists
}

/** Writes a JSON value as text that is the same for equal values: neither the order of members nor undefined ones count. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`
  // What writes itself is not what its members say: a file has none.
  if (!isRecord(value) || 'toJSON' in value) return JSON.stringify(value) ?? 'null'
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${toCanonicalJson(value[name])}`)
  return `{${members.join(',')}}`
}

/** Makes a record without a prototype, so that no key from outside meets what every object inherits. */
export function createRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

/** Looks up a name from outside; what every object inherits, such as `constructor`, is not there. */
export function ownMember<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}

/** Tells whether a value is a list; `Array.isArray` would make its items `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Tells whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gives an object, or an empty one for anything else. */
export function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/** Gives a list, or an empty one: a document of others may hold anything. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Gives the members of an object, or none. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : []
}

/** Writes path segments as an RFC 6901 JSON Pointer. */
export function formatPointer(segments: readonly string[]): string {
  return segments.map((segment) => `/${escapeSegment(segment)}`).join('')
}

/** Reads an RFC 6901 JSON Pointer into its segments; undefined when it is none. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer.slice(1).split('/').map(unescapeSegment)
}

/** Follows a JSON Pointer through own members only; undefined when it leads nowhere. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  const segments = parsePointer(pointer)
  if (segments === undefined) return undefined
  return segments.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
        ? (value as Record<string, unknown>)[segment]
        : undefined,
    document,
  )
}

/** Cuts a pointer to what stands above its first segment beyond reason: names come from outside. */
export function shortenPointer(pointer: string): string {
  if (pointer.length <= LONGEST_POINTER) return pointer
  return pointer.slice(0, pointer.slice(0, LONGEST_POINTER).lastIndexOf('/'))
}

const LONGEST_POINTER = 1000

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Undoes the escapes of one segment of a JSON Pointer. */
export function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Writes any value as text, and never throws. `String` does: a document from outside may hold an object whose
 * `toString` is not a function.
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- no object reaches this line
    if (typeof value !== 'object' || value === null) return String(value)
    return JSON.stringify(value) ?? NAMELESS
  } catch {
    return NAMELESS
  }
}

/** Says why something failed, and never throws: the message of an error, anything else that was thrown as text. */
export function toReason(thrown: unknown): string {
  try {
    return thrown instanceof Error ? toText(thrown.message) || thrown.name : toText(thrown)
  } catch {
    // A getter of an error may throw, and a proxy does not even tell whether it is one.
    return NAMELESS
  }
}

/** Cuts a foreign name before it is repeated in an answer or a log line: it may be as long as a whole request. */
export function toShort(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

const NAMELESS = 'an object that cannot be shown'
