import { randomBytes } from 'node:crypto'
import { afterAll, describe, it } from 'vitest'
import { startJobProcess } from '../../test/faults/jobs-processes.ts'
import { prepareBackends, type StoreBackend } from '../../test/faults/store-backends.ts'
import { createMemoryStore } from '../store/memory.ts'
import type { Store } from '../store/store.ts'
import { JOB_CASES } from './conformance.ts'
import type { JobCase } from './conformance-types.ts'
import { createJobQueue } from './open.ts'
import type { JobQueue } from './queue.ts'

const LEASE_MS = 2500

describe.concurrent('job queue on memory', () => {
  for (const entry of JOB_CASES.filter(({ needs }) => !needs)) {
    it(entry.name, async () => {
      const store = createMemoryStore()
      await runCase(entry, async () => store)
      await store.close()
    })
  }
})

for (const backend of await prepareBackends(['sqlite', 'redis', 'postgres'])) {
  if ('missing' in backend) {
    describe.skip(`job queue on ${backend.name} (no server and no binary to start one)`, () => {
      for (const { name } of JOB_CASES) it.skip(name, () => {})
    })
    continue
  }
  describe.concurrent(`job queue on ${backend.name}`, () => runCases(backend))
}

function runCases(backend: StoreBackend): void {
  afterAll(() => backend.cleanUp())
  for (const entry of JOB_CASES) {
    it(entry.name, { timeout: 60_000 }, async () => {
      const store = await backend.open()
      try {
        await runCase(entry, async () => store, backend)
      } finally {
        await store.close()
      }
    })
  }
}

async function runCase(
  entry: JobCase,
  openStore: () => Promise<Store>,
  backend?: StoreBackend,
): Promise<void> {
  const name = `n${randomBytes(6).toString('hex')}`
  const ends: (() => Promise<void>)[] = []

  async function open(): Promise<JobQueue> {
    const queue = createJobQueue(await openStore(), { leaseMs: LEASE_MS })
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
  }
}
