import type { Components, Reference } from './description.ts'
import { isRecord } from './json.ts'
import { resolvePointer } from './pointer.ts'

/** The eight kinds of components. */
export type ComponentKind = keyof Components

/** Tells a reference from the thing itself. */
export function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value['$ref'] === 'string'
}

/** Gives the component a reference points at, or the value itself; undefined when it leads nowhere. */
export function resolveReference<Component>(
  value: Component | Reference,
  components: Components,
  kind: ComponentKind,
): Component | undefined {
  if (!isReference(value)) return value
  if (!value.$ref.startsWith(`#/components/${kind}/`)) return undefined
  return resolvePointer({ components }, value.$ref.slice(1)) as Component | undefined
}
