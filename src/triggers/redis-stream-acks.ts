import type { StreamGroup } from './redis-stream-group.ts'

/** Tells a group which entries are finished. */
export interface StreamAcks {
  readonly done: (id: string) => void
  readonly returned: (id: string) => void
  /** Writes what is left. */
  readonly finish: () => Promise<void>
}

const AGAIN_MS = 500

/** Collects acknowledgements: one command for all entries that end in the same turn of the event loop. */
export function createStreamAcks(group: StreamGroup): StreamAcks {
  let ready: string[] = []
  let unwanted: string[] = []
  let isScheduled = false
  let writing = Promise.resolve()

  async function flush(): Promise<void> {
    isScheduled = false
    const ids = ready
    const back = unwanted
    ready = []
    unwanted = []
    try {
      if (ids.length > 0) await group.acknowledge(ids)
      if (back.length > 0) await group.giveBack(back)
    } catch {
      // Acknowledging twice is harmless; not at all would let the entry run again elsewhere.
      ready.push(...ids)
      unwanted.push(...back)
      isScheduled = true
      setTimeout(() => void flush(), AGAIN_MS).unref()
    }
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      writing = flush()
    })
  }

  return {
    done(id) {
      ready.push(id)
      schedule()
    },
    returned(id) {
      unwanted.push(id)
      schedule()
    },
    async finish() {
      await writing
      await flush()
    },
  }
}
