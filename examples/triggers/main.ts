// A webhook, a queue and a clock drive the events service: each event is planned once, whatever arrives twice.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Webhook } from 'standardwebhooks'
import { serve } from 'waymark'
import { createMemoryStore } from 'waymark/store'
import { createTriggers } from 'waymark/triggers'
import { createEventsService } from '../events/main.ts'
import { hallBooked, nightlyDoors, wishQueued } from './triggers.ts'

const REDIS = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
const SECRET = `whsec_${Buffer.from('a secret both sides know').toString('base64')}`

/** Plays the story; answers false when there is no Redis to play the queue. */
export async function playTriggers(): Promise<boolean> {
  const redis = await connectRedis()
  if (redis === undefined) return false
  const stream = `wishes-${randomUUID()}`
  const store = createMemoryStore()
  const service = createEventsService({ database: ':memory:', store })
  // The night of the story begins two seconds before two o'clock in Berlin.
  const shift = Date.parse('2027-04-30T23:59:58Z') - Date.now()
  const clock = { now: () => Date.now() + shift, elapsed: () => performance.now() }
  const triggers = createTriggers({
    service,
    store,
    clock,
    triggers: [
      hallBooked,
      { ...wishQueued, queue_url: `redis://127.0.0.1/${stream}` },
      nightlyDoors,
    ],
    env: { HALLS_WEBHOOK_SECRET: SECRET, WISHES_QUEUE: REDIS },
  })
  const server = await serve(service, { port: 0, triggers })
  try {
    // A sender that is not sure sends twice; so does a queue whose consumer was slow.
    const booking = { booking: { title: 'Jazz night', from: '2027-06-01T19:00:00Z' } }
    for (const id of ['msg_1', 'msg_1']) {
      assert.equal(await post(`${server.url}${hallBooked.path}`, id, booking, clock.now()), 202)
    }
    assert.equal(await post(`${server.url}${hallBooked.path}`, 'msg_2', booking, 0), 401)
    const wish = JSON.stringify({ name: 'Book fair', starts_at: '2027-07-01T09:00:00Z' })
    for (const id of ['wish_1', 'wish_1']) {
      await redis.xadd(stream, '*', 'payload', wish, 'message_id', id)
    }
    // A message nobody can make sense of does not stop the others.
    await redis.xadd(stream, '*', 'payload', '{"name":""}', 'message_id', 'wish_2')

    const done = await waitForDeliveries(triggers)
    assert.deepEqual(done, [
      'hall_booked done',
      'nightly_doors done',
      'wish_queued dead',
      'wish_queued done',
    ])
    const [dead] = (await triggers.deliveries({ state: 'dead' })).deliveries
    assert.equal(dead?.attempts[0]?.errors?.[0]?.code, 'INVALID_ARGUMENTS')
    const next = (await triggers.list()).find(({ name }) => name === 'nightly_doors')?.next?.[0]
    assert.equal(next, Date.parse('2027-05-02T00:00:00Z'))
    assert.deepEqual(await planned(server.url), ['Book fair', 'Jazz night', 'Open doors'])
    return true
  } finally {
    await server.close()
    await redis.del(stream)
    redis.disconnect()
  }
}

async function post(url: string, id: string, payload: object, now: number): Promise<number> {
  const body = JSON.stringify(payload)
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': new Webhook(SECRET).sign(id, new Date(now), body),
    },
  })
  return response.status
}

/** The names of the events that were planned tonight. */
async function planned(url: string): Promise<string[]> {
  const response = await fetch(`${url}/api/events.list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'draft' }),
  })
  const events = (await response.json()) as { name: string }[]
  const wanted = new Set(['Book fair', 'Jazz night', 'Open doors'])
  return events
    .map(({ name }) => name)
    .filter((name) => wanted.has(name))
    .sort()
}

async function waitForDeliveries(triggers: ReturnType<typeof createTriggers>): Promise<string[]> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { deliveries } = await triggers.deliveries()
    const ended = deliveries.filter(({ state }) => state === 'done' || state === 'dead')
    if (ended.length >= 4) return ended.map(({ trigger, state }) => `${trigger} ${state}`).sort()
    await sleep(100)
  }
  throw new Error('The deliveries did not end in time')
}

async function connectRedis(): Promise<Redis | undefined> {
  const redis = new Redis(REDIS, { lazyConnect: true, retryStrategy: () => null })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return redis
  } catch (thrown) {
    if (process.env['CI'] === 'true') throw thrown
    return undefined
  }
}
