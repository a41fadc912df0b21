import type { CallFacts } from '../../core/index.ts'
import type { Maybe } from '../../values/index.ts'
import { type McpExchange, OWN_META } from './protocol.ts'
import type { Task } from './tasks/tasks.ts'

/** Tells whoever waits how far a call is. */
export interface Progress {
  /** Absent when nobody listens. */
  readonly report: CallFacts['progress']
  /** Hands a partial result over; absent when nobody listens. */
  readonly item: ((json: string) => Maybe<void>) | undefined
  /** Says that the call still runs, when the handler itself says nothing. */
  readonly beat: () => void
  /** From now on a task keeps what is reported. */
  readonly moveTo: (task: Task) => void
}

/** Every notification must show more progress than the one before. */
const STEP = 0.001
const TOTAL = 100
/** Of an item: nobody knows how many there are. */
const ITEM_STEP = 1e-6

/** Most clients listen to none, and know no tasks. */
const SILENT: Progress = { report: undefined, item: undefined, beat() {}, moveTo() {} }

/** Creates the progress of one exchange. */
export function createProgress({ meta, params, capabilities, notify }: McpExchange): Progress {
  const token = meta['progressToken']
  const listening = typeof token === 'string' || typeof token === 'number'
  const mayBeTask = capabilities.extensions !== undefined || params['task'] !== undefined
  if (!listening && !mayBeTask) return SILENT
  let task: Task | undefined
  let last = -STEP

  let items = 0

  function send(progress: number, message: string | undefined): void {
    if (!listening || task !== undefined) return
    last = Math.max(progress, last + STEP)
    void notify('notifications/progress', {
      progressToken: token,
      progress: last,
      total: TOTAL,
      ...(message !== undefined && { message }),
    })
  }

  /** What a program reads as an item is marked with its number; people and models read the message. */
  function sendItem(json: string): Maybe<void> {
    if (task !== undefined) return
    items += 1
    last = Math.max(0, last + ITEM_STEP)
    return notify('notifications/progress', {
      progressToken: token,
      progress: last,
      total: TOTAL,
      message: json,
      _meta: { [OWN_META.item]: items },
    })
  }

  return {
    report(fraction, message) {
      const progress = Math.min(1, Math.max(0, fraction)) * TOTAL || 0
      task?.report(message ?? `${Math.round(progress)} % done`)
      send(progress, message)
    },
    item: listening ? sendItem : undefined,
    beat: () => send(last, undefined),
    moveTo(next) {
      task = next
    },
  }
}
