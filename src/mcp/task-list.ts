import { andThen } from '../core/maybe.ts'
import type { Environment } from './environment.ts'
import { invalidParams } from './errors.ts'
import type { Method } from './methods.ts'
import { encodeTask } from './task-encoding.ts'

const PAGE_SIZE = 100
const CURSOR_TTL_MS = 3_600_000

/** Makes the method that lists a caller's tasks; none where callers are strangers, who must not see one another's. */
export function createTaskList(environment: Environment): Method | undefined {
  const { tasks, seal, service, writer } = environment
  const list = tasks?.list
  if (tasks === undefined || list === undefined || service.authenticate === undefined) {
    return undefined
  }
  return ({ principal, params: { cursor } }) => {
    if (principal === undefined) throw invalidParams('Only callers who are known have a list')
    const owner = principal.id
    const opened = typeof cursor === 'string' ? seal.open(cursor) : undefined
    const after = opened?.['owner'] === owner ? opened['after'] : undefined
    if (cursor !== undefined && typeof after !== 'string') {
      throw invalidParams('params.cursor is not one this server gave, or too old')
    }
    const page = list(owner, {
      limit: PAGE_SIZE,
      ...(typeof after === 'string' && { cursor: after }),
    })
    return andThen(page, ({ records, cursor: next }) => {
      const entries = records.map(
        (record) => `{${encodeTask(record, tasks.pollIntervalMs, 'legacy')}}`,
      )
      const more =
        next === undefined
          ? ''
          : `,"nextCursor":"${seal.close({ owner, after: next }, CURSOR_TTL_MS)}"`
      return writer.complete('legacy', `"tasks":[${entries.join(',')}]${more}`)
    })
  }
}
