import { fromToolName } from '../../../src/values/tool-spelling.ts'
import type { ToolSummary } from './types.ts'

/** A tool with what is searched in, lower-cased once. */
export interface IndexedTool {
  readonly tool: ToolSummary
  /** The name people know: the function name when the tool stands for one. */
  readonly label: string
  readonly group: string
  readonly nameText: string
  readonly fullText: string
}

/** Which behaviours to show. */
export type Filter = 'all' | 'readOnly' | 'changes' | 'destructive'

/** What is known of the functions that tools stand for. */
export interface KnownFunctions {
  readonly has: (name: string) => boolean
  /** Words to search in besides name and description, such as the names of parameters. */
  readonly words: (label: string) => string
}

/** Puts words into the form they are compared in: small letters without accents. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Prepares tools for searching, grouped and in the order of the list. */
export function buildIndex(
  tools: readonly ToolSummary[],
  known: KnownFunctions,
): readonly IndexedTool[] {
  const indexed = tools.map((tool) => {
    const label = toLabel(tool, known)
    const nameText = fold(`${label} ${tool.name}`)
    const fullText = `${nameText} ${fold(`${tool.description} ${known.words(label)}`)}`
    return { tool, label, group: toGroup(label), nameText, fullText }
  })
  return groupTogether(indexed)
}

/** Gives the name people know a tool by: its title, or the function it stands for. */
export function toLabel(
  { name, annotations }: ToolSummary,
  functions: Pick<KnownFunctions, 'has'> | undefined,
): string {
  const title = annotations?.title
  if (typeof title === 'string' && title !== '') return showHidden(title)
  const spelled = fromToolName(name)
  return spelled !== undefined && functions?.has(spelled) ? spelled : showHidden(name)
}

// Signs that nobody sees: controls, and those that turn the direction of what follows and so lie about a name.
const HIDDEN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu

/** Writes the hidden characters of a name out. */
function showHidden(name: string): string {
  return name.replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Gives the first segment of a name, when it has several. */
export function toGroup(label: string): string {
  const match = /^(.+?)(?:__|[./:])/.exec(label)
  return match?.[1] ?? ''
}

/** Finds tools that hold every word of a query, best name matches first. */
export function searchTools(
  index: readonly IndexedTool[],
  query: string,
  filter: Filter = 'all',
): readonly IndexedTool[] {
  const words = fold(query).split(/\s+/).filter(Boolean)
  const shown = filter === 'all' ? index : index.filter(({ tool }) => passes(tool, filter))
  if (words.length === 0) return shown
  const found = shown.filter(({ fullText }) => words.every((word) => fullText.includes(word)))
  const ranked = found.map((entry, order) => ({ entry, order, rank: rank(entry, words) }))
  ranked.sort((left, right) => left.rank - right.rank || left.order - right.order)
  return ranked.map(({ entry }) => entry)
}

function passes({ annotations = {} }: ToolSummary, filter: Filter): boolean {
  if (filter === 'readOnly') return annotations.readOnlyHint === true
  if (filter === 'changes') return annotations.readOnlyHint !== true
  // MCP's default: whoever does not say otherwise may destroy.
  return annotations.readOnlyHint !== true && annotations.destructiveHint !== false
}

function rank({ nameText }: IndexedTool, words: readonly string[]): number {
  const [first = ''] = words
  if (nameText.startsWith(first)) return 0
  const at = nameText.indexOf(first)
  if (at > 0 && /[^a-z0-9]/.test(nameText[at - 1] ?? '')) return 1
  return at > 0 ? 2 : 3
}

/** Puts the tools of a group next to one another without disturbing the order otherwise. */
function groupTogether(indexed: readonly IndexedTool[]): readonly IndexedTool[] {
  const groups = new Map<string, IndexedTool[]>()
  for (const entry of indexed) {
    const members = groups.get(entry.group)
    if (members) members.push(entry)
    else groups.set(entry.group, [entry])
  }
  return [...groups.values()].flat()
}
