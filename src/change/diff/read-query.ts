import { isRecord } from '../../values/index.ts'
import type { FacetCollector } from './model.ts'

/** What queries may name: the part, its member, and what one of them is called. */
const LISTS = [
  ['filters', 'allowed', 'filter'],
  ['filters', 'operators', 'operator'],
  ['sorts', 'allowed', 'sort'],
  ['fields', 'allowed', 'field'],
  ['relationships', 'allowed', 'relationship'],
  ['pagination', 'strategies', 'pagination'],
] as const

const LIMITS: readonly (readonly [string, string])[] = [
  ['filters', 'maxConditions'],
  ['sorts', 'maxFields'],
  ['relationships', 'maxDepth'],
  ['pagination', 'maxSize'],
]

const DEFAULTS: readonly (readonly [string, string])[] = [
  ['sorts', 'default'],
  ['fields', 'default'],
  ['pagination', 'defaultSize'],
]

/** Adds what a function lets callers ask for. */
export function addQuery(query: unknown, pointer: string, facets: FacetCollector): void {
  if (!isRecord(query)) return
  const read = (part: string, member: string): unknown => {
    const own = query[part]
    return isRecord(own) ? own[member] : undefined
  }
  for (const [part, member, noun] of LISTS) {
    facets.addList(`${part}.${member}`, read(part, member), {
      rules: { added: `${noun}-added`, removed: `${noun}-removed` },
      label: `the ${noun}`,
      pointer: `${pointer}/${part}/${member}`,
    })
  }
  for (const at of LIMITS) {
    facets.add(`limit ${at.join('.')}`, {
      rules: {
        added: 'query-limit-lowered',
        removed: 'query-limit-raised',
        lowered: 'query-limit-lowered',
        raised: 'query-limit-raised',
      },
      label: `the limit ${at.join('.')}`,
      value: read(...at),
      pointer: `${pointer}/${at.join('/')}`,
    })
  }
  for (const at of DEFAULTS) {
    facets.add(`default ${at.join('.')}`, {
      rules: { removed: 'query-default-changed', changed: 'query-default-changed' },
      label: `the default ${at.join('.')}`,
      value: read(...at),
      pointer: `${pointer}/${at.join('/')}`,
    })
  }
}
