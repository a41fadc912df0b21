import type { Json } from '../core/json.ts'
import { isRecord } from '../core/json.ts'

/*
 * Readers for documents nobody checked: each answers something usable or nothing, none throws, and
 * only own properties count (`__proto__` and `constructor` are keys like any other).
 */

/** A mapping of a document. */
export type Node = Record<string, unknown>

/** Gives the value of a key, or nothing when the holder is no mapping or lacks it. */
export function read(holder: unknown, key: string): unknown {
  return isRecord(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
}

/** Gives a mapping, or nothing. */
export function asNode(value: unknown): Node | undefined {
  return isRecord(value) ? value : undefined
}

/** Gives a text; numbers and booleans are written out, since YAML guesses types. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** Gives a text that is not blank. */
export function asFilledText(value: unknown): string | undefined {
  const text = asText(value)
  return text === undefined || text.trim() === '' ? undefined : text
}

/** Gives a finite number; numbers in quotes count. */
export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || !/^-?\d+(\.\d+)?$/.test(value.trim())) return undefined
  return Number(value)
}

/** Gives true for `true` and "true", which careless converters write. */
export function asFlag(value: unknown): boolean {
  return value === true || value === 'true'
}

/** Copies a value as plain JSON, or gives nothing when it is deeper or larger than allowed. */
export function toPlainJson(value: unknown, limits = { depth: 8, nodes: 200 }): Json | undefined {
  let nodes = 0
  let fits = true
  const copy = (node: unknown, depth: number): Json => {
    nodes += 1
    if (nodes > limits.nodes || depth > limits.depth) fits = false
    if (!fits || node === null || node === undefined) return null
    if (typeof node === 'string' || typeof node === 'boolean') return node
    if (typeof node === 'number') return Number.isFinite(node) ? node : String(node)
    if (Array.isArray(node)) return node.map((child) => copy(child, depth + 1))
    const pairs = Object.entries(node).map(([key, child]) => [key, copy(child, depth + 1)] as const)
    return Object.fromEntries(pairs)
  }
  const plain = copy(value, 0)
  return fits ? plain : undefined
}
