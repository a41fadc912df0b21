import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../entries/store.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import { type Delivery, toDelivery } from './delivery.ts'
import { createDeliveryLog, type DeliveryLog, type DeliveryQuery } from './log.ts'

const START = Date.UTC(2026, 0, 1)

function orderOf(name: string, at: number): Delivery {
  const trigger: QueueTrigger = {
    type: 'queue',
    name,
    description: 'Orders',
    tool: 'orders.take',
    queue_url: 'amqp://127.0.0.1/orders',
  }
  return toDelivery(trigger, { id: `${name}-${at}`, payload: null }, START + at)
}

function openLog() {
  const store = createMemoryStore()
  return { store, log: createDeliveryLog(store, 'shop') }
}

async function keep(log: DeliveryLog, deliveries: readonly Delivery[]): Promise<void> {
  await Promise.all(
    deliveries.map(async (delivery) => {
      await log.create(delivery)
      await log.index(delivery)
    }),
  )
}

async function readAll(log: DeliveryLog, query: DeliveryQuery, between = async () => {}) {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await log.list({ ...query, ...(cursor !== undefined && { cursor }) })
    expect(page.deliveries.length).toBeLessThanOrEqual(query.limit ?? 20)
    ids.push(...page.deliveries.map(({ eventId }) => eventId))
    cursor = page.cursor
    await between()
  } while (cursor !== undefined)
  return ids
}

const count = (length: number) => Array.from({ length }, (_, at) => at)

describe('deliveries that come together', () => {
  it('are listed each once, the newest first, whatever the size of a page', async () => {
    const { log } = openLog()
    await keep(
      log,
      count(250).map((at) => orderOf(at % 3 === 0 ? 'b' : 'a', at)),
    )
    const all = count(250).reverse()
    const expected = all.map((at) => `${at % 3 === 0 ? 'b' : 'a'}-${at}`)
    for (const limit of [1, 7, 40, 100]) expect(await readAll(log, { limit })).toEqual(expected)
    const ofB = expected.filter((id) => id.startsWith('b'))
    for (const limit of [9, 100]) expect(await readAll(log, { trigger: 'b', limit })).toEqual(ofB)
  })

  it('stay where they are for a reader who turns pages while more come', async () => {
    const { log } = openLog()
    await keep(
      log,
      count(90).map((at) => orderOf('a', at)),
    )
    let next = 90
    const seen = await readAll(log, { limit: 20 }, async () => {
      await keep(log, [orderOf('a', next)])
      next += 1
    })
    expect(seen).toEqual(
      count(90)
        .reverse()
        .map((at) => `a-${at}`),
    )
  })

  it('share their list entries', async () => {
    const { store, log } = openLog()
    await keep(
      log,
      count(100).map((at) => orderOf('a', at)),
    )
    expect(store.size).toBe(100 + 2)
  })

  it('cannot be reached with a cursor from elsewhere', async () => {
    const { log } = openLog()
    const foreign = Buffer.from('trigger:shop:delivery:dlv_1').toString('base64url')
    for (const cursor of [foreign, `${foreign}.3`, 'x.y', '']) {
      await expect(log.list({ cursor })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
    }
  })
})
