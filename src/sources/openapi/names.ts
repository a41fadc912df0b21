import { createHash } from 'node:crypto'
import { asList, groupBy } from '../../values/index.ts'
import { MAX_NAME_LENGTH } from '../tool-spec/index.ts'
import { asFilledText, read } from './node.ts'

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
export function toSpecToolName(
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

/** Takes a name, or the first numbered one that is free. */
export function takeName(
  wished: string,
  taken: Set<string>,
  numbered: (count: number) => string,
): string {
  let name = wished
  for (let count = 2; taken.has(name); count++) name = numbered(count)
  taken.add(name)
  return name
}

/** An operation that needs a name. */
interface Nameable {
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
    return toSpecToolName(operation, limit)
  })
  const groups = groupBy(wished.keys(), (index) => wished[index]?.name ?? '')
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

/** Chooses the domain of a document: from file name and title, else from the host, else `api`. */
export function chooseDomain(document: unknown, file?: string): string {
  const title = asFilledText(read(read(document, 'info'), 'title')) ?? ''
  const words = toSnake(title).split('_').filter(Boolean)
  const stem = stemOf(file)
  if (stem !== '' && stem === words[0] && isUsable(stem)) return stem.slice(0, MAX_LENGTH)
  const fromTitle = joinWords(words.filter((word) => !NOISE.test(word)))
  if (fromTitle !== '') return fromTitle
  const fromHost = joinWords(hostLabel(document))
  return fromHost === '' ? 'api' : fromHost
}

const MAX_LENGTH = 32
const NOISE =
  /^(the|a|an|api|apis|rest|restful|web|http|https|public|services?|openapi|swagger|specification|spec|documentation|docs|reference|v\d[\d_]*|\d+)$/

function stemOf(file: string | undefined): string {
  const name = (file ?? '').split(/[/\\]/).at(-1) ?? ''
  const stem = name.replace(/\.(ya?ml|json)$/i, '')
  const words = toSnake(stem).split('_')
  return words.filter((word) => !/^(openapi|swagger|api|spec|v\d.*|\d+)$/.test(word)).join('_')
}

function joinWords(words: readonly string[]): string {
  let domain = ''
  for (const word of words) {
    const next = domain === '' ? word : `${domain}_${word}`
    if (next.length > MAX_LENGTH) break
    domain = next
  }
  if (domain === '') domain = (words[0] ?? '').slice(0, MAX_LENGTH)
  const lettered = domain.replace(/^[^a-z]+/, '')
  return isUsable(lettered) ? lettered : ''
}

function isUsable(text: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(text)
}

/** The label before the public suffix: `api.zendesk.com` gives `zendesk`. */
function hostLabel(document: unknown): string[] {
  const server = asFilledText(read(asList(read(document, 'servers'))[0], 'url'))
  const host =
    asFilledText(read(document, 'host')) ?? /^(?:https?:)?\/\/([^/:{}]+)/i.exec(server ?? '')?.[1]
  const labels = (host ?? '').split('.').filter((label) => /[a-z]/i.test(label))
  const label =
    labels.length >= 3 && /^(co|com|org|net|gov|ac)$/.test(labels.at(-2) ?? '')
      ? labels.at(-3)
      : labels.at(-2)
  return label === undefined ? [] : toSnake(label).split('_')
}
