import type { Negotiation } from './negotiate.ts'
import type { OperationSet } from './operations.ts'

/** What a business says to a request for an operation. */
export type RequestVerdict = 'allowed' | 'capabilities_incompatible' | 'not_offered'

/** The verdict on a request and the capabilities it rests on. */
export interface RequestCheck {
  readonly verdict: RequestVerdict
  /** Root capabilities of the business that drive the operation, active or not, in name order. */
  readonly owners: readonly string[]
  /** Set when the request is let through only because the check merely warns. */
  readonly warning?: 'capabilities_incompatible'
}

/** How seriously a request for an inactive capability is taken. */
export interface RequestCheckOptions {
  /** `warn` lets the request through with a warning; `refuse` by default. */
  readonly enforce?: 'refuse' | 'warn'
}

/** Decides whether a platform may call an operation, by the capability that owns it. */
export function checkRequest(
  { active }: Negotiation,
  set: OperationSet,
  operation: string,
  { enforce = 'refuse' }: RequestCheckOptions = {},
): RequestCheck {
  const owners = set.owners(operation)
  if (set.operations.some(({ id }) => id === operation)) return { verdict: 'allowed', owners }
  if (owners.every((name) => active.has(name))) return { verdict: 'not_offered', owners }
  const problem = 'capabilities_incompatible'
  return enforce === 'refuse'
    ? { verdict: problem, owners }
    : { verdict: 'allowed', owners, warning: problem }
}

/** Names the active capabilities that a response to an operation lists: its roots and what extends them. */
export function selectResponseCapabilities(
  { active }: Negotiation,
  set: OperationSet,
  operation: string,
): readonly string[] {
  const children = new Map<string, string[]>()
  for (const { name, parents } of active.values()) {
    for (const parent of parents) {
      const siblings = children.get(parent)
      if (siblings === undefined) children.set(parent, [name])
      else siblings.push(name)
    }
  }
  const relevant = new Set<string>()
  const waiting = set.operations
    .filter(({ id }) => id === operation)
    .flatMap(({ capabilities }) => capabilities)
  // An extension of an extension counts when its chain of active parents reaches the root.
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (relevant.has(name)) continue
    relevant.add(name)
    for (const child of children.get(name) ?? []) waiting.push(child)
  }
  return [...relevant].sort()
}
