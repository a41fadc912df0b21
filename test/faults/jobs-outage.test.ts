import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openStore, type Store } from '../../src/entries/store.ts'
import { createJobQueue } from '../../src/work/open.ts'
import type { JobQueue } from '../../src/work/queue.ts'
import {
  canStartPostgres,
  canStartRedis,
  type PrivateServer,
  startPostgres,
  startRedis,
} from './store-servers.ts'

const TIMEOUT = 1000
const WAIT = { timeout: 30_000, interval: 50 }

describe.skipIf(!canStartRedis())('jobs while Redis is away', () => {
  runCases('redis', startRedis)
})

describe.skipIf(!canStartPostgres())('jobs while PostgreSQL is away', () => {
  const { server } = runCases('postgres', startPostgres)

  it('fails a job, not the process, when the server goes away while the tables of the queue are made', async () => {
    const [holder, watcher] = await Promise.all([connect(server()), connect(server())])
    const store = await openStore(server().url, { namespace: 'half' })
    const queue = createJobQueue(store)
    await holder.query('BEGIN; CREATE SCHEMA half_jobs')
    const adding = queue.add({ name: 'n', id: 'x', data: null }).catch((thrown) => thrown)
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await vi.waitFor(async () => expect((await watcher.query(waiting)).rowCount).toBe(1), WAIT)
    await server().kill()
    expect(await adding).toMatchObject({ code: 'UNAVAILABLE' })
    await server().start()
    await vi.waitFor(() => queue.add({ name: 'n', id: 'y', data: null }), WAIT)
    await queue.close()
    await store.close()
  }, 60_000)
})

async function connect({ url }: PrivateServer): Promise<Client> {
  const client = new Client(url)
  client.on('error', () => {})
  await client.connect()
  return client
}

function runCases(kind: string, start: () => Promise<PrivateServer>) {
  let server: PrivateServer
  let store: Store
  let queue: JobQueue
  const seen: string[] = []

  beforeAll(async () => {
    server = await start()
    store = await openStore(server.url, { timeout: TIMEOUT })
    queue = createJobQueue(store, { timeout: TIMEOUT, leaseMs: 5000 })
  }, 60_000)

  afterAll(async () => {
    await queue.close(0)
    await store.close()
    await server.stop()
  })

  async function expectUnavailable(id: string): Promise<void> {
    const began = performance.now()
    const error = await queue.add({ name: 'n', id, data: null }).then(
      () => new Error('It was added'),
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'UNAVAILABLE', errors: [{ details: { store: kind } }] })
    expect(performance.now() - began).toBeLessThan(TIMEOUT * 8)
  }

  it('refuses a job within a bounded time and never runs it, and goes on when the server is back', async () => {
    queue.work('n', async ({ id }) => void seen.push(id))
    await queue.add({ name: 'n', id: 'before', data: null })
    await queue.add({ name: 'n', id: 'delayed', data: null, delayMs: 3000 })
    await vi.waitFor(() => expect(seen).toEqual(['before']), WAIT)
    await server.kill()
    await expectUnavailable('refused-1')
    await expectUnavailable('refused-2')
    await sleep(500)
    await server.start()
    await vi.waitFor(() => queue.add({ name: 'n', id: 'after', data: null }), WAIT)
    await vi.waitFor(() => expect(seen).toEqual(expect.arrayContaining(['delayed', 'after'])), WAIT)
    await sleep(500)
    expect(seen.toSorted()).toEqual(['after', 'before', 'delayed'])
  }, 90_000)

  it('waits for a server that is away when the work begins, and closes while it is away', async () => {
    await server.kill()
    const early = createJobQueue(store, { timeout: TIMEOUT, leaseMs: 5000 })
    const ran: string[] = []
    early.work('m', async ({ id }) => void ran.push(id))
    const abandoned = createJobQueue(store, { timeout: TIMEOUT })
    abandoned.work('m', async () => {})
    await sleep(1500)
    await abandoned.close(0)
    await server.start()
    await vi.waitFor(() => early.add({ name: 'm', id: 'x', data: null }), WAIT)
    await vi.waitFor(() => expect(ran).toEqual(['x']), WAIT)
    await early.close()
  }, 90_000)

  return { server: () => server }
}
