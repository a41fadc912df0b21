import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import type { PatternNode } from './syntax.ts'

const require = createRequire(import.meta.url)

/** The largest automaton that is built; a thousand characters written out are about this many states. */
const MOST_STATES = 20_000

/** A pattern on the engine whose time grows with the length of the text and no faster. */
export interface LinearPattern {
  readonly test: (text: string) => boolean
  readonly exec: (text: string) => readonly (string | undefined)[] | null
}

/** Compiles a pattern that RE2 can express; throws a SyntaxError saying what it cannot. */
export function compileLinear(pattern: PatternNode): Pick<LinearPattern, 'test'> {
  const { looks, rest } = splitLooks(pattern)
  const tests = looks.map(({ content, isNegated }) => {
    const look = compileRe2(print(withoutSlack({ kind: 'sequence', items: [START, content] })))
    return (text: string) => look.test(text) !== isNegated
  })
  const main = compileRe2(print(withoutSlack(rest)))
  if (tests.length === 0) return main
  return { test: (text) => tests.every((test) => test(text)) && main.test(text) }
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

/** Compiles what is already in the syntax of RE2. */
export function compileRe2(source: string): LinearPattern {
  // 260 kB that most services never need.
  const { RE2JS } = require('re2js') as typeof Re2
  try {
    const compiled = RE2JS.compile(source)
    if (compiled.programSize() <= MOST_STATES) {
      return { test: (text) => compiled.test(text), exec: (text) => compiled.exec(text) }
    }
  } catch (thrown) {
    throw new SyntaxError('it repeats too much or uses an unknown character class', {
      cause: thrown,
    })
  }
  throw new SyntaxError('it is too large')
}

function print(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      if (node.set.text === undefined) throw new SyntaxError('it uses an unknown character class')
      return node.set.text
    case 'sequence':
      return node.items.map(print).join('')
    case 'choice':
      return `(?:${node.options.map(print).join('|')})`
    case 'repeat':
      return `(?:${print(node.content)})${printCount(node.least, node.most)}`
    case 'edge':
      return node.edge
    case 'look':
      throw new SyntaxError('it looks ahead or behind')
    case 'same':
      throw new SyntaxError('it refers back to a group')
  }
}

function printCount(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY)
    return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`
  return least === most ? `{${least}}` : `{${least},${most}}`
}

/**
 * Drops optional repetitions at the ends of a pattern that may match anywhere: `[a-z]{1,2048}` finds something exactly
 * where `[a-z]` does, and RE2 counts to 1,000 only.
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
