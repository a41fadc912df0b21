import { isRecord } from '../../values/index.ts'
import { formatTable, type Paint, printable, printableCell as text } from '../print.ts'
import type { UpcomingRuns } from './next-runs.ts'

type Item = Readonly<Record<string, unknown>>

/** Writes triggers as a table: what they wait for, what they call, how they are. */
export function formatList(triggers: readonly Item[], paint: Paint): string {
  if (triggers.length === 0) return 'No triggers.\n'
  return formatTable(
    triggers.map(({ name, type, where, tool, state, trouble, next, last }) => [
      paint.bold(text(name)),
      text(type),
      text(where),
      `-> ${text(tool)}`,
      state === 'running' ? paint.good('running') : paint.warn(text(trouble ?? state)),
      Array.isArray(next) && next.length > 0 ? `next ${text(next[0])}` : '',
      isRecord(last) ? `last ${text(last['state'])} ${text(last['received_at'])}` : '',
    ]),
  )
}

/** Writes deliveries as a table, the newest first, with why they failed. */
export function formatDeliveries(deliveries: readonly Item[], paint: Paint): string {
  if (deliveries.length === 0) return 'No deliveries.\n'
  return formatTable(
    deliveries.map((delivery) => [
      text(delivery['id']),
      text(delivery['trigger']),
      paintState(text(delivery['state']), paint),
      text(delivery['received_at']),
      `${text(delivery['tried'])} tried`,
      formatReason(delivery['attempts']),
    ]),
  )
}

/** Writes the next runs of schedules, one per line. */
export function formatRuns(schedules: readonly UpcomingRuns[]): string {
  if (schedules.length === 0) return 'No schedules.\n'
  return formatTable(
    schedules.flatMap(({ name, next }) =>
      next.map((time, index) => [index === 0 ? printable(name) : '', printable(time)]),
    ),
  )
}

function formatReason(attempts: unknown): string {
  const last: unknown = Array.isArray(attempts) ? attempts.at(-1) : undefined
  const errors = isRecord(last) ? last['errors'] : undefined
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return isRecord(first) ? `${text(first['code'])}: ${text(first['message'])}` : ''
}

function paintState(state: string, paint: Paint): string {
  if (state === 'done') return paint.good(state)
  return state === 'dead' ? paint.bad(state) : paint.warn(state)
}
