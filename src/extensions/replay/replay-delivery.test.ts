import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createManualJobs } from '../../../test/support/manual-jobs.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { createMemoryStore, openStore, type Store } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import { maintenanceExtension } from '../maintenance/maintenance.ts'
import { endMaintenance, startMaintenance } from '../maintenance/state.ts'
import { createOutgoing, type Outgoing } from '../outgoing/outgoing.ts'
import { replayExtension } from './replay.ts'

const URN = 'urn:forrst:ext:replay'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const MINUTE = 60_000

let receiver: Receiver | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

async function setUp() {
  receiver = await startReceiver()
  const clock = createTestClock(Date.now())
  const jobs = createManualJobs(clock)
  const store = createMemoryStore()
  const outgoing = createOutgoing({ jobs, clock, secret: SECRET, allowLoopback: true })
  const failures: string[] = []
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        handler() {
          const code = failures.shift()
          if (code) throw new CallError(code)
          return { id: 'o1' }
        },
      }),
    ],
    extensions: [
      replayExtension({ store, jobs, outgoing }),
      maintenanceExtension({ store, refresh: { value: 0, unit: 'second' } }),
    ],
    clock,
    log: createTestLog(),
  })
  service.start()
  const ask = (callback: object, more: object = {}) =>
    call(service, {
      function: 'orders.create',
      extensions: [{ urn: URN, options: { callback, ...more } }],
    })
  return { service, store, clock, jobs, ask, failures, url: `${receiver.url}/replayed`, outgoing }
}

describe('callbacks of replays', () => {
  it('tell that a replay is completed, signed and with the headers of the caller', async () => {
    const { store, clock, jobs, ask, url } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    const queued = await ask({ url, headers: { Authorization: 'Bearer t' } })
    const id = String(dataOf(queued, URN)?.['replay_id'])
    await endMaintenance(store)
    await jobs.runFor(MINUTE)
    const [got] = receiver?.received ?? []
    expect(got?.headers).toMatchObject({
      authorization: 'Bearer t',
      'webhook-id': id.replace('rpl_', 'msg_'),
    })
    const headers = got?.headers as Record<string, string>
    expect(new Webhook(SECRET).verify(got?.body ?? '', headers)).toEqual({
      event: 'replay.completed',
      timestamp: expect.any(String),
      data: {
        replay_id: id,
        status: 'completed',
        original_request_id: 'req_1',
        function: 'orders.create',
        result: { id: 'o1' },
        queued_at: expect.any(String),
        replayed_at: expect.any(String),
      },
    })
    expect(receiver?.received).toHaveLength(1)
  })

  it('tell that a replay failed or expired', async () => {
    const { store, clock, jobs, ask, url, failures } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' }, clock.now())
    await ask({ url }, { ttl: { value: 1, unit: 'minute' } })
    clock.advance(2 * MINUTE)
    await ask({ url })
    failures.push('CONFLICT')
    await endMaintenance(store)
    await jobs.runFor(MINUTE)
    const bodies = receiver?.received.map(({ body }) => JSON.parse(body))
    expect(bodies).toMatchObject([
      { event: 'replay.expired', data: { status: 'expired' } },
      { event: 'replay.failed', data: { status: 'failed', errors: [{ code: 'CONFLICT' }] } },
    ])
  })

  it.each([
    [{ url: 'http://example.com/' }, 'callback/url'],
    [{ url: 'https://169.254.169.254/' }, 'callback/url'],
    [{}, 'callback/url'],
    [{ url: 'https://example.com/', headers: { 'x-a': 'b\r\nc: d' } }, 'callback/headers'],
    [{ url: 'https://example.com/', headers: { Host: 'evil' } }, 'callback/headers'],
    [{ url: 'https://example.com/', headers: [] }, 'callback/headers'],
  ])('are refused as %j before anything is queued', async (callback, path) => {
    const { ask } = await setUp()
    const refused = await ask(callback)
    expect(refused.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${path}` },
    })
  })
})

describe('a process that ends', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-replay-'))
  const address = `sqlite:${join(folder, 'state.db')}`
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function startProcess(runs: string[]): Promise<{
    readonly service: Service
    readonly store: Store
    readonly outgoing: Outgoing
    readonly stop: () => Promise<void>
  }> {
    const store = await openStore(address)
    const jobs = createInProcessQueue(store, { pollMs: 20 })
    const outgoing = createOutgoing({ jobs, secret: SECRET, allowLoopback: true })
    const service = createService({
      info: { title: 'Orders', version: '1.0.0' },
      functions: [
        defineFunction({
          name: 'orders.create',
          version: '1.0.0',
          handler: ({ call: { id, context } }) => {
            runs.push(`${id} ${JSON.stringify(context)}`)
            return id
          },
        }),
      ],
      extensions: [
        replayExtension({ store, jobs, outgoing, poll: { value: 1, unit: 'second' } }),
        maintenanceExtension({ store, refresh: { value: 1, unit: 'millisecond' } }),
      ],
      log: createTestLog(),
    })
    service.start()
    const stop = async () => {
      await service.close()
      await jobs.close()
      await store.close()
    }
    return { service, store, outgoing, stop }
  }

  it('loses no queued call and no callback', { timeout: 30_000 }, async () => {
    receiver = await startReceiver()
    const { url, received } = receiver
    const runs: string[] = []
    const first = await startProcess(runs)
    await startMaintenance(first.store, { reason: 'Upgrade' })
    for (const id of ['req_1', 'req_2', 'req_3']) {
      const queued = await call(first.service, {
        function: 'orders.create',
        id,
        context: { tenant: 'a' },
        extensions: [{ urn: URN, options: { callback: { url } } }],
      })
      expect(queued.status).toBe(202)
    }
    await first.stop()
    const second = await startProcess(runs)
    await endMaintenance(second.store)
    for (let left = 600; left > 0 && received.length < 3; left -= 1) await sleep(20)
    await second.stop()
    expect(runs).toEqual([1, 2, 3].map((n) => `req_${n} {"tenant":"a"}`))
    const ids = received.map(({ body }) => JSON.parse(body).data.original_request_id)
    expect(ids.toSorted()).toEqual(['req_1', 'req_2', 'req_3'])
  })
})
