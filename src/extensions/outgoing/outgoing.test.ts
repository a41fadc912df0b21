import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestClock, createTestLog } from '../../../test/support/forrst.ts'
import { createManualJobs } from '../../../test/support/manual-jobs.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import { createOutgoing, type OutgoingOptions, type OutgoingRequest } from './outgoing.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const MINUTE = 60_000

function setUp(options: Partial<OutgoingOptions> = {}) {
  const clock = createTestClock(Date.now())
  const jobs = createManualJobs(clock)
  const log = createTestLog()
  const outgoing = createOutgoing({
    jobs,
    clock,
    log,
    secret: SECRET,
    allowLoopback: true,
    random: () => 0,
    ...options,
  })
  return { clock, jobs, log, outgoing }
}

let receiver: Receiver | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

const toRequest = (url: string, rest: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  id: 'msg_1',
  url,
  body: '{"ok":true}',
  ...rest,
})

describe('outgoing deliveries', () => {
  it('[F-237] sends a signed POST that the official package believes', async () => {
    receiver = await startReceiver()
    const { jobs, outgoing } = setUp()
    await outgoing.send(toRequest(`${receiver.url}/hook?x=1`, { signature: 'standard' }))
    await jobs.runDue()
    const [got] = receiver.received
    expect(got).toMatchObject({ method: 'POST', path: '/hook?x=1', body: '{"ok":true}' })
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'msg_1',
    })
    const headers = got?.headers as Record<string, string>
    expect(new Webhook(SECRET).verify(got?.body ?? '', headers)).toEqual({ ok: true })
    expect(jobs.waiting()).toEqual([])
  })

  it('signs Forrst callbacks with the text of the first secret', async () => {
    receiver = await startReceiver()
    const { jobs, outgoing } = setUp({ secret: ['plain text', 'older'] })
    expect(outgoing.signs('standard')).toBe(false)
    await outgoing.send(toRequest(receiver.url, { signature: 'forrst' }))
    await jobs.runDue()
    const digest = createHmac('sha256', 'plain text').update('{"ok":true}').digest('hex')
    expect(receiver.received[0]?.headers['x-forrst-signature']).toBe(`sha256=${digest}`)
  })

  it('tries again after 5 s, 30 s, 2 min, 10 min and 1 h: same id, fresh signature, then gives up with a line', async () => {
    receiver = await startReceiver((response) => response.writeHead(500).end('no'))
    const { jobs, outgoing, clock, log } = setUp()
    const start = clock.now()
    await outgoing.send(toRequest(`${receiver.url}/secret-path`, { signature: 'standard' }))
    const moments: number[] = []
    for (let attempt = 0; attempt < 6; attempt += 1) {
      moments.push((jobs.waiting()[0]?.at ?? 0) - start)
      clock.advance((jobs.waiting()[0]?.at ?? 0) - clock.now())
      await jobs.runDue()
    }
    expect(moments).toEqual([0, 5_000, 35_000, 155_000, 755_000, 4_355_000])
    expect(jobs.waiting()).toEqual([])
    const headers = receiver.received.map((request) => request.headers)
    expect(new Set(headers.map((header) => header['webhook-id']))).toEqual(new Set(['msg_1']))
    expect(new Set(headers.map((header) => header['webhook-timestamp'])).size).toBe(6)
    expect(new Set(headers.map((header) => header['webhook-signature'])).size).toBe(6)
    expect(log.lines.at(-1)).toMatchObject({
      message: 'a callback was given up',
      facts: { id: 'msg_1', attempt: 6, reason: 'status 500' },
    })
    const written = JSON.stringify(log.lines)
    expect(written).not.toContain('secret-path')
    expect(written).not.toContain(SECRET.slice(8))
  })

  it('adds up to a fifth to each delay, so that many callbacks do not come back at once', async () => {
    receiver = await startReceiver((response) => response.writeHead(500).end())
    const { jobs, outgoing, clock } = setUp({ random: () => 1 })
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect((jobs.waiting()[0]?.at ?? 0) - clock.now()).toBe(6_000)
  })

  it('stops at 410', async () => {
    receiver = await startReceiver((response) => response.writeHead(410).end())
    const { jobs, outgoing, log } = setUp()
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect(jobs.waiting()).toEqual([])
    expect(log.lines).toMatchObject([{ facts: { reason: 'status 410', attempt: 1 } }])
  })

  it.each([
    [429, '90', 90_000],
    [503, '90', 90_000],
    [503, '1', 5_000],
    [429, 'soon', 5_000],
    [429, '99999999', 24 * 60 * MINUTE],
    [500, '90', 5_000],
  ])('after %i with Retry-After %s comes back after %i ms', async (status, value, delay) => {
    receiver = await startReceiver((response) =>
      response.writeHead(status, { 'retry-after': value }).end(),
    )
    const { jobs, outgoing, clock } = setUp()
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect((jobs.waiting()[0]?.at ?? 0) - clock.now()).toBe(delay)
  })

  it('has delivered when the status is 2xx, however much is sent after it', async () => {
    receiver = await startReceiver((response) => response.writeHead(200).end('x'.repeat(1 << 20)))
    const { jobs, outgoing, log } = setUp()
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect(receiver.received).toHaveLength(1)
    expect([jobs.waiting(), log.lines]).toEqual([[], []])
  })

  it('gives a receiver that does not answer a limited time', async () => {
    receiver = await startReceiver((response) => {
      // A head, and then a byte now and then: what counts is the whole time.
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'), 50)
      response.on('close', () => clearInterval(timer))
    })
    const { jobs, outgoing, log } = setUp({ timeoutMs: 300 })
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect(log.lines).toMatchObject([{ facts: { reason: 'timeout' } }])
    expect(jobs.waiting()).toHaveLength(1)
  })

  it('follows no redirect', async () => {
    const inner = await startReceiver()
    receiver = await startReceiver((response) =>
      response.writeHead(307, { location: `${inner.url}/admin` }).end(),
    )
    const { jobs, outgoing, log } = setUp()
    await outgoing.send(toRequest(receiver.url))
    await jobs.runDue()
    expect(inner.received).toEqual([])
    expect(log.lines).toMatchObject([{ facts: { reason: 'redirect_refused' } }])
    await inner.close()
  })

  it('says so when a callback cannot be kept', async () => {
    const { jobs, outgoing } = setUp()
    jobs.fail(true)
    await expect(outgoing.send(toRequest('http://127.0.0.1:9/'))).rejects.toThrow('away')
  })

  it('survives the process: another one on the same store sends what waits', async () => {
    receiver = await startReceiver((response, _, count) =>
      response.writeHead(count === 1 ? 500 : 200).end(),
    )
    const store = createMemoryStore()
    const first = createInProcessQueue(store, { pollMs: 20 })
    const options = { allowLoopback: true, delaysMs: [200], secret: SECRET }
    const sender = createOutgoing({ ...options, jobs: first })
    await sender.send(toRequest(receiver.url, { signature: 'standard' }))
    while (receiver.received.length < 1) await sleep(10)
    await first.close()
    const second = createInProcessQueue(store, { pollMs: 20 })
    createOutgoing({ ...options, jobs: second }).start()
    for (let left = 500; left > 0 && receiver.received.length < 2; left -= 1) await sleep(20)
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      'msg_1',
      'msg_1',
    ])
    await second.close()
  })
})
