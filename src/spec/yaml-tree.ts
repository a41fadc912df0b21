import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'

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
