import { type CharacterSet, isWordCharacter } from './characters.ts'
import type { PatternNode } from './syntax.ts'

/** The largest automaton that is built. */
const MOST_STATES = 5_000

/** A pattern on the engine whose time grows with the length of the text and no faster. */
export interface LinearPattern {
  readonly test: (text: string) => boolean
}

/** Compiles a pattern without back-references and inner looks; throws a SyntaxError saying what it cannot express. */
export function compileLinear(pattern: PatternNode): LinearPattern {
  const { looks, rest } = splitLooks(pattern)
  const tests = looks.map(({ content, isNegated }) => {
    const look = createMatcher(withoutSlack({ kind: 'sequence', items: [START, content] }))
    return (text: string) => look(text) !== isNegated
  })
  tests.push(createMatcher(withoutSlack(rest)))
  return { test: (text) => tests.every((test) => test(text)) }
}

type Look = PatternNode & { readonly kind: 'look' }

const START: PatternNode = { kind: 'edge', edge: '^' }

/** Takes apart `^(?=.*[A-Z])(?=.*[0-9]).{8,}$`, as passwords are described: each part is a pattern of its own. */
function splitLooks(pattern: PatternNode): {
  readonly looks: readonly Look[]
  readonly rest: PatternNode
} {
  if (pattern.kind !== 'sequence' || !isStart(pattern.items[0])) return { looks: [], rest: pattern }
  const behind = pattern.items.slice(1)
  const end = behind.findIndex((item) => item.kind !== 'look' || !item.isAhead)
  const count = end === -1 ? behind.length : end
  const looks = behind.slice(0, count).filter((item) => item.kind === 'look')
  return { looks, rest: { kind: 'sequence', items: [START, ...behind.slice(count)] } }
}

function isStart(node: PatternNode | undefined): boolean {
  return node?.kind === 'edge' && node.edge === '^'
}

/**
 * Drops optional repetitions at the ends of a pattern that may match anywhere: `[a-z]{1,2048}` finds something exactly
 * where `[a-z]` does.
 */
function withoutSlack(node: PatternNode): PatternNode {
  if (node.kind === 'repeat') return { ...node, most: node.least }
  if (node.kind !== 'sequence') return node
  const items = [...node.items]
  const [head, tail] = [items[0], items.at(-1)]
  if (tail?.kind === 'repeat') items[items.length - 1] = { ...tail, most: tail.least }
  if (head?.kind === 'repeat') items[0] = { ...head, most: head.least }
  return { kind: 'sequence', items }
}

/** One state: a character to take, an edge to stand at, or ways to go on; the last one has matched. */
interface State {
  readonly set?: CharacterSet
  readonly edge?: (PatternNode & { readonly kind: 'edge' })['edge']
  next: number[]
}

/** Writes a pattern as an automaton (Thompson 1968); state 0 begins, the last one ends. */
function toStates(pattern: PatternNode): readonly State[] {
  const states: State[] = []

  function add(state: State): number {
    if (states.length >= MOST_STATES) throw new SyntaxError('it is too large or repeats too much')
    return states.push(state) - 1
  }

  /** Adds a part behind a state and gives the state behind it. */
  function append(node: PatternNode, from: number): number {
    switch (node.kind) {
      case 'set':
        return link(from, add({ set: node.set, next: [] }))
      case 'edge':
        return link(from, add({ edge: node.edge, next: [] }))
      case 'sequence':
        return node.items.reduce((end, item) => append(item, end), from)
      case 'choice': {
        const end = add({ next: [] })
        for (const option of node.options) link(append(option, link(from, add({ next: [] }))), end)
        return end
      }
      case 'repeat':
        return appendRepeat(node, from)
      case 'look':
        throw new SyntaxError('it looks ahead or behind')
      case 'same':
        throw new SyntaxError('it refers back to a group')
    }
  }

  function appendRepeat(node: PatternNode & { readonly kind: 'repeat' }, from: number): number {
    const { content, least, most } = node
    if (least > MOST_STATES) throw new SyntaxError('it repeats too much')
    let end = from
    for (let round = 0; round < least; round += 1) end = append(content, end)
    if (most === Number.POSITIVE_INFINITY) {
      const loop = link(end, add({ next: [] }))
      link(append(content, loop), loop)
      return link(loop, add({ next: [] }))
    }
    const exit = add({ next: [] })
    for (let round = least; round < most; round += 1) {
      link(end, exit)
      end = append(content, link(end, add({ next: [] })))
    }
    return link(end, exit)
  }

  function link(from: number, to: number): number {
    states[from]?.next.push(to)
    return to
  }

  const end = append(pattern, add({ next: [] }))
  link(end, add({ next: [] }))
  return states
}

