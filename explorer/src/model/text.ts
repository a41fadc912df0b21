/** A run of text inside a paragraph. */
interface Run {
  readonly text: string
  readonly style: 'plain' | 'code' | 'strong'
}

/** A paragraph, or one point of a list. */
export interface Block {
  readonly kind: 'paragraph' | 'item'
  readonly runs: readonly Run[]
}

const MARKED = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g

/** Reads the little Markdown that descriptions use: paragraphs, points, code and strong words. Nothing becomes HTML. */
export function parseText(text: string): readonly Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  let paragraph: string[] = []
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', runs: toRuns(paragraph.join(' ')) })
    paragraph = []
  }
  for (const line of lines) {
    const point = /^\s*[-*•]\s+(.*)$/.exec(line)
    if (point) {
      flush()
      blocks.push({ kind: 'item', runs: toRuns(point[1] ?? '') })
    } else if (line.trim() === '') flush()
    else paragraph.push(line.trim())
  }
  flush()
  return blocks
}

function toRuns(text: string): readonly Run[] {
  const runs: Run[] = []
  let from = 0
  for (const match of text.matchAll(MARKED)) {
    if (match.index > from) runs.push({ text: text.slice(from, match.index), style: 'plain' })
    const [whole, code, strong] = match
    runs.push(
      code === undefined ? { text: strong ?? '', style: 'strong' } : { text: code, style: 'code' },
    )
    from = match.index + whole.length
  }
  if (from < text.length) runs.push({ text: text.slice(from), style: 'plain' })
  return runs
}
