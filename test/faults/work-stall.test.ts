import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { describe, expect, it, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { openStore, type Store } from '../../src/entries/store.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, createTestLog, dataOf } from '../support/forrst.ts'
import { canStartPostgres, canStartRedis, startPostgres, startRedis } from './store-servers.ts'

// `npm run test:faults` stalls the store for longer than every lease; the ordinary run for longer than one answer.
const FULL = process.env['WAYMARK_FAULTS'] === 'full'
const STALLS = FULL ? [5_000, 20_000, 60_000] : [7_000]
const OPERATIONS = 10
const ASYNC = 'urn:forrst:ext:async'

interface Stallable {
  readonly url: string
  readonly stall: (stalled: boolean) => Promise<void>
  readonly close: () => Promise<void>
}

/** Counts the runs of each operation; they all finish while the store does not answer. */
async function open(url: string, release: Promise<void>) {
  const store = await openStore(url, { namespace: 'stall' })
  const runs = new Map<number, number>()
  const service = createService({
    info: { title: 'Stalls', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'work.do',
        version: '1.0.0',
        input: { type: 'object', properties: { n: { type: 'integer' } } },
        async handler({ input }) {
          const { n } = input as { n: number }
          runs.set(n, (runs.get(n) ?? 0) + 1)
          await release
          return { n }
        },
      }),
    ],
    store,
    log: createTestLog(),
  })
  return { store, service, runs }
}

async function start(service: Service, n: number): Promise<string> {
  const answer = await call(service, {
    function: 'work.do',
    arguments: { n },
    extensions: [{ urn: ASYNC, options: { preferred: true } }],
  })
  return String(dataOf(answer, ASYNC)?.['operation_id'])
}

async function statusOf(service: Service, id: string): Promise<unknown> {
  const { body } = await call(service, {
    function: 'urn:cline:forrst:ext:async:fn:status',
    arguments: { operation_id: id },
  })
  return (body.result as { status?: string } | null)?.status
}

async function close({ service, store }: { service: Service; store: Store }): Promise<void> {
  await service.close()
  await store.close()
}

const SERVERS: readonly (readonly [string, boolean, () => Promise<Stallable>])[] = [
  ['a write lock on SQLite', true, openLocked],
  ['a stopped Redis', canStartRedis(), () => openFrozen(startRedis)],
  ['a stopped PostgreSQL', canStartPostgres(), () => openFrozen(startPostgres)],
]

describe.each(SERVERS)('operations that finish during %s', (_, possible, openServer) => {
  it.skipIf(!possible).each(STALLS)(
    'of %i ms are recorded and do not run again',
    async (stallMs) => {
      const server = await openServer()
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const scene = await open(server.url, released)
      try {
        const ids = await Promise.all(
          Array.from({ length: OPERATIONS }, (__, n) => start(scene.service, n)),
        )
        await vi.waitFor(() => expect(scene.runs.size).toBe(OPERATIONS), { timeout: 30_000 })
        await server.stall(true)
        release()
        await sleep(stallMs)
        await server.stall(false)
        await vi.waitFor(
          async () => {
            for (const id of ids) expect(await statusOf(scene.service, id)).toBe('completed')
          },
          { timeout: 60_000, interval: 200 },
        )
        // Long enough for a lease that ran out during the stall to have its job taken again.
        await sleep(FULL ? 12_000 : 2_000)
        expect([...scene.runs.values()]).toEqual(Array.from({ length: OPERATIONS }, () => 1))
      } finally {
        await close(scene)
        await server.close()
      }
    },
    200_000,
  )
})

async function openFrozen(start: typeof startRedis | typeof startPostgres): Promise<Stallable> {
  const server = await start()
  return { url: server.url, stall: server.freeze, close: server.stop }
}

async function openLocked(): Promise<Stallable> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-stall-'))
  const file = join(folder, 'state.db')
  const holder = new Database(file)
  return {
    url: `sqlite:${file}`,
    stall: async (stalled) => void holder.exec(stalled ? 'BEGIN IMMEDIATE' : 'ROLLBACK'),
    async close() {
      holder.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
