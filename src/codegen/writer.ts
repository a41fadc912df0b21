import type { Doc } from '../schema/index.ts'
import { toDocLines } from './literals.ts'

/** Collects source text line by line, with the indentation and the blank lines in one place. */
export interface Writer {
  /** Adds lines at the current indentation; text with line breaks keeps its own. */
  readonly line: (...lines: readonly string[]) => void
  /** Adds lines as they are. */
  readonly raw: (lines: readonly string[]) => void
  /** Adds one blank line, never two. */
  readonly gap: () => void
  readonly doc: (doc: Doc) => void
  /** Adds an opening and a closing line, and between them what `body` writes one level deeper. */
  readonly block: (open: string, close: string, body: () => void) => void
  /** What a line starts with now. */
  readonly indent: () => string
  readonly toString: () => string
}

/** Creates an empty writer. */
export function createWriter(): Writer {
  const lines: string[] = []
  let indent = ''

  const writer: Writer = {
    line: (...added) => {
      for (const line of added) lines.push(line === '' ? '' : indent + line)
    },
    raw: (added) => {
      for (const line of added) lines.push(line)
    },
    gap: () => {
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('')
    },
    doc: (doc) => {
      lines.push(...toDocLines(doc, indent))
    },
    block: (open, close, body) => {
      writer.line(open)
      indent += '  '
      body()
      indent = indent.slice(2)
      writer.line(close)
    },
    indent: () => indent,
    toString: () => `${lines.join('\n').trimEnd()}\n`,
  }
  return writer
}
