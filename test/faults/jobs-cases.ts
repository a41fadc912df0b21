import { randomBytes } from 'node:crypto'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { createJobQueue } from '../../src/work/open.ts'
import type { JobQueue } from '../../src/work/queue.ts'
import type { JobCase } from './jobs-conformance/types.ts'
import { startJobProcess } from './jobs-processes.ts'
import type { StoreBackend } from './store-backends.ts'

const LEASE_MS = 2500

/** Runs a case on a store of the backend, or in memory, and ends everything that it started. */
export async function runJobCase(entry: JobCase, backend?: StoreBackend): Promise<void> {
  const store = backend ? await backend.open() : createMemoryStore()
  const name = `n${randomBytes(6).toString('hex')}`
  const ends: (() => Promise<void>)[] = []

  async function open(): Promise<JobQueue> {
    const queue = createJobQueue(store, { leaseMs: LEASE_MS })
    ends.push(() => queue.close(0))
    return queue
  }

  async function startProcess() {
    const { url = '', namespace = '' } = backend ?? {}
    const started = await startJobProcess({ url, namespace, name, leaseMs: LEASE_MS })
    ends.push(started.stop)
    return started
  }

  try {
    await entry.run(await open(), { name, leaseMs: LEASE_MS, open, startProcess })
  } finally {
    await Promise.all(ends.map((end) => end()))
    await store.close()
  }
}
