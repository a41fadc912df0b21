import { asFilledText, asNode, read, toPlainJson } from './node.ts'

/** Longest description of a tool or an argument. */
export const MAX_DESCRIPTION = 1024

/** Longest title of a tool or a group. */
export const MAX_TITLE = 120

/** Makes one line of plain text: HTML out, entities decoded, white space collapsed. */
export function cleanText(text: string): string {
  // Bounded first: nobody reads a megabyte, and the patterns below are linear in what is left.
  const bounded = text.length > 20_000 ? text.slice(0, 20_000) : text
  const unmarked = bounded.includes('<') ? stripTags(bounded) : bounded
  const decoded = unmarked.includes('&') ? decodeEntities(unmarked) : unmarked
  return UNTIDY.test(decoded) ? decoded.replace(WHITE, ' ').trim() : decoded
}

const UNTIDY = /^\s|\s$|\s\s|[^\S ]|[\p{Cc}\p{Cs}\u2028\u2029]/u
const WHITE = /[\p{Cc}\p{Cs}\u2028\u2029\s]+/gu

function stripTags(text: string): string {
  return text
    .replace(/<(script|style)\b[^<]*<\/\1>/gi, ' ')
    .replace(/<!--[^>]*-->/g, ' ')
    .replace(/<\/?(?:a|b|i|u|em|strong|code|span|sub|sup|tt|small)(?:\s[^<>]*)?>/gi, '')
    .replace(/<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>/gi, ' ')
}

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi,
    (whole: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
      const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
      return point <= 0x10ffff ? String.fromCodePoint(point) : ' '
    },
  )
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  mdash: '—',
  ndash: '–',
  hellip: '…',
}

/** Cuts a text at the end of a sentence, else at a word, so that it fits. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = text.slice(0, limit)
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('! '), head.lastIndexOf('? '))
  if (sentence > limit / 2) return head.slice(0, sentence + 1)
  const word = head.slice(0, limit - 1).lastIndexOf(' ')
  const kept = word > limit / 2 ? head.slice(0, word) : head.slice(0, limit - 1)
  return `${kept.replace(/[\ud800-\udbff]$/, '').trimEnd()}…`
}

/** Turns a name into words: `plot_id` becomes `Plot id`. */
export function humanize(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? 'Value' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Joins sentences; each but the last ends with a mark. */
export function joinSentences(parts: readonly (string | undefined)[]): string {
  const present = parts.filter((part) => part !== undefined && part !== '')
  return present
    .map((part, index) => {
      const isLast = index === present.length - 1
      return isLast || /[.!?…:;]$/.test(part ?? '') ? part : `${part}.`
    })
    .join(' ')
}

/** Shows a value in a description, cut at 120 characters. */
export function showValue(value: unknown): string | undefined {
  const plain = toPlainJson(value)
  if (plain === undefined || plain === null || plain === '') return undefined
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain)
  return cutText(cleanText(text), 120)
}

/** Finds the first example of a parameter, media type or schema. */
export function firstExample(node: unknown): unknown {
  const single = read(node, 'example') ?? read(node, 'x-example')
  if (single !== undefined) return single
  const several = read(node, 'examples')
  if (Array.isArray(several)) return several[0]
  const [first] = Object.values(asNode(several) ?? {})
  return read(first, 'value') ?? asFilledText(first)
}

/** Composes the description of an operation, and tells whether it was made up or cut. */
export function describeOperation(operation: {
  readonly node: unknown
  readonly method: string
  readonly path: string
  readonly returns?: string | undefined
  readonly override?: string | undefined
  readonly notes?: readonly string[]
}): { readonly text: string; readonly invented: boolean; readonly cut: boolean } {
  const { node, method, path, returns, override, notes = [] } = operation
  const description = cleanText(asFilledText(read(node, 'description')) ?? '')
  const summary = cleanText(asFilledText(read(node, 'summary')) ?? '')
  const given = override !== undefined ? [cleanText(override)] : distinct(summary, description)
  const invented = given.length === 0
  const made = `${method} ${humanizePath(path)}`
  const deprecated = read(node, 'deprecated') === true ? 'Deprecated: ' : ''
  const own = `${deprecated}${invented ? made : joinSentences(given)}`
  const text = cutText(own, MAX_DESCRIPTION)
  const extra = [...notes, returns === undefined ? undefined : `Returns: ${cleanText(returns)}`]
  const full = extra.reduce<string>((soFar, part) => {
    const next = joinSentences([soFar, part])
    return next.length <= MAX_DESCRIPTION ? next : soFar
  }, text)
  return { text: full, invented, cut: text.length < own.length }
}

/** Both texts when they differ; one that begins the other adds nothing. */
function distinct(summary: string, description: string): string[] {
  if (summary === '') return description === '' ? [] : [description]
  const bare = summary.replace(/(?<![.…])[.…]+$/, '').toLowerCase()
  return description === '' || description.toLowerCase().startsWith(bare)
    ? [description === '' ? summary : description]
    : [summary, description]
}

function humanizePath(path: string): string {
  const words = path.replace(/\{([^{}]*)\}/g, ' by $1 ').replace(/[^\p{L}\p{N}]+/gu, ' ')
  return words.trim() === '' ? path : words.trim().replace(/\s+/g, ' ')
}
