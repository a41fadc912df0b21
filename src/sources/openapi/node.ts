import type { FlattenContext, UnresolvedReference } from '../../schema/index.ts'
import { isRecord, type Json } from '../../values/index.ts'
import type { SpecProblem } from '../tool-spec/index.ts'

/*
 * Readers for unchecked documents: each answers something usable or nothing, none throws, and
 * only own properties count (`__proto__` and `constructor` are keys like any other).
 */

/** A mapping of a document. */
export type Node = Record<string, unknown>

/** Gives the value of a key, or nothing when the holder is not a mapping or lacks it. */
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

/** Something an import could not carry over, or a choice it made. */
export interface ImportWarning extends SpecProblem {
  /** Name of the tool it is about; absent for the document as a whole. */
  readonly tool?: string
}

/** Takes one warning about a place inside an operation. */
export type Warn = (code: string, message: string, place?: string) => void

/** Collects warnings; the same sentence about one operation becomes one warning with its places. */
export interface WarningList {
  /** Warns about the document. */
  readonly warn: Warn
  /** Makes a function that warns about one operation. */
  forTool(tool: string): Warn
  list(): ImportWarning[]
}

/** Creates an empty collection. */
export function createWarnings(file: string): WarningList {
  const groups: Group[] = []
  const forTool = (tool: string | undefined): Warn => {
    const known = new Map<string, Group>()
    return (code, message, place = '') => {
      const group = known.get(message)
      if (group && group.code === code) {
        group.count += 1
        if (group.places.length < MAX_PLACES) group.places.push(place)
        return
      }
      const fresh = { tool, code, message, places: [place], count: 1 }
      known.set(message, fresh)
      groups.push(fresh)
    }
  }
  return {
    warn: forTool(undefined),
    forTool,
    list: () => groups.map((group) => toWarning(group, file)),
  }
}

interface Group {
  readonly tool: string | undefined
  readonly code: string
  readonly message: string
  readonly places: string[]
  count: number
}

const MAX_PLACES = 6

function toWarning({ tool, code, message, places, count }: Group, file: string): ImportWarning {
  const [first = '', ...others] = [...new Set(places)]
  const rest = count - places.length
  const more = rest > 0 ? [...others, `${rest} more`] : others
  return {
    severity: 'warning',
    code,
    file,
    line: 0,
    column: 0,
    path: [tool, first].filter(Boolean).join('.'),
    message: more.length === 0 ? message : `${message} (and ${more.join(', ')})`,
    ...(tool !== undefined && { tool }),
  }
}

/** Warns about a reference that leads nowhere: W112 inside the document, W114 outside. */
export function warnUnresolved(warn: Warn, failed: UnresolvedReference, place: string): void {
  const { ref, isExternal, reason } = failed
  const message = `the reference "${ref.slice(0, 200)}" cannot be followed: ${reason}`
  warn(isExternal ? 'W114' : 'W112', message, place)
}

/** What schemas of one tool are read with, and where the reading stands. */
export interface ReadContext extends FlattenContext {
  readonly warn: Warn
}

/** Warns about what is lost where the reading stands. */
export function lose({ warn, place }: ReadContext, message: string, code = 'W101'): void {
  warn(code, message, place)
}

/** Lets what schemas lose become warnings. */
export function withWarn(
  context: Omit<FlattenContext, 'onLost' | 'onCycle' | 'onUnresolved'>,
  warn: Warn,
): ReadContext {
  return {
    ...context,
    warn,
    onLost: (message, place) => warn('W101', message, place),
    onCycle: (message, place) => warn('W102', message, place),
    onUnresolved: (failed, place) => warnUnresolved(warn, failed, place),
  }
}