/** What stands on one side of a place in a text. */
type Side = 'nothing' | 'word' | 'other'

/** The states an automaton may be in before a character, with what is known about the text behind it. */
interface Place {
  readonly seeds: readonly number[]
  readonly before: Side
  readonly after: Map<number, Place | 'matched'>
  atEnd?: boolean
}

/** Places that are remembered, counted by their states; then they are forgotten and found again. */
const MOST_REMEMBERED = 100_000
const MOST_CHARACTERS = 4_096

/** Runs all ways through an automaton at once, and remembers where each character led from each set of states. */
function createMatcher(pattern: PatternNode): (text: string) => boolean {
  const states = toStates(pattern)
  const kinds = createKinds(states)
  const marks = new Int32Array(states.length)
  let mark = 0
  let places = new Map<string, Place>()
  let remembered = 0

  function toPlace(seeds: readonly number[], before: Side): Place {
    const key = `${before} ${seeds.join()}`
    const known = places.get(key)
    if (known !== undefined) return known
    if (remembered > MOST_REMEMBERED) {
      places = new Map()
      remembered = 0
    }
    const place: Place = { seeds, before, after: new Map() }
    remembered += seeds.length + 1
    places.set(key, place)
    return place
  }

  /** Visits every state that is reached without taking a character; tells whether the last one is. */
  function visit(place: Place, after: Side, onSet: (state: State) => void): boolean {
    mark += 1
    const open = [...place.seeds]
    while (open.length > 0) {
      const index = open.pop() ?? 0
      const state = states[index]
      if (state === undefined || marks[index] === mark) continue
      marks[index] = mark
      if (index === states.length - 1) return true
      if (state.set !== undefined) onSet(state)
      else if (state.edge === undefined || holds(state.edge, place.before, after)) {
        open.push(...state.next)
      }
    }
    return false
  }

  function step(place: Place, { id, side, has }: Kind): Place | 'matched' {
    const seeds = new Set([0])
    const isMatched = visit(place, side, ({ set, next }) => {
      if (set !== undefined && has(set)) for (const index of next) seeds.add(index)
    })
    const reached = isMatched
      ? 'matched'
      : toPlace(
          [...seeds].sort((a, b) => a - b),
          side,
        )
    place.after.set(id, reached)
    return reached
  }

  return (text) => {
    let place = toPlace([0], 'nothing')
    for (const character of text) {
      const kind = kinds(character.codePointAt(0) ?? 0)
      const reached = place.after.get(kind.id) ?? step(place, kind)
      if (reached === 'matched') return true
      place = reached
    }
    place.atEnd ??= visit(place, 'nothing', () => {})
    return place.atEnd
  }
}

function holds(edge: NonNullable<State['edge']>, before: Side, after: Side): boolean {
  if (edge === '^') return before === 'nothing'
  if (edge === '$') return after === 'nothing'
  return ((before === 'word') !== (after === 'word')) === (edge === '\\b')
}

/** Characters that are in the same sets of an automaton, which therefore lead to the same place. */
interface Kind {
  readonly id: number
  readonly side: Side
  readonly has: (set: CharacterSet) => boolean
}

function createKinds(states: readonly State[]): (codePoint: number) => Kind {
  const sets = [...new Set(states.flatMap(({ set }) => set ?? []))]
  const kinds = new Map<string, Kind>()
  let characters = new Map<number, Kind>()
  return (codePoint) => {
    const known = characters.get(codePoint)
    if (known !== undefined) return known
    const members = sets.filter((set) => set.has(codePoint))
    const side = isWordCharacter(codePoint) ? 'word' : 'other'
    const key = `${side} ${members.map((set) => sets.indexOf(set)).join()}`
    const among = new Set(members)
    const kind = kinds.get(key) ?? { id: kinds.size, side, has: (set) => among.has(set) }
    kinds.set(key, kind)
    if (characters.size >= MOST_CHARACTERS) characters = new Map()
    characters.set(codePoint, kind)
    return kind
  }
}
