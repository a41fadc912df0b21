import {
  constructFromEvents,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml'

/** A node of a YAML text with the offset where it starts. */
export interface YamlTreeNode {
  readonly offset: number
  /** Of a mapping: each key with the place of the key and its value. */
  readonly entries?: Map<string, { readonly offset: number; readonly value: YamlTreeNode }>
  /** Of a list. */
  readonly items?: YamlTreeNode[]
}

/** What the values alone cannot tell. */
export interface YamlTreeFault {
  readonly code: 'E002' | 'E003'
  readonly message: string
  /** The key, when it is there twice. */
  readonly key?: string
  readonly offset: number
}

/** Finds the places of all nodes, duplicate keys, and aliases that grow without end. */
export function buildYamlTree(
  text: string,
  events: readonly Event[],
  maxNodes: number,
): { readonly root: YamlTreeNode; readonly faults: readonly YamlTreeFault[] } {
  const state: State = {
    text,
    maxNodes,
    faults: [],
    anchors: new Map(),
    open: [],
    last: 0,
    root: { offset: 0 },
  }
  for (const event of events) {
    take(state, event)
    // An alias bomb must stop the walk, not only be noted.
    if (state.faults.at(-1)?.code === 'E002') break
  }
  return state
}

interface State {
  readonly text: string
  readonly maxNodes: number
  readonly faults: YamlTreeFault[]
  readonly anchors: Map<string, { readonly node: YamlTreeNode; readonly size: number }>
  readonly open: Frame[]
  /** Start of the last node; an empty value has no start of its own. */
  last: number
  root: YamlTreeNode
}

interface Frame {
  readonly node: YamlTreeNode
  readonly anchor: string | undefined
  /** The key that waits for its value, inside a mapping. */
  key: { readonly text: string; readonly offset: number } | undefined
  /** Nodes inside, aliases followed. */
  size: number
}

function take(state: State, event: Event): void {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      takeScalar(state, event)
      break
    case EVENT_ID.ALIAS:
      takeAlias(state, event)
      break
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE: {
      state.last = event.start
      const inside = event.type === EVENT_ID.MAPPING ? { entries: new Map() } : { items: [] }
      const node = { offset: event.start, ...inside }
      state.open.push({ node, anchor: anchorOf(state, event), key: undefined, size: 1 })
      break
    }
    case EVENT_ID.POP: {
      const frame = state.open.pop()
      if (frame?.anchor !== undefined) state.anchors.set(frame.anchor, frame)
      if (frame !== undefined) place(state, frame.node, frame.size, '')
      break
    }
    case EVENT_ID.DOCUMENT:
      break
  }
}

function takeScalar(state: State, event: Extract<Event, { type: 4 }>): void {
  const { style, valueStart } = event
  const quoted = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
  if (valueStart >= 0) state.last = valueStart - (quoted ? 1 : 0)
  const node = { offset: state.last }
  const anchor = anchorOf(state, event)
  if (anchor !== undefined) state.anchors.set(anchor, { node, size: 1 })
  const frame = state.open.at(-1)
  const isKey = frame?.node.entries !== undefined && frame.key === undefined
  place(state, node, 1, isKey ? getScalarValue(state.text, event) : '')
}

function takeAlias(state: State, event: Extract<Event, { type: 5 }>): void {
  const name = state.text.slice(event.anchorStart, event.anchorEnd)
  const offset = event.anchorStart - 1
  const target = state.anchors.get(name)
  if (target === undefined) {
    const message = `the alias *${name} points at nothing before it that is complete`
    state.faults.push({ code: 'E002', message, offset })
  } else place(state, { ...target.node, offset }, target.size, '')
}

/** Puts a finished node into what is open: as element, as key, or as the value of the key. */
function place(state: State, node: YamlTreeNode, size: number, keyText: string): void {
  const frame = state.open.at(-1)
  if (frame === undefined) {
    state.root = node
    return
  }
  frame.size += size
  if (frame.size > state.maxNodes) {
    const message = `the text grows to more than ${state.maxNodes} values`
    state.faults.push({ code: 'E002', message, offset: node.offset })
  } else if (frame.node.items) frame.node.items.push(node)
  else if (frame.key === undefined) frame.key = { text: keyText, offset: node.offset }
  else closePair(state, frame, frame.key, node)
}

function closePair(
  state: State,
  frame: Frame,
  key: { readonly text: string; readonly offset: number },
  value: YamlTreeNode,
): void {
  frame.key = undefined
  if (frame.node.entries?.has(key.text)) {
    const message = `the key "${key.text}" is there twice`
    state.faults.push({ code: 'E003', message, key: key.text, offset: key.offset })
  } else frame.node.entries?.set(key.text, { offset: key.offset, value })
}

function anchorOf(
  state: State,
  event: { readonly anchorStart: number; readonly anchorEnd: number },
): string | undefined {
  return event.anchorStart < 0 ? undefined : state.text.slice(event.anchorStart, event.anchorEnd)
}

/** A step into a value: a key of a mapping or an index of a list. */
export type PathStep = string | number

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
  locate(path: readonly PathStep[]): Position
  /** Finds the place of a key inside the mapping at `path`. */
  locateKey(path: readonly PathStep[], key: string): Position
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
  const find = (path: readonly PathStep[]): YamlTreeNode => {
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
