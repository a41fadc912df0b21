import { isDeepStrictEqual } from 'node:util'
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { asRecord, isRecord, ownMember } from '../../values/index.ts'
import { formatPath, type SpecProblem } from './finding.ts'
import { parseToolSpec } from './parse.ts'
import type { ToolSpec } from './types.ts'
import type { PathStep } from './yaml.ts'

/** An entry of a list whose members have names: tool, field or trigger. */
interface NamedEntry {
  readonly name: string
  readonly [key: string]: unknown
}

/** The same entry on all three sides; undefined is absence. */
interface AlignedEntry {
  readonly base: NamedEntry | undefined
  readonly edited: NamedEntry | undefined
  readonly incoming: NamedEntry | undefined
  /** Index in the edited list. */
  readonly index: number | undefined
}

/** Tells whether a value is a list of entries with names. */
function isNamedList(value: unknown): value is NamedEntry[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => isRecord(entry) && typeof entry['name'] === 'string')
  )
}

/**
 * Lines up three lists by name, in the order of the edited one with new entries after their
 * predecessor. A tool that got another name is still the same when method and path say so.
 */
function alignByName(
  base: readonly NamedEntry[],
  edited: readonly NamedEntry[],
  incoming: readonly NamedEntry[],
): AlignedEntry[] {
  const inIncoming = matchTo(base, incoming)
  const baseOf = (match: ReadonlyMap<NamedEntry, NamedEntry>): Map<NamedEntry, NamedEntry> =>
    new Map(Array.from(match, ([from, to]) => [to, from]))
  const editedToBase = baseOf(matchTo(base, edited))
  const incomingToBase = baseOf(inIncoming)
  const freshByName = new Map(
    incoming
      .filter((entry) => !incomingToBase.has(entry))
      .map((entry) => [identityOf(entry), entry]),
  )
  const rows: AlignedEntry[] = edited.map((entry, index) => {
    const origin = editedToBase.get(entry)
    const partner =
      origin === undefined ? freshByName.get(identityOf(entry)) : inIncoming.get(origin)
    return { base: origin, edited: entry, incoming: partner, index }
  })
  let position = 0
  for (const entry of incoming) {
    const at = rows.findIndex((row) => row.incoming === entry)
    if (at >= 0) {
      position = at + 1
      continue
    }
    const origin = incomingToBase.get(entry)
    rows.splice(position, 0, { base: origin, edited: undefined, incoming: entry, index: undefined })
    position += 1
  }
  return rows
}

/** Finds the partner of each base entry: by name, else by method and path when that is unique. */
function matchTo(
  base: readonly NamedEntry[],
  other: readonly NamedEntry[],
): Map<NamedEntry, NamedEntry> {
  const matches = new Map<NamedEntry, NamedEntry>()
  const byName = new Map(other.map((entry) => [identityOf(entry), entry]))
  for (const entry of base) {
    const partner = byName.get(identityOf(entry))
    if (partner) matches.set(entry, partner)
  }
  const taken = new Set(matches.values())
  for (const entry of base) {
    if (matches.has(entry) || requestOf(entry) === undefined) continue
    const candidates = other.filter(
      (candidate) => !taken.has(candidate) && requestOf(candidate) === requestOf(entry),
    )
    const [only, second] = candidates
    if (only === undefined || second !== undefined) continue
    matches.set(entry, only)
    taken.add(only)
  }
  return matches
}

/** Parameters of one name may travel in two places. */
function identityOf(entry: NamedEntry): string {
  return `${typeof entry['in'] === 'string' ? entry['in'] : ''}\n${entry.name}`
}

function requestOf(entry: NamedEntry): string | undefined {
  const { method, path } = entry
  return typeof method === 'string' && typeof path === 'string' ? `${method} ${path}` : undefined
}

/** What is merged: the last import, the file a person edited since, and the new import. */
export interface MergeInput {
  readonly base: ToolSpec
  /** Text of the edited file; its comments and order stay. */
  readonly edited: string
  readonly incoming: ToolSpec
  /** Name of the edited file, for messages. */
  readonly file?: string
}

