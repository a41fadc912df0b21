import type { Writer } from './writer.ts'

/** What people wrote between the marks of a generated file, by the name on the mark. */
export type CustomRegions = ReadonlyMap<string, readonly string[]>

/** Reads the regions of a file that was generated before. */
export function readRegions(text: string): CustomRegions {
  const regions = new Map<string, readonly string[]>()
  for (const { name, lines } of findRegions(text.split('\n'))) regions.set(name, lines)
  return regions
}

/** Gives a file without what people wrote, so that only changes outside the marks show. */
export function withoutRegions(text: string): string {
  if (!text.includes('// <custom ')) return text
  const lines = text.split('\n')
  for (const { start, end } of findRegions(lines).reverse())
    lines.splice(start + 1, end - start - 1)
  return lines.join('\n')
}

/** Writes a region: what was written before, or the code to begin with. */
export function writeRegion(
  writer: Writer,
  name: string,
  custom: CustomRegions,
  beginning: string,
): void {
  writer.line(`// <custom ${name}>`)
  const kept = custom.get(name)
  if (kept) writer.raw(kept)
  else writer.line(beginning)
  writer.line(`// </custom ${name}>`)
}

interface Region {
  readonly name: string
  /** Lines of the two marks. */
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

// No text of a document can look like a mark: it is always inside a literal or behind a `*`.
function findRegions(lines: readonly string[]): Region[] {
  const regions: Region[] = []
  let open: { name: string; start: number } | undefined
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*\/\/ <(\/?)custom ([A-Za-z0-9_$]+)>\s*$/.exec(line)
    const name = mark?.[2] ?? ''
    if (mark?.[1] === '' && open === undefined) open = { name, start: index }
    if (mark?.[1] === '/' && open?.name === name) {
      regions.push({ ...open, end: index, lines: lines.slice(open.start + 1, index) })
      open = undefined
    }
  }
  return regions
}
