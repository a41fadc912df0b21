import type { CallFacts } from '../../core/index.ts'
import type { McpExchange } from './protocol.ts'
import type { Task } from './tasks/tasks.ts'

/** Tells whoever waits how far a call is. */
export interface Progress {
  /** Absent when nobody listens. */
  readonly report: CallFacts['progress']
  /** Says that the call still runs, when the handler itself says nothing. */
  readonly beat: () => void
  /** From now on a task keeps what is reported. */
  readonly moveTo: (task: Task) => void
}

/** Every notification must show more progress than the one before. */
const STEP = 0.001
const TOTAL = 100

/** Most clients listen to none, and know no tasks. */
const SILENT: Progress = { report: undefined, beat() {}, moveTo() {} }

/** Creates the progress of one exchange. */
export function createProgress({ meta, params, capabilities, notify }: McpExchange): Progress {
  const token = meta['progressToken']
  const listening = typeof token === 'string' || typeof token === 'number'
  const mayBeTask = capabilities.extensions !== undefined || params['task'] !== undefined
  if (!listening && !mayBeTask) return SILENT
  let task: Task | undefined
  let last = -STEP

  function send(progress: number, message: string | undefined): void {
    if (!listening || task !== undefined) return
    last = Math.max(progress, last + STEP)
    notify('notifications/progress', {
      progressToken: token,
      progress: last,
      total: TOTAL,
      ...(message !== undefined && { message }),
    })
  }

  return {
    report(fraction, message) {
      const progress = Math.min(1, Math.max(0, fraction)) * TOTAL || 0
      task?.report(message ?? `${Math.round(progress)} % done`)
      send(progress, message)
    },
    beat: () => send(last, undefined),
    moveTo(next) {
      task = next
    },
  }
}
