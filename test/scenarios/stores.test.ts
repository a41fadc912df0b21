import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endMaintenance, startMaintenance } from '../../src/extensions/maintenance/state.ts'
import type { ResponseDocument } from '../../src/wire/envelope.ts'
import { prepareBackends } from '../faults/store-backends.ts'
import { type Served, serveEvents } from './served.ts'

const ASYNC = 'urn:cline:forrst:ext:async:fn:'
const WAIT = { timeout: 15_000, interval: 50 }
const EVENT = { name: 'Fair', starts_at: '2027-05-01T09:00:00Z' }
const MINUTE = { value: 1, unit: 'minute' }

const dataOf = ({ extensions }: ResponseDocument, name: string) =>
  extensions?.find(({ urn }) => urn === `urn:forrst:ext:${name}`)?.data as
    | Record<string, unknown>
    | undefined

const backends = await prepareBackends(['memory', 'sqlite', 'redis', 'postgres'])

describe.each(backends.map((backend) => [backend.name, backend] as const))(
  'npm start with its state in %s',
  (_, backend) => {
    const missing = 'missing' in backend
    const folder = mkdtempSync(join(tmpdir(), 'waymark-scenarios-'))
    let served: Served
    const start = async () => {
      if (missing) return
      const { url: store = 'memory:', namespace } = backend
      served = await serveEvents({ store, namespace, database: join(folder, 'events.db') })
    }
    beforeAll(start, 30_000)
    afterAll(async () => {
      await served?.stop()
      if (!missing) await backend.cleanUp()
      rmSync(folder, { recursive: true, force: true })
    }, 30_000)

    const begin = async (extensions: Readonly<Record<string, object>> = {}) => {
      const answer = await served.call('events.create', EVENT, {
        async: { preferred: true },
        ...extensions,
      })
      expect(answer.errors).toBeUndefined()
      return String(dataOf(answer, 'async')?.['operation_id'])
    }
    const statusOf = async (id: string) =>
      (await served.call(`${ASYNC}status`, { operation_id: id })).result as Record<string, unknown>
    const until = (id: string, status: string) =>
      vi.waitFor(async () => expect(await statusOf(id)).toMatchObject({ status }), WAIT)

    describe.skipIf(missing)('passes every scenario', () => {
      it('answers a plain call', async () => {
        expect((await served.call('events.create', EVENT)).result).toMatchObject({ name: 'Fair' })
      })

      it('runs a repeated call once', async () => {
        const extensions = { idempotency: { key: 'order:1' } }
        const first = await served.call('events.create', EVENT, extensions)
        const second = await served.call('events.create', EVENT, extensions)
        expect(second.result).toEqual(first.result)
        expect([dataOf(first, 'idempotency'), dataOf(second, 'idempotency')]).toMatchObject([
          { status: 'processed' },
          { status: 'cached' },
        ])
      })

      it('lets one caller hold a lock', async () => {
        const lock = { key: 'hall', ttl: MINUTE, owner: 'ada', auto_release: false }
        const held = await served.call('events.create', EVENT, { 'atomic-lock': lock })
        expect(dataOf(held, 'atomic-lock')).toMatchObject({ acquired: true })
        const refused = await served.call('events.create', EVENT, {
          'atomic-lock': { key: 'hall', ttl: MINUTE },
        })
        expect(refused.errors?.[0]).toMatchObject({ code: 'LOCK_ACQUISITION_FAILED' })
        const key = 'forrst_lock:events.create:hall'
        const release = 'urn:cline:forrst:ext:atomic-lock:fn:release'
        expect((await served.call(release, { key, owner: 'ada' })).result).toMatchObject({
          released: true,
        })
      })

      it('takes a call, goes on in the background and gives its result', async () => {
        const id = await begin()
        await until(id, 'completed')
        expect(await statusOf(id)).toMatchObject({ result: { name: 'Fair', status: 'draft' } })
      })

      it('gives the operation, and later the result, to whoever repeats the call', async () => {
        const extensions = { idempotency: { key: 'order:2' } }
        const id = await begin(extensions)
        await until(id, 'completed')
        const call = () =>
          served.call('events.create', EVENT, { async: { preferred: true }, ...extensions })
        await vi.waitFor(
          async () => expect((await call()).result).toMatchObject({ name: 'Fair' }),
          WAIT,
        )
      })

      it('cancels an operation that waits for a lock', async () => {
        const key = 'stage'
        const mine = { key, ttl: MINUTE, owner: 'ada', auto_release: false }
        await served.call('events.create', EVENT, { 'atomic-lock': mine })
        const id = await begin({ 'atomic-lock': { key, ttl: MINUTE, block: MINUTE } })
        await until(id, 'processing')
        const cancelled = await served.call(`${ASYNC}cancel`, { operation_id: id })
        expect(cancelled.result).toMatchObject({ operation_id: id, status: 'cancelled' })
        expect(await statusOf(id)).toMatchObject({ status: 'cancelled' })
        const again = await served.call(`${ASYNC}cancel`, { operation_id: id })
        expect(again.errors?.[0]).toMatchObject({ code: 'ASYNC_CANNOT_CANCEL' })
      })

      it('lists operations, the newest first, page by page', async () => {
        const id = await begin()
        const list = async (input: object) =>
          (await served.call(`${ASYNC}list`, input)).result as {
            operations: { id: string; status: string }[]
            next_cursor: string | null
          }
        const first = await list({ limit: 1 })
        expect(first.operations).toMatchObject([{ id }])
        const second = await list({ limit: 1, cursor: first.next_cursor })
        expect(second.operations).toHaveLength(1)
        expect(second.operations[0]?.id).not.toBe(id)
        const cancelled = await list({ status: 'cancelled' })
        expect(cancelled.operations).toHaveLength(1)
      })

      it('spares a caller what it knows', async () => {
        const { result } = await served.call('events.create', EVENT)
        const { id } = result as { id: string }
        const first = await served.call('events.get', { id }, { caching: {} })
        const known = { if_none_match: dataOf(first, 'caching')?.['etag'] }
        const second = await served.call('events.get', { id }, { caching: known })
        expect(first.result).not.toBeNull()
        expect([second.result, dataOf(second, 'caching')?.['cache_status']]).toEqual([null, 'hit'])
      })

      it('answers a query', async () => {
        const query = { pagination: { limit: 2 } }
        const { result, errors } = await served.call('events.list', {}, { query })
        expect(errors).toBeUndefined()
        expect((result as { data: unknown[] }).data).toHaveLength(2)
      })
    })

    if (missing || backend.name === 'memory') return
    describe('after its process was killed', () => {
      const name = 'events.create'
      const key = { idempotency: { key: 'order:3' } }
      const late = { name: 'Late fair', starts_at: '2031-05-01T09:00:00Z' }
      let first: ResponseDocument
      let done: string
      let replay: ReturnType<typeof dataOf>

      beforeAll(async () => {
        first = await served.call(name, EVENT, key)
        done = await begin()
        await until(done, 'completed')
        const store = await backend.open()
        await startMaintenance(store, { function: name, reason: 'Move' })
        await vi.waitFor(async () => {
          const [refusal] = (await served.call(name, EVENT)).errors ?? []
          expect(refusal).toMatchObject({ code: 'FUNCTION_MAINTENANCE' })
        }, WAIT)
        replay = dataOf(await served.call(name, late, { replay: {} }), 'replay')
        await served.crash()
        await endMaintenance(store, name)
        await store.close()
        await start()
      }, 40_000)

      it('remembers what it did', async () => {
        expect((await served.call(name, EVENT, key)).result).toEqual(first.result)
        expect(await statusOf(done)).toMatchObject({ status: 'completed' })
        const next = await begin()
        await until(next, 'completed')
      }, 20_000)

      it('runs a call that it kept during maintenance, once', async () => {
        expect(replay).toMatchObject({ status: 'queued', reason: 'FUNCTION_MAINTENANCE' })
        const input = { replay_id: replay?.['replay_id'] }
        const completed = { status: 'completed', attempts: 1, result: { name: 'Late fair' } }
        await vi.waitFor(async () => {
          const { result } = await served.call('forrst.replay.status', input)
          expect(result).toMatchObject(completed)
        }, WAIT)
        const only = { attribute: 'starts_at', operator: 'eq', value: late.starts_at }
        const query = { filters: { self: [only] } }
        const { result } = await served.call('events.list', {}, { query })
        expect((result as { data: unknown[] }).data).toHaveLength(1)
      }, 20_000)
    })
  },
)
