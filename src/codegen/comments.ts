import type { Doc } from '../schema/index.ts'
import { LINE_WIDTH, revealHidden } from './literals.ts'

const MAX_LINES = 40

/** Prints a doc comment as lines, or none when there is nothing to say. */
export function toDocLines(doc: Doc, indent = ''): string[] {
  const width = LINE_WIDTH - indent.length - 3
  const text = wrapText(doc.text ?? '', width)
  const tags = (doc.tags ?? []).map(({ name, text: said }) => {
    return `@${name}${said === undefined ? '' : ` ${escapeComment(said).replace(/\s+/g, ' ').trim()}`}`
  })
  const lines = [...text, ...tags]
  if (lines.length === 0) return []
  const [only] = lines
  if (lines.length === 1 && only !== undefined && only.length <= width - 4)
    return [`${indent}/** ${only} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}

function wrapText(text: string, width: number): string[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const lines = trimmed
    .split(/\r\n|[\n\r\u2028\u2029\u0085]/)
    .flatMap((line) => wrapLine(escapeComment(line).trimEnd(), width))
  const kept = lines.slice(0, MAX_LINES)
  if (lines.length > MAX_LINES) kept.push('…')
  return kept.map(disarm)
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width)
    const cut = space > width / 3 ? space : rest.indexOf(' ', width)
    if (cut === -1) break
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut + 1).trimStart()
  }
  return [...lines, rest]
}

/** Writes text so that it cannot end the comment it stands in. */
export function escapeComment(text: string): string {
  return revealHidden(text.replaceAll('\t', '  ')).replaceAll('*/', '*\\/')
}

// At the start of a line `@ts-expect-error` and its kin are orders to the compiler, and any other tag
// would be read as one of ours.
function disarm(line: string): string {
  if (!/^\s*[@/]/.test(line)) return line
  return line.replace(/^(\s*)@/, '$1\\@').replace(/^\/(?=$|\/|\*)/, '\\/')
}
