import type { Box, Layout, PlacedCapability, PlacedOperation } from '../model/graph-layout.ts'
import { type Mood, wordOf } from './capabilities-state.tsx'

/** A thing of the picture that can be pointed at. */
export interface Item {
  readonly id: string
  readonly kind: 'capability' | 'operation'
  readonly box: Box
  readonly mood: Mood
  readonly title: string
  readonly above: string
  readonly label: string
  readonly brief: string
  readonly reason: string
  readonly facts: readonly (readonly [string, string])[]
  /** Everything about it in one breath, for screen readers. */
  readonly spoken: string
  /** Where the arrow keys lead along the lines. */
  readonly left: string | undefined
  readonly right: string | undefined
}

/** Lists what can be pointed at: each capability, its operations, then what extends it. */
export function listItems(layout: Layout): readonly Item[] {
  return layout.capabilities.flatMap((placed) => {
    const operations = layout.operations.filter(({ owner }) => owner === placed.id)
    return [toCapability(placed, layout), ...operations.map(toOperation)]
  })
}

function toCapability({ capability, id, ...box }: PlacedCapability, layout: Layout): Item {
  const { name, state, brief, reason, parents, offered, wanted } = capability
  const facts = [
    ['This service', offered.join(', ') || 'does not offer it'],
    ['Platform', wanted.join(', ') || 'does not list it'],
    ['Extends', parents?.join(', ') ?? ''],
  ] as const
  const left = layout.edges.find(({ to }) => to === id)
  const right = layout.edges.find(({ from }) => from === id)
  return {
    id,
    kind: 'capability',
    box,
    mood: state,
    title: name,
    above: layout.space === undefined ? capability.space : '',
    label: capability.label,
    brief,
    reason,
    facts: facts.filter(([, value]) => value !== ''),
    spoken: `${name}: ${wordOf(state)}, ${brief}. ${reason}${parents ? ` Extends ${parents.join(', ')}.` : ''}`,
    left: left?.from,
    right: right?.to,
  }
}

function toOperation({ operation, owner, id, ...box }: PlacedOperation): Item {
  const mood = operation.callable ? 'callable' : 'uncallable'
  const facts = [
    ['REST', operation.rest ?? ''],
    ['MCP', operation.mcp ?? ''],
    ['Belongs to', owner],
  ] as const
  return {
    id,
    kind: 'operation',
    box,
    mood,
    title: operation.id,
    above: '',
    label: operation.id,
    brief: operation.summary,
    reason: operation.reason,
    facts: facts.filter(([, value]) => value !== ''),
    spoken: `Operation ${operation.id} of ${owner}: ${wordOf(mood)}, ${operation.summary}.`,
    left: owner,
    right: undefined,
  }
}
