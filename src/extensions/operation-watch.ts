import { CallError } from '../core/error.ts'
import type { Logger } from '../core/service.ts'
import { type KeepAlive, startKeepAlive } from './keep-alive.ts'
import type { OperationStore } from './operation-store.ts'

/** An operation that runs in this process. */
export interface WatchedRun {
  readonly id: string
  readonly run: string
  readonly abort: (reason: CallError) => void
}

/** Tells operations of this process that they were cancelled, here or in another process. */
export interface OperationWatch {
  add(running: WatchedRun): { readonly remove: () => void }
  /** Stops an operation if it runs here, without waiting for the next look at the store. */
  cancel(id: string): void
  stop(): Promise<void>
}

/** Creates the watch of one process: one look at the store per interval, and none while nothing runs. */
export function createOperationWatch(
  operations: OperationStore,
  { everyMs, log }: { readonly everyMs: number; readonly log: () => Logger | undefined },
): OperationWatch {
  const here = new Map<string, WatchedRun>()
  let polling: KeepAlive | undefined

  async function look({ id, run, abort }: WatchedRun): Promise<void> {
    try {
      const record = await operations.read(id)
      if (record?.status === 'processing' && record.run === run) return
      const message = record?.run === run ? undefined : 'Another process runs this operation'
      abort(new CallError('CANCELLED', { message }))
    } catch (error) {
      log()?.warn('an operation cannot see whether it was cancelled', { operation: id, error })
    }
  }

  async function poll(): Promise<boolean> {
    await Promise.all([...here.values()].map(look))
    if (here.size > 0) return true
    polling = undefined
    return false
  }

  return {
    add(running) {
      here.set(running.run, running)
      polling ??= startKeepAlive(everyMs, poll)
      return { remove: () => here.delete(running.run) }
    },
    cancel(id) {
      for (const running of here.values()) {
        if (running.id === id) running.abort(new CallError('CANCELLED'))
      }
    },
    async stop() {
      await polling?.stop()
    },
  }
}
