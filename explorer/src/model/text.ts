/** A run of text inside a paragraph. */
export interface Run {
  readonly text: string
  readonly style: 'plain' | 'code' | 'strong' | 'emphasis'
  /** Where it leads: an http address and nothing else. */
  readonly href?: string
}

/** A paragraph, one point of a list, or text that keeps its lines. */
export type Block =
  | { readonly kind: 'paragraph' | 'heading' | 'item' | 'step'; readonly runs: readonly Run[] }
  | { readonly kind: 'code'; readonly text: string }

const MARKED =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]{1,300})\]\((https?:\/\/[^\s()]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]*[\w/])|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)/g
const LINES = [
  ['heading', /^\s{0,3}#{1,6}\s+(.*)$/],
  ['item', /^\s*[-*•+]\s+(.*)$/],
  ['step', /^\s*\d{1,3}[.)]\s+(.*)$/],
] as const

/** Reads the little Markdown that descriptions use; nothing becomes HTML, and no link leads anywhere but to http. */
export function parseText(text: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly kind: 'paragraph' | 'item' | 'step'; readonly lines: string[] } | undefined
  let code: string[] | undefined
  const flush = () => {
    if (open !== undefined) blocks.push({ kind: open.kind, runs: toRuns(open.lines.join(' ')) })
    open = undefined
    if (code !== undefined) blocks.push({ kind: 'code', text: code.join('\n') })
    code = undefined
  }
  const continueWith = (line: string) => {
    open ??= { kind: 'paragraph', lines: [] }
    open.lines.push(line.trim())
  }
  let fenced = false
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      flush()
      fenced = !fenced
      if (fenced) code = []
    } else if (fenced) code?.push(line)
    else if (line.trim() === '') flush()
    else if (/^\s*\|.*\|\s*$/.test(line)) {
      // A table stands best as it was written.
      if (code === undefined) flush()
      code ??= []
      code.push(line.trim())
    } else {
      const [kind, said] = readLine(line)
      if (kind !== undefined || code !== undefined) flush()
      if (kind === undefined) continueWith(line)
      else if (kind === 'heading') blocks.push({ kind, runs: toRuns(said) })
      else open = { kind, lines: [said] }
    }
  }
  flush()
  return blocks
}

/** Gives the first paragraph of a description without its marks, for where there is one line. */
export function toLine(text: string): string {
  const blocks = parseText(text.slice(0, 600))
  const first = blocks.find(({ kind }) => kind !== 'heading' && kind !== 'code') ?? blocks[0]
  if (first === undefined) return ''
  return first.kind === 'code' ? first.text : first.runs.map((run) => run.text).join('')
}

function readLine(line: string): readonly [kind: (typeof LINES)[number][0] | undefined, string] {
  for (const [kind, pattern] of LINES) {
    const match = pattern.exec(line)
    if (match) return [kind, match[1] ?? '']
  }
  return [undefined, line]
}

function toRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    if (match.index > from) runs.push({ text: text.slice(from, match.index), style: 'plain' })
    runs.push(toRun(match))
    from = match.index + match[0].length
  }
  if (from < text.length) runs.push({ text: text.slice(from), style: 'plain' })
  return runs
}

function toRun([whole, code, strong, label, target, address, emphasis]: RegExpExecArray): Run {
  if (code !== undefined) return { text: code, style: 'code' }
  if (strong !== undefined) return { text: strong, style: 'strong' }
  if (emphasis !== undefined) return { text: emphasis, style: 'emphasis' }
  const href = target ?? address
  return { text: label ?? whole, style: 'plain', ...(href !== undefined && { href }) }
}
