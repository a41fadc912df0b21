import { isRecord, type JsonObject } from '../core/json.ts'
import type { QueryPlan } from '../core/query-plan.ts'

const CURSORS = { next_cursor: 'after', prev_cursor: 'before' } as const

/**
 * Puts the cursors of a remote page into cursors of our own. Ours are checked before a call is passed on, and those of
 * the remote service would not pass.
 */
export function wrapCursors(result: unknown, plan: QueryPlan | undefined): unknown {
  if (plan?.pagination?.style !== 'cursor' || !isRecord(result)) return result
  const { meta } = result
  const pagination = isRecord(meta) ? meta['pagination'] : undefined
  if (!isRecord(meta) || !isRecord(pagination)) return result
  const { seal } = plan.pagination
  const wrapped = Object.entries(CURSORS).flatMap(([member, direction]): [string, string][] => {
    const cursor = pagination[member]
    return typeof cursor === 'string' ? [[member, seal({ direction, values: [cursor] })]] : []
  })
  return {
    ...result,
    meta: { ...meta, pagination: { ...pagination, ...Object.fromEntries(wrapped) } },
  }
}

/** Takes the remote service's cursor back out of ours. */
export function unwrapCursor(options: JsonObject, { pagination }: QueryPlan): JsonObject {
  if (pagination?.style !== 'cursor' || pagination.position === undefined) return options
  const [cursor] = pagination.position.values
  const given = isRecord(options['pagination']) ? options['pagination'] : {}
  return { ...options, pagination: { ...given, cursor: cursor ?? null } }
}
