import {
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml'

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
  const { maxBytes = 64 * 1024 * 1024, maxDepth = 200, maxNodes = 5_000_000 } = limits
  if (text.length > maxBytes) {
    return fail('E002', `the text is longer than ${maxBytes} characters`, { line: 1, column: 1 })
  }
  const lines = createLineIndex(text)
  try {
    const events = parseEvents(text, { maxDepth })
    const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT)
    if (documents.length > 1) return severalDocuments(text, lines)
    const tree = buildTree(text, events, maxNodes)
    if (tree.faults.length > 0) {
      return {
        ok: false,
        faults: tree.faults.map((fault) => ({ ...fault, ...lines(fault.offset) })),
      }
    }
    const [value = null] = constructFromEvents(events, { source: text, json: true })
    return { ok: true, source: createSource(value, tree.root, lines) }
  } catch (thrown) {
    return toFault(thrown)
  }
}

type LineIndex = (offset: number) => Position

interface Node {
  readonly offset: number
  readonly entries?: Map<string, Entry>
  readonly items?: Node[]
}

interface Entry {
  readonly offset: number
  readonly value: Node
}

interface TreeFault {
  readonly code: 'E002' | 'E003'
  readonly message: string
  readonly key?: string
  readonly offset: number
}

function createSource(value: unknown, root: Node, lines: LineIndex): YamlSource {
  const find = (path: readonly Step[]): Node => {
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

interface Frame {
  readonly node: Node
  readonly anchor: string | undefined
  /** The key that waits for its value, inside a mapping. */
  key: { text: string; offset: number } | undefined
  size: number
}

/** Places of all nodes, plus what the value alone cannot tell: duplicate keys and alias growth. */
function buildTree(
  text: string,
  events: readonly Event[],
  maxNodes: number,
): { readonly root: Node; readonly faults: readonly TreeFault[] } {
  const faults: TreeFault[] = []
  const anchors = new Map<string, { node: Node; size: number }>()
  const open: Frame[] = []
  let root: Node = { offset: 0 }
  let last = 0

  const place = (node: Node, size: number, keyText: string | undefined): void => {
    const frame = open.at(-1)
    if (frame === undefined) {
      root = node
      return
    }
    frame.size += size
    if (frame.size > maxNodes) throw new YAMLException(`aliases expand to over ${maxNodes} values`)
    if (frame.node.items) frame.node.items.push(node)
    else if (frame.key === undefined) frame.key = { text: keyText ?? '', offset: node.offset }
    else closePair(frame, node)
  }
  const closePair = (frame: Frame, value: Node): void => {
    const { text: key, offset } = frame.key ?? { text: '', offset: 0 }
    frame.key = undefined
    if (frame.node.entries?.has(key)) {
      faults.push({ code: 'E003', message: `the key "${key}" is there twice`, key, offset })
    } else frame.node.entries?.set(key, { offset, value })
  }
  const anchorOf = (event: { anchorStart: number; anchorEnd: number }): string | undefined =>
    event.anchorStart < 0 ? undefined : text.slice(event.anchorStart, event.anchorEnd)

  for (const event of events) {
    if (event.type === EVENT_ID.SCALAR) {
      const quoted =
        event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
      if (event.valueStart >= 0) last = event.valueStart - (quoted ? 1 : 0)
      const node = { offset: last }
      const anchor = anchorOf(event)
      if (anchor !== undefined) anchors.set(anchor, { node, size: 1 })
      const isKey = open.at(-1)?.node.entries !== undefined && open.at(-1)?.key === undefined
      place(node, 1, isKey ? getScalarValue(text, event) : undefined)
    } else if (event.type === EVENT_ID.ALIAS) {
      const name = text.slice(event.anchorStart, event.anchorEnd)
      const target = anchors.get(name)
      if (target === undefined) throw new YAMLException(`the alias *${name} has no finished anchor`)
      place({ ...target.node, offset: event.anchorStart - 1 }, target.size, undefined)
    } else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      last = event.start
      const inside = event.type === EVENT_ID.MAPPING ? { entries: new Map() } : { items: [] }
      open.push({
        node: { offset: event.start, ...inside },
        anchor: anchorOf(event),
        key: undefined,
        size: 1,
      })
    } else if (event.type === EVENT_ID.POP) {
      const frame = open.pop()
      if (frame === undefined) continue
      if (frame.anchor !== undefined) anchors.set(frame.anchor, frame)
      place(frame.node, frame.size, '')
    }
  }
  return { root, faults }
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
