import { createMemberPlan, METHOD_MEMBERS } from './names.ts'
import type { PlannedGroup } from './plan-functions.ts'

/** A namespace of the client, a function, or both: `events` and `events.get` may both be functions. */
export interface TreeNode {
  /** What it is called in code, below its parent. */
  readonly member: string
  readonly group: PlannedGroup | undefined
  readonly children: readonly TreeNode[]
}

/** Members of the client that are not functions of the document. */
const ROOT_MEMBERS: readonly string[] = ['$call', '$urn']

const MAX_DEPTH = 6

interface Draft {
  group: PlannedGroup | undefined
  readonly children: Map<string, Draft>
}

/** Arranges functions by the parts of their dotted names; those named by a URN are not among them. */
export function buildTree(groups: readonly PlannedGroup[]): readonly TreeNode[] {
  const root: Draft = { group: undefined, children: new Map() }
  for (const group of groups) {
    let node = root
    for (const part of toPath(group.name)) {
      const child: Draft = node.children.get(part) ?? { group: undefined, children: new Map() }
      node.children.set(part, child)
      node = child
    }
    node.group ??= group
  }
  return toNodes(root.children, ROOT_MEMBERS)
}

/** Tells whether a function is named by a URN, as those of the system and of extensions are. */
export function isUrn(name: string): boolean {
  return name.startsWith('urn:')
}

function toPath(name: string): readonly string[] {
  const parts = name.split('.')
  return parts.length <= MAX_DEPTH
    ? parts
    : [...parts.slice(0, MAX_DEPTH - 1), parts.slice(MAX_DEPTH - 1).join('.')]
}

function toNodes(
  drafts: ReadonlyMap<string, Draft>,
  reserved: readonly string[],
): readonly TreeNode[] {
  const plan = createMemberPlan(reserved)
  return [...drafts].map(([part, { group, children }]) => {
    const versions = group?.others.map(({ member }) => member) ?? []
    return {
      member: plan.take(part),
      group,
      children: toNodes(children, group ? [...METHOD_MEMBERS, ...versions] : []),
    }
  })
}
