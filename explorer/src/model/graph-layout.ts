import type { PictureCapability, PictureOperation } from './capability-picture.ts'

/** A rectangle of the picture. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A capability at its place. */
export interface PlacedCapability extends Box {
  readonly id: string
  readonly capability: PictureCapability
}

/** An operation at its place. */
export interface PlacedOperation extends Box {
  readonly id: string
  readonly owner: string
  readonly operation: PictureOperation
}

/** A line between two of them; `alive` when it means something in this negotiation. */
export interface PlacedEdge {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly alive: boolean
}

/** The picture as coordinates. */
export interface Layout {
  readonly width: number
  readonly height: number
  /** What all names begin with; undefined when there are several beginnings. */
  readonly space: string | undefined
  readonly headings: readonly { readonly x: number; readonly text: string }[]
  /** Each root is followed by what extends it. */
  readonly capabilities: readonly PlacedCapability[]
  readonly operations: readonly PlacedOperation[]
  readonly edges: readonly PlacedEdge[]
  /** What was left to the table. */
  readonly left: { readonly capabilities: number; readonly operations: number }
}

const NODE = { width: 204, height: 66, gap: 14 }
/** A line more, for the names of services when there are several. */
const TALL = 82
const ROW = { width: 264, height: 36 }
const COLUMN_GAP = 46
const GROUP_GAP = 22
const TOP = 34
const MARGIN = 2
/** A picture of more would help nobody. */
const MAX_DRAWN = 150
const MAX_ROWS = 14

/** Places extensions left of what they extend, roots in one column, operations right of their root. */
export function layOut(all: readonly PictureCapability[]): Layout {
  const spaces = new Set(all.map(({ space }) => space))
  const nodeHeight = spaces.size > 1 ? TALL : NODE.height
  const tree = buildTree(all, nodeHeight)
  const columns = Math.max(0, ...[...tree.known.keys()].map(tree.depthOf))
  const columnX = (depth: number) => MARGIN + (columns - depth) * (NODE.width + COLUMN_GAP)
  const capabilities: PlacedCapability[] = []
  const operations: PlacedOperation[] = []
  const rowX = columnX(0) + NODE.width + COLUMN_GAP

  function place(name: string, top: number): void {
    const capability = tree.known.get(name)
    if (capability === undefined) return
    const block = tree.heightOf(name)
    const x = columnX(tree.depthOf(name))
    const y = top + (block - nodeHeight) / 2
    capabilities.push({ id: name, capability, x, y, width: NODE.width, height: nodeHeight })
    const rows = capability.operations.slice(0, MAX_ROWS)
    const rowTop = top + (block - rows.length * ROW.height) / 2
    for (const [at, operation] of rows.entries()) {
      const id = `${name} ${operation.id}`
      operations.push({ id, owner: name, operation, x: rowX, y: rowTop + at * ROW.height, ...ROW })
    }
    const children = tree.children.get(name) ?? []
    let next = top + (block - tree.stackOf(children)) / 2
    for (const child of children) {
      place(child, next)
      next += tree.heightOf(child) + NODE.gap
    }
  }

  let bottom = TOP
  for (const head of tree.heads) {
    place(head, bottom)
    bottom += tree.heightOf(head) + GROUP_GAP
  }
  return {
    width: rowX + (operations.length > 0 ? ROW.width : -COLUMN_GAP) + MARGIN,
    height: Math.max(TOP, bottom - GROUP_GAP) + MARGIN,
    space: spaces.size > 1 ? undefined : [...spaces][0],
    headings: [
      ...(columns > 0 ? [{ x: columnX(columns), text: 'Extensions' }] : []),
      { x: columnX(0), text: 'Capabilities' },
      ...(operations.length > 0 ? [{ x: rowX, text: 'Operations' }] : []),
    ],
    capabilities,
    operations,
    edges: [...linkParents(capabilities), ...linkOperations(capabilities, operations)],
    left: {
      capabilities: all.length - capabilities.length,
      operations: capabilities.reduce(
        (sum, { capability }) => sum + Math.max(0, capability.operations.length - MAX_ROWS),
        0,
      ),
    },
  }
}

interface Tree {
  readonly known: ReadonlyMap<string, PictureCapability>
  /** What stands in no other's group: roots, and extensions that only extend each other. */
  readonly heads: readonly string[]
  readonly children: ReadonlyMap<string, readonly string[]>
  /** How many columns it stands left of the roots. */
  readonly depthOf: (name: string) => number
  readonly heightOf: (name: string) => number
  readonly stackOf: (names: readonly string[]) => number
}