/** Why the two sides could not be reconciled; the edited side is kept. */
export type ConflictReason = 'both-changed' | 'removed-upstream' | 'removed-here'

/** A place where both sides changed. */
export interface MergeConflict {
  /** The field, such as `tools[1](plant_tree).description`. */
  readonly path: string
  readonly reason: ConflictReason
  readonly base: unknown
  readonly edited: unknown
  readonly incoming: unknown
}

/** What a merge gives. */
export type MergeResult =
  | {
      readonly ok: true
      readonly text: string
      readonly conflicts: readonly MergeConflict[]
      /** Fields taken from the new import. */
      readonly taken: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** Merges a new import into an edited file, three-way; comments and order of the file are kept. */
export function mergeToolSpecs(input: MergeInput): MergeResult {
  const file = input.file ?? '<spec>'
  const parsed = parseToolSpec(input.edited, { file })
  if (!parsed.ok) return { ok: false, problems: parsed.problems }
  const document = parseDocument(input.edited, { schema: 'core' })
  const state: State = { document, root: parsed.spec, conflicts: [], taken: [] }
  if (isMap(document.contents)) {
    mergeMaps(state, [], document.contents, { ...input, edited: parsed.spec })
  }
  const text = state.taken.length === 0 ? input.edited : document.toString({ lineWidth: 100 })
  return { ok: true, text, conflicts: state.conflicts, taken: state.taken }
}

/** Words a conflict for a person. */
export function formatConflict(conflict: MergeConflict): string {
  const sentences: Record<ConflictReason, string> = {
    'both-changed': 'changed here and in the new import; kept as it is here',
    'removed-upstream': 'changed here, but gone from the new import; kept',
    'removed-here': 'removed here, but changed in the new import; left out',
  }
  return `${conflict.path}: ${sentences[conflict.reason]}`
}

interface State {
  readonly document: Document
  /** The edited spec, for the names in paths. */
  readonly root: unknown
  readonly conflicts: MergeConflict[]
  readonly taken: string[]
}

/** One place on all three sides; undefined is absence. */
interface Sides {
  readonly base: unknown
  readonly edited: unknown
  readonly incoming: unknown
}

function mergeMaps(state: State, path: readonly PathStep[], map: YAMLMap, sides: Sides): void {
  const [edited, incoming] = [asRecord(sides.edited), asRecord(sides.incoming)]
  for (const key of new Set([...Object.keys(edited), ...Object.keys(incoming)])) {
    const inner = {
      base: ownMember(asRecord(sides.base), key),
      edited: ownMember(edited, key),
      incoming: ownMember(incoming, key),
    }
    const node = map.get(key, true) as Node | undefined
    if (descend(state, [...path, key], node, inner)) continue
    const decision = decide(state, [...path, key], inner)
    if (decision === 'keep') continue
    if (decision === 'remove') map.delete(key)
    else setKey(state, map, key, inner.incoming, Object.keys(incoming))
  }
}

/** Goes into mappings and named lists; answers false when the value is to be merged as a whole. */
function descend(
  state: State,
  path: readonly PathStep[],
  node: Node | undefined,
  sides: Sides,
): boolean {
  const { edited, incoming } = sides
  if (isMap(node) && isRecord(edited) && isRecord(incoming) && path.at(-1) !== 'default') {
    mergeMaps(state, path, node, sides)
    return true
  }
  if (isSeq(node) && isNamedList(edited) && isNamedList(incoming)) {
    mergeLists(state, path, node, sides)
    return true
  }
  if (
    isSeq(node) &&
    isScalarList(edited) &&
    isScalarList(incoming) &&
    isScalarList(sides.base ?? [])
  ) {
    mergeScalars(state, path, node, sides)
    return true
  }
  return false
}

function mergeLists(state: State, path: readonly PathStep[], list: YAMLSeq, sides: Sides): void {
  const nodes = [...list.items]
  const rows = alignByName(
    isNamedList(sides.base) ? sides.base : [],
    sides.edited as NamedEntry[],
    sides.incoming as NamedEntry[],
  )
  let before: unknown
  for (const { base, edited, incoming, index } of rows) {
    const at = [...path, index ?? (sides.edited as unknown[]).length]
    const node = index === undefined ? undefined : (nodes[index] as Node | undefined)
    const inner = { base, edited, incoming }
    if (isMap(node) && edited !== undefined && incoming !== undefined) {
      mergeMaps(state, at, node, inner)
    } else {
      const decision = decide(state, at, inner)
      if (decision === 'remove') list.items.splice(list.items.indexOf(node), 1)
      if (decision === 'take') {
        const added = state.document.createNode(incoming)
        list.items.splice(before === undefined ? 0 : list.items.indexOf(before) + 1, 0, added)
        before = added
      }
    }
    if (node !== undefined && list.items.includes(node)) before = node
  }
}

/** Lists of plain values are sets: what one side adds or removes, the other need not know. */
function mergeScalars(state: State, path: readonly PathStep[], list: YAMLSeq, sides: Sides): void {
  const base = new Set((sides.base ?? []) as unknown[])
  const edited = new Set(sides.edited as unknown[])
  const incoming = new Set(sides.incoming as unknown[])
  const added = [...incoming].filter((value) => !base.has(value) && !edited.has(value))
  const removed = [...edited].filter((value) => base.has(value) && !incoming.has(value))
  if (added.length + removed.length === 0) return
  state.taken.push(formatPath(path, state.root))
  const values = [...(sides.edited as unknown[])]
  for (const value of removed) {
    const index = values.indexOf(value)
    values.splice(index, 1)
    list.items.splice(index, 1)
  }
  for (const value of added) list.items.push(state.document.createNode(value))
}

function decide(state: State, path: readonly PathStep[], sides: Sides): 'keep' | 'take' | 'remove' {
  const { base, edited, incoming } = sides
  const note = (): void => void state.taken.push(nameOf(path, sides, state))
  const clash = (reason: ConflictReason): 'keep' => {
    state.conflicts.push({ path: nameOf(path, sides, state), reason, ...sides })
    return 'keep'
  }
  if (isDeepStrictEqual(edited, incoming) || isDeepStrictEqual(base, incoming)) return 'keep'
  if (isDeepStrictEqual(base, edited)) {
    note()
    return incoming === undefined ? 'remove' : 'take'
  }
  if (edited === undefined) return clash('removed-here')
  return clash(incoming === undefined ? 'removed-upstream' : 'both-changed')
}

/** Writes the path; an entry that is not in the edited file is named after what is. */
function nameOf(path: readonly PathStep[], sides: Sides, state: State): string {
  const entry = sides.edited ?? sides.incoming ?? sides.base
  const last = path.at(-1)
  if (typeof last !== 'number' || sides.edited !== undefined) return formatPath(path, state.root)
  const name = isRecord(entry) && typeof entry['name'] === 'string' ? entry['name'] : ''
  return `${formatPath(path.slice(0, -1), state.root)}(${name})`
}

/** Sets a key where the new import has it: after the key before it. */
function setKey(
  state: State,
  map: YAMLMap,
  key: string,
  value: unknown,
  order: readonly string[],
): void {
  const old = map.get(key, true) as Node | undefined
  const node = state.document.createNode(value, { flow: map.flow === true }) as Node
  if (old) {
    node.comment = old.comment ?? null
    node.commentBefore = old.commentBefore ?? null
    map.set(key, node)
    return
  }
  const earlier = order.slice(0, order.indexOf(key)).findLast((other) => map.has(other))
  const pair = state.document.createPair(key, node)
  const index =
    earlier === undefined
      ? -1
      : map.items.findIndex(({ key: other }) => isScalar(other) && other.value === earlier)
  map.items.splice(index + 1, 0, pair as (typeof map.items)[number])
}

function isScalarList(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry !== 'object' || entry === null)
}
