import { isRecord } from '../../src/values/json.ts'
import type { Chance } from './chance.ts'
import { type Node, type Site, type SiteKind, valueAt } from './sites.ts'

/** What a mutation works on. */
export interface Target {
  readonly site: Site
  readonly document: Node
  readonly chance: Chance
}

/** One kind of mess, and where it is made. */
export interface Mutation {
  readonly name: string
  readonly at: SiteKind
  readonly apply: (target: Target) => void
}

/** Makes a mutation of a mapping. */
export function on(
  at: SiteKind,
  name: string,
  change: (target: Target & { readonly node: Node }) => void,
): Mutation {
  return {
    at,
    name,
    apply(target) {
      const node = valueAt(target.site)
      if (isRecord(node)) change({ ...target, node })
    },
  }
}

/** Defines instead of assigning: `__proto__` is a key like any other in a document. */
export function set(node: Node, key: string, value: unknown): void {
  const copy = structuredClone(value)
  Object.defineProperty(node, key, {
    value: copy,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

/** Puts a value in a place. */
export function put({ holder, key }: Site, value: unknown): void {
  set(holder, key, value)
}

/** Gives a mapping below another one, made when it is not there. */
export function childOf(node: Node, key: string): Node {
  if (!isRecord(node[key])) set(node, key, {})
  return node[key] as Node
}
