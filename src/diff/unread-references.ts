import { isRecord } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'

/** Finds the other documents that a description refers to, each with the first place that does. */
export function findUnreadReferences(description: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  // Aliases of YAML make one object stand in many places.
  const seen = new Set<unknown>()
  const open: { readonly value: unknown; readonly path: readonly string[] }[] = [
    { value: description, path: [] },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    const address = isRecord(value) ? toAddress(value['$ref']) : undefined
    if (address !== undefined && !found.has(address)) found.set(address, formatPointer(path))
    const members = Object.entries(value)
    for (const [key, member] of members.reverse())
      open.push({ value: member, path: [...path, key] })
  }
  return found
}

/** The part before the `#`; undefined for references inside the document. */
function toAddress(reference: unknown): string | undefined {
  if (typeof reference !== 'string') return undefined
  const [address = ''] = reference.split('#', 1)
  return address === '' ? undefined : address
}
