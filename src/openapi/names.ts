import { createHash } from 'node:crypto'
import { MAX_NAME_LENGTH } from '../spec/patterns.ts'

/** Writes any text as snake_case letters and digits; empty when nothing of it is left. */
export function toSnake(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .toLowerCase()
}

/** Names an operation without regard to the others: from its id, else from method and path. */
export function toToolName(
  operation: {
    readonly operationId?: string | undefined
    readonly method: string
    readonly path: string
  },
  limit: number = MAX_NAME_LENGTH,
): { readonly name: string; readonly full: string } {
  const id = operation.operationId?.trim()
  const source = id && toSnake(id) !== '' ? id : pathSource(operation.method, operation.path)
  const plain = toSnake(source) || 'operation'
  const full = /^\d/.test(plain) ? `op_${plain}` : plain
  return { name: shorten(full, limit), full }
}

/** Cuts a name at a word to fit the limit; a hash of the whole keeps it unique. */
export function shorten(name: string, limit: number = MAX_NAME_LENGTH): string {
  if (name.length <= limit) return name
  return withSuffix(name, hash(name, 6), limit)
}

/** Appends a suffix inside the limit, cutting the name at a word when it must. */
export function withSuffix(name: string, suffix: string, limit: number = MAX_NAME_LENGTH): string {
  const room = limit - suffix.length - 1
  if (name.length <= room) return `${name}_${suffix}`
  const cut = name.slice(0, room + 1)
  const word = cut.lastIndexOf('_')
  // A single long word has no boundary worth keeping.
  const kept = word > room / 2 ? cut.slice(0, word) : name.slice(0, room)
  return `${kept.replace(/(?<!_)_+$/, '')}_${suffix}`
}

/** An operation that needs a name. */
export interface Nameable {
  readonly method: string
  readonly path: string
  readonly operationId?: string | undefined
  /** A name the document itself demands. */
  readonly fixedName?: string | undefined
}

/** A name and how it came about. */
export interface PlannedName {
  readonly name: string
  /** The name before it was cut, when it was. */
  readonly uncut?: string
  /** The name it would have had but for a clash. */
  readonly clashed?: string
}

/** Names operations so that no two share a name; only clash partners depend on one another. */
export function planNames(
  operations: readonly Nameable[],
  limit: number = MAX_NAME_LENGTH,
): PlannedName[] {
  const wished = operations.map((operation) => {
    const fixed = operation.fixedName === undefined ? '' : toSnake(operation.fixedName)
    if (fixed !== '')
      return { name: shorten(/^\d/.test(fixed) ? `op_${fixed}` : fixed, limit), full: fixed }
    return toToolName(operation, limit)
  })
  const groups = new Map<string, number[]>()
  for (const [index, { name }] of wished.entries()) {
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [index])
    else group.push(index)
  }
  const taken = new Set([...groups].filter(([, group]) => group.length === 1).map(([name]) => name))
  const planned: PlannedName[] = wished.map(({ name, full }) => ({
    name,
    ...(full.length > limit && { uncut: full }),
  }))
  for (const [name, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (group.length === 1) continue
    const methods = group.map((index) => operations[index]?.method.toLowerCase() ?? '')
    const separates = new Set(methods).size === group.length
    const candidates = methods.map((method) => withSuffix(name, method, limit))
    const isFree = separates && candidates.every((candidate) => !taken.has(candidate))
    for (const [position, index] of group.entries()) {
      const operation = operations[index]
      if (operation === undefined) continue
      const line = `${operation.method.toUpperCase()} ${operation.path}`
      const chosen = isFree ? (candidates[position] ?? name) : hashed(name, line, taken, limit)
      taken.add(chosen)
      planned[index] = { ...planned[index], name: chosen, clashed: name }
    }
  }
  return planned
}

function hashed(name: string, line: string, taken: ReadonlySet<string>, limit: number): string {
  for (let digits = 4; digits <= 32; digits += 4) {
    const candidate = withSuffix(name, hash(line, digits), limit)
    if (!taken.has(candidate)) return candidate
  }
  return withSuffix(name, hash(`${line} ${taken.size}`, 32), limit)
}

function pathSource(method: string, path: string): string {
  const words = path.replace(/\{([^{}]*)\}/g, '_by_$1_').replace(/[^\p{L}\p{N}]+/gu, '_')
  return `${method.toLowerCase()}_${words}`
}

function hash(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}
