import { isRecord } from '../../values/index.ts'
import type { FacetCollector } from './model.ts'
import type { RuleId } from './rules.ts'

interface ListRow {
  readonly at: readonly [string, string]
  readonly label: string
  readonly added: RuleId
  readonly removed: RuleId
}

/** What queries may name. */
const LISTS: readonly ListRow[] = [
  {
    at: ['filters', 'allowed'],
    label: 'the filter',
    added: 'filter-added',
    removed: 'filter-removed',
  },
  {
    at: ['filters', 'operators'],
    label: 'the operator',
    added: 'operator-added',
    removed: 'operator-removed',
  },
  { at: ['sorts', 'allowed'], label: 'the sort', added: 'sort-added', removed: 'sort-removed' },
  { at: ['fields', 'allowed'], label: 'the field', added: 'field-added', removed: 'field-removed' },
  {
    at: ['relationships', 'allowed'],
    label: 'the relationship',
    added: 'relationship-added',
    removed: 'relationship-removed',
  },
  {
    at: ['pagination', 'strategies'],
    label: 'the pagination',
    added: 'pagination-added',
    removed: 'pagination-removed',
  },
]

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
  for (const { at, label, added, removed } of LISTS) {
    facets.addList(at.join('.'), read(...at), {
      rules: { added, removed },
      label,
      pointer: `${pointer}/${at.join('/')}`,
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
