import { constructFromEvents, EVENT_ID, parseEvents, YAMLException } from 'js-yaml'
import { buildYamlTree, type YamlTreeNode } from './yaml-tree.ts'

/** A step into a value: a key of a mapping or an index of a list. */
export type Step = string | number

/** A place in the text, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Why a text is not one YAML document. */
export interface YamlFault extends Position {
  readonly code: 'E002' | 'E003' | 'E004'
  readonly message: string
  /** The duplicate key, for E003. */
  readonly key?: string
}

/** A YAML text with its value and the places of its nodes. */
export interface YamlSource {
  readonly value: unknown
  /** Finds the place of a value; for a missing one the nearest parent that is there. */
  locate(path: readonly Step[]): Position
  /** Finds the place of a key inside the mapping at `path`. */
  locateKey(path: readonly Step[], key: string): Position
}

/** What reading a YAML text gives. */
export type YamlResult =
  | { readonly ok: true; readonly source: YamlSource }
  | { readonly ok: false; readonly faults: readonly YamlFault[] }

/** Limits of the reader; a tool spec is far below all of them. */
export interface YamlLimits {
  readonly maxBytes?: number
  readonly maxDepth?: number
  /** Nodes after aliases are followed: what stops an alias bomb. */
  readonly maxNodes?: number
}

/** Parses YAML 1.2 (core schema), keeping positions; several documents and duplicate keys are faults. */
export function parseYaml(text: string, limits: YamlLimits = {}): YamlResult {
  const { maxBytes = 64 * 1024 * 1024, maxDepth = 200, maxNodes = 2_000_000 } = limits
  if (text.length > maxBytes) {
    return fail('E002', `the text is longer than ${maxBytes} characters`, { line: 1, column: 1 })
  }
  const lines = createLineIndex(text)
  try {
    const events = parseEvents(text, { maxDepth })
    const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT)
    if (documents.length > 1) return severalDocuments(text, lines)
    const tree = buildYamlTree(text, events, maxNodes)
    if (tree.faults.length > 0) {
      const faults = tree.faults.map(({ offset, ...fault }) => ({ ...fault, ...lines(offset) }))
      return { ok: false, faults }
    }
    const [value = null] = constructFromEvents(events, { source: text, json: true })
    return { ok: true, source: createSource(value, tree.root, lines) }
  } catch (thrown) {
    return toFault(thrown)
  }
}

type LineIndex = (offset: number) => Position

function createSource(value: unknown, root: YamlTreeNode, lines: LineIndex): YamlSource {
  const find = (path: readonly Step[]): YamlTreeNode => {
    let node = root
    for (const step of path) {
      const next =
        typeof step === 'number' ? node.items?.[step] : node.entries?.get(String(step))?.value
      if (next === undefined) return node
      node = next
    }
    return node
  }
  return {
    value,
    locate: (path) => lines(find(path).offset),
    locateKey: (path, key) => {
      const node = find(path)
      return lines(node.entries?.get(key)?.offset ?? node.offset)
    },
  }
}

function createLineIndex(text: string): LineIndex {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function severalDocuments(text: string, lines: LineIndex): YamlResult {
  const markers = Array.from(text.matchAll(/^---(?=\s|$)/gm), (match) => match.index)
  const startsWithMarker = !/\S/.test(text.slice(0, markers[0] ?? 0).replace(/^\s*[#%].*$/gm, ''))
  const second = markers[startsWithMarker ? 1 : 0] ?? markers[0] ?? 0
  return fail('E004', 'the file holds several YAML documents; one is expected', lines(second))
}

function toFault(thrown: unknown): YamlResult {
  if (!(thrown instanceof YAMLException)) throw thrown
  const { mark } = thrown
  return fail('E002', thrown.reason, {
    line: (mark?.line ?? 0) + 1,
    column: (mark?.column ?? 0) + 1,
  })
}

function fail(code: YamlFault['code'], message: string, at: Position): YamlResult {
  return { ok: false, faults: [{ code, message, ...at }] }
}