function buildTree(all: readonly PictureCapability[], nodeHeight: number): Tree {
  const byName = new Map(all.map((capability) => [capability.name, capability]))
  const extenders = listExtenders(all)
  const known = new Map<string, PictureCapability>()
  const children = new Map<string, string[]>()
  const heads: string[] = []

  // Down from each head in turn: what was reached is never reached again, so circles end.
  function grow(head: string): void {
    const capability = byName.get(head)
    if (capability === undefined || known.has(head) || known.size >= MAX_DRAWN) return
    heads.push(head)
    known.set(head, capability)
    const open = [head]
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      for (const child of extenders.get(name) ?? []) {
        const extension = byName.get(child)
        if (extension === undefined || known.has(child) || known.size >= MAX_DRAWN) continue
        known.set(child, extension)
        children.set(name, [...(children.get(name) ?? []), child])
        open.push(child)
      }
    }
  }

  // Where not all can be drawn, those that say most come first.
  const roots = all.filter(({ parents }) => parents === undefined)
  for (const { name, state } of roots) if (state === 'active') grow(name)
  for (const { name } of roots) if (extenders.has(name)) grow(name)
  for (const { name, parents } of all) if (parents !== undefined) grow(name)
  for (const { name } of roots) grow(name)

  return {
    known,
    heads,
    children,
    depthOf: createDepths(known),
    ...createHeights(known, children, nodeHeight),
  }
}

/** One column further than the furthest parent, so that every line leads to the right. */
function createDepths(known: ReadonlyMap<string, PictureCapability>): (name: string) => number {
  const depths = new Map<string, number>()
  return function depthOf(name) {
    const measured = depths.get(name)
    if (measured !== undefined) return measured
    // Extensions that extend each other meet this zero on their way round.
    depths.set(name, 0)
    const parents = known.get(name)?.parents?.filter((parent) => known.has(parent)) ?? []
    const depth = Math.max(0, ...parents.map((parent) => depthOf(parent) + 1))
    depths.set(name, depth)
    return depth
  }
}

function createHeights(
  known: ReadonlyMap<string, PictureCapability>,
  children: ReadonlyMap<string, readonly string[]>,
  nodeHeight: number,
): Pick<Tree, 'heightOf' | 'stackOf'> {
  const heights = new Map<string, number>()
  const stackOf = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + heightOf(name) + NODE.gap, names.length > 0 ? -NODE.gap : 0)
  function heightOf(name: string): number {
    const measured = heights.get(name)
    if (measured !== undefined) return measured
    const rows = Math.min(MAX_ROWS, known.get(name)?.operations.length ?? 0)
    const height = Math.max(nodeHeight, rows * ROW.height, stackOf(children.get(name) ?? []))
    heights.set(name, height)
    return height
  }
  return { heightOf, stackOf }
}

function listExtenders(all: readonly PictureCapability[]): ReadonlyMap<string, readonly string[]> {
  const extenders = new Map<string, string[]>()
  for (const { name, parents } of all) {
    for (const parent of parents ?? []) {
      const list = extenders.get(parent)
      if (list === undefined) extenders.set(parent, [name])
      else list.push(name)
    }
  }
  return extenders
}

function linkParents(placed: readonly PlacedCapability[]): readonly PlacedEdge[] {
  const at = new Map(placed.map((one) => [one.id, one]))
  return placed.flatMap((child) =>
    (child.capability.parents ?? []).flatMap((name) => {
      const parent = at.get(name)
      if (parent === undefined || parent === child) return []
      const alive = child.capability.state === 'active' && parent.capability.state === 'active'
      return [{ from: child.id, to: name, path: drawCurve(child, parent), alive }]
    }),
  )
}

function linkOperations(
  placed: readonly PlacedCapability[],
  operations: readonly PlacedOperation[],
): readonly PlacedEdge[] {
  const at = new Map(placed.map((one) => [one.id, one]))
  return operations.flatMap((row) => {
    const owner = at.get(row.owner)
    if (owner === undefined) return []
    return [
      { from: row.owner, to: row.id, path: drawCurve(owner, row), alive: row.operation.callable },
    ]
  })
}

/** From the right side of one box to the left side of the other. */
function drawCurve(from: Box, to: Box): string {
  const start = { x: from.x + from.width, y: from.y + from.height / 2 }
  const end = { x: to.x, y: to.y + to.height / 2 }
  const bend = Math.max(COLUMN_GAP / 2, (end.x - start.x) / 2)
  return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`
}
