import type { DiscoveryDocument } from '../../discovery/index.ts'
import { isRecord } from '../../values/index.ts'
import { compareText } from './model.ts'

/** Writes a document as text that does not depend on the order of its members or of its functions. */
export function toCanonicalText(document: DiscoveryDocument): string {
  const { functions, ...rest } = document
  const sorted = functions.map((entry) => writeSorted(entry)).sort(compareText)
  return `${writeSorted(rest)}\n${sorted.join('\n')}`
}

function writeSorted(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isRecord(item)
      ? Object.fromEntries(Object.entries(item).sort(([left], [right]) => compareText(left, right)))
      : item,
  )
}
