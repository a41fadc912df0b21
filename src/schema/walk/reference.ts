import { createRecord, isRecord, resolvePointer } from '../../values/index.ts'

/** Points at something that stands elsewhere: `{ $ref: '#/components/errors/NotFound' }`. */
export interface Reference {
  readonly $ref: string
}

/** Finds what a reference names; undefined when it leads nowhere. */
export type FindReference = (ref: string) => unknown

/** A chain of references longer than this goes in circles. */
export const MAX_STEPS = 64

/** Where documents keep the schemas that others refer to by name. */
const NAMED = ['#/$defs/', '#/definitions/', '#/components/schemas/']

/** Tells a reference from the thing itself. */
export function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value['$ref'] === 'string'
}

/** Gives the address in a reference; undefined for anything else. */
export function addressOf(value: unknown): string | undefined {
  return isReference(value) ? value.$ref : undefined
}

/** Gives the JSON Pointer of a reference into its own document; undefined for anything else. */
export function localPointerOf(value: unknown): string | undefined {
  const address = addressOf(value)
  return address?.startsWith('#') ? decodePointer(address.slice(1)) : undefined
}

/** Writes a reference to an address. */
export function toReference(address: string): Reference & { readonly [keyword: string]: unknown } {
  return { $ref: address }
}

/** Copies an object without its reference: what is beside it. */
export function withoutReference(
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { $ref: _reference, ...beside } = value
  return beside
}

/** Gives the name in a reference to a named schema: `EventResource` for `#/components/schemas/EventResource`. */
export function referenceName(ref: string): string | undefined {
  const prefix = NAMED.find((candidate) => ref.startsWith(candidate))
  const name = prefix && ref.slice(prefix.length)
  return name === undefined || name === '' || name.includes('/') ? undefined : name
}

/** Gives the last part of an address, which is what people call the thing it leads to. */
export function referenceLabel(ref: string): string {
  return ref.slice(Math.max(ref.lastIndexOf('/'), ref.lastIndexOf('#')) + 1)
}

/** Undoes the percent-encoding of a fragment; text that is not encoded properly stays. */
export function decodeFragment(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}

/** Finds what a reference inside a document names. Many tools percent-encode the fragment; the plain reading goes first. */
export function resolveLocal(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  const pointer = ref.slice(1)
  const plain = resolvePointer(root, pointer)
  if (plain !== undefined || !pointer.includes('%')) return plain
  return (
    resolvePointer(root, decodePointer(pointer)) ?? resolvePointer(root, decodeFragment(pointer))
  )
}

/** Undoes the percent-encoding of a pointer step by step: a slash that was encoded is part of a name. */
function decodePointer(pointer: string): string {
  if (!pointer.includes('%')) return pointer
  const steps = pointer.split('/').map((step) => decodeFragment(step).replaceAll('/', '~1'))
  return steps.join('/')
}

/** Follows references inside a document to something that is not one; undefined when they lead nowhere or in circles. */
export function followReference(value: unknown, root: unknown): unknown {
  let current = value
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const address = addressOf(current)
    if (address === undefined) return current
    current = resolveLocal(root, address)
  }
  return undefined
}

interface Place {
  readonly value: unknown
  readonly key: string
  readonly above: Place | undefined
}

/** Calls back for every reference of a document, in its order. Aliases are entered once, and depth costs no stack. */
export function eachReference(
  document: unknown,
  visit: (ref: string, path: () => readonly string[]) => void,
  /** Members that are not entered. */
  skipped: ReadonlySet<string> = new Set(),
): void {
  const seen = new Set<unknown>()
  const open: Place[] = [{ value: document, key: '', above: undefined }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const address = addressOf(value)
    const here = place
    if (address !== undefined) visit(address, () => pathOf(here))
    for (const [key, member] of Object.entries(value).reverse())
      if (!skipped.has(key)) open.push({ value: member, key, above: place })
  }
}

function pathOf(place: Place): readonly string[] {
  const path: string[] = []
  for (let at = place; at.above !== undefined; at = at.above) path.push(at.key)
  return path.reverse()
}

/** Copies a document with other references. Aliases stay aliases, and depth costs no stack. */
export function mapReferences(root: unknown, change: (ref: string) => string): unknown {
  const copies = new Map<object, object>()
  const open: (readonly [source: object, copy: object])[] = []
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = copies.get(value)
    if (known !== undefined) return known
    const made: object = Array.isArray(value) ? [] : createRecord()
    copies.set(value, made)
    open.push([value, made])
    return made
  }
  const whole = copy(root)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, made] = next
    for (const [key, member] of Object.entries(source)) {
      const isAddress = key === '$ref' && typeof member === 'string'
      Reflect.set(made, key, isAddress ? change(member) : copy(member))
    }
  }
  return whole
}

/** Tells whether a value holds a reference anywhere; looking at its text is ten times as fast as walking it. */
export function hasReference(value: unknown): boolean {
  return JSON.stringify(value)?.includes('"$ref"') ?? false
}
