import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { openStore, type Store } from '../../src/entries/store.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, createTestLog, dataOf } from '../support/forrst.ts'
import { prepareBackends } from './store-backends.ts'

const COUNT = process.env['WAYMARK_FAULTS'] === 'full' ? 200 : 20
const ASYNC = 'urn:forrst:ext:async'

/** One process of a service, in one version of its only function. */
function startProcess(store: Store, version: string, title = 'Deploys') {
  const ran: number[] = []
  const service = createService({
    info: { title, version },
    functions: [
      defineFunction({
        name: 'work.do',
        version,
        input: { type: 'object', properties: { n: { type: 'integer' } } },
        handler({ input }) {
          const { n } = input as { n: number }
          ran.push(n)
          return { n, version }
        },
      }),
    ],
    store,
    log: createTestLog(),
  })
  service.start()
  return { service, ran }
}

async function start(service: Service, version: string, n: number): Promise<string | undefined> {
  const answer = await call(service, {
    function: 'work.do',
    version,
    arguments: { n },
    extensions: [{ urn: ASYNC, options: { preferred: true } }],
  })
  return dataOf(answer, ASYNC)?.['operation_id'] as string | undefined
}

async function untilCompleted(service: Service, ids: readonly string[], version: string) {
  for (const operation_id of ids) {
    await vi.waitFor(
      async () => {
        const { body } = await call(service, {
          function: 'urn:cline:forrst:ext:async:fn:status',
          arguments: { operation_id },
        })
        expect(body.result).toMatchObject({ status: 'completed', result: { version } })
      },
      { timeout: 60_000, interval: 100 },
    )
  }
}

const numbers = Array.from({ length: COUNT }, (_, n) => n)

for (const backend of await prepareBackends(['memory', 'sqlite', 'redis', 'postgres'])) {
  if ('missing' in backend) {
    it.skip(`a rolling deploy on ${backend.name} (no server and no binary to start one)`, () => {})
    continue
  }
  describe(`a rolling deploy on ${backend.name}`, () => {
    afterAll(() => backend.cleanUp())

    it('loses nothing: each operation runs once, in its own version', async () => {
      const store = await backend.open()
      const old = startProcess(store, '1.0.0')
      const next = startProcess(store, '2.0.0')
      const other = startProcess(store, '1.0.0', 'Another service')
      const early = await Promise.all(numbers.map((n) => start(old.service, '1.0.0', n)))
      const late = await Promise.all(numbers.map((n) => start(next.service, '2.0.0', n)))
      await untilCompleted(
        old.service,
        early.filter((id) => id !== undefined),
        '1.0.0',
      )
      await untilCompleted(
        next.service,
        late.filter((id) => id !== undefined),
        '2.0.0',
      )
      expect([early.length, late.length]).toEqual([COUNT, COUNT])
      expect(old.ran.toSorted((a, b) => a - b)).toEqual(numbers)
      expect(next.ran.toSorted((a, b) => a - b)).toEqual(numbers)
      expect(other.ran).toEqual([])
      for (const { service } of [old, next, other]) await service.close()
      await store.close()
    }, 240_000)
  })
}

describe('a full disk under SQLite', () => {
  it('refuses new operations, and loses none that it accepted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-full-'))
    const file = join(folder, 'state.db')
    let disk: InstanceType<typeof Database> | undefined
    class WatchedDatabase extends Database {
      constructor(path: string, options?: Database.Options) {
        super(path, options)
        disk = this
      }
    }
    const load = async () => ({ default: WatchedDatabase })
    const store = await openStore(`sqlite:${file}`, { load })
    const { service, ran } = startProcess(store, '1.0.0')
    const accepted: string[] = []
    let refused = 0
    try {
      for (let n = 0; n < 60; n += 1) {
        // SQLite makes a limit below the present size the present size: there is no more room, for a while.
        if (n === 20) disk?.exec('PRAGMA max_page_count = 1')
        if (n === 40) disk?.exec('PRAGMA max_page_count = 1000000')
        const id = await start(service, '1.0.0', n)
        if (id === undefined) refused += 1
        else accepted.push(id)
        await sleep(5)
      }
      await untilCompleted(service, accepted, '1.0.0')
      expect(accepted.length + refused).toBe(60)
      expect(accepted.length).toBeGreaterThanOrEqual(20)
      expect(refused).toBeGreaterThan(0)
      expect(new Set(ran).size).toBe(ran.length)
    } finally {
      await service.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }, 120_000)
})
