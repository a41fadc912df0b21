import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { BUSES, openBusPlace, type TestBusPlace } from '../../../test/support/event-buses.ts'
import { createEventBus, type EventBus, openEventBus } from '../../entries/triggers.ts'
import { CallError } from '../../errors/error.ts'
import type { BusEvent, BusSubscription } from './bus.ts'

describe.each(BUSES)('a bus on %s', (kind) => {
  let place: TestBusPlace | undefined
  let bus: EventBus
  let other: EventBus
  beforeAll(async () => {
    place = await openBusPlace(kind)
    if (place === undefined) return
    bus = await place.open()
    other = await place.open()
  })
  afterAll(() => place?.close())

  const ready = (context: { skip: (note?: string) => void }) => {
    if (place === undefined) context.skip(`${kind} is not installed`)
  }

  /** Listens on one end and remembers what was kept. */
  async function listen(
    end: EventBus,
    over: Partial<BusSubscription> & Pick<BusSubscription, 'event'>,
  ): Promise<{ kept: BusEvent[]; stop: () => Promise<void> }> {
    const kept: BusEvent[] = []
    const { stop } = await end.subscribe({
      group: `shop-${over.event.replace(/\W/g, '_')}`,
      keep: async (event) => void kept.push(event),
      answer: async ({ payload }) => ({ echoed: payload }),
      ...over,
    })
    return { kept, stop }
  }

  const soon = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 })

  it('brings an event to everybody who listens to its name', async (context) => {
    ready(context)
    const exact = await listen(bus, { event: 'a.created', group: 'one' })
    const wide = await listen(other, { event: 'a.*', group: 'two' })
    const foreign = await listen(other, { event: 'a.deleted', group: 'three' })
    const id = await bus.emit('a.created', { n: 1 })
    await bus.emit('a.created.late', { n: 2 })
    await bus.emit('a.deleted', { n: 3 }, { id: 'mine' })
    const first = { id, event: 'a.created', payload: { n: 1 } }
    const last = { id: 'mine', event: 'a.deleted', payload: { n: 3 } }
    await soon(() => expect(wide.kept).toEqual([first, last]))
    await soon(() => expect(foreign.kept).toEqual([last]))
    expect(exact.kept).toEqual([first])
    await Promise.all([exact, wide, foreign].map(({ stop }) => stop()))
  }, 20_000)

  it('asks one listener and waits for its result', async (context) => {
    ready(context)
    const listener = await listen(other, { event: 'price.*' })
    expect(await bus.ask('price.asked', { sku: 'x' })).toEqual({ echoed: { sku: 'x' } })
    expect(listener.kept).toEqual([])
    await listener.stop()
  }, 20_000)

  it('rejects a question nobody listens to', async (context) => {
    ready(context)
    const listener = await listen(other, { event: 'price.asked' })
    await expect(bus.ask('nobody.here', null)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await listener.stop()
    await expect(bus.ask('price.asked', null)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }, 20_000)

  it('rejects a question whose listener fails, or takes too long', async (context) => {
    ready(context)
    const fails = await listen(other, {
      event: 'price.fails',
      answer: () => Promise.reject(new CallError('UNAVAILABLE', { message: 'sold out' })),
    })
    const sleeps = await listen(other, {
      event: 'price.sleeps',
      answer: () => new Promise(() => {}),
    })
    await expect(bus.ask('price.fails', null)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'sold out',
    })
    await expect(bus.ask('price.sleeps', null, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    })
    await Promise.all([fails.stop(), sleeps.stop()])
  }, 20_000)

  it('refuses names that cannot travel', async (context) => {
    ready(context)
    for (const name of ['', 'a..b', 'a.*', 'a b', '>', 'x'.repeat(300)]) {
      await expect(bus.emit(name, null)).rejects.toThrow(TypeError)
    }
  })

  if (kind === 'memory') return

  it('gives each event to one process of a group', async (context) => {
    ready(context)
    const here = await listen(bus, { event: 'shared.work' })
    const there = await listen(other, { event: 'shared.work' })
    await Promise.all(Array.from({ length: 50 }, (_, n) => bus.emit('shared.work', n)))
    await soon(() => expect(here.kept.length + there.kept.length).toBe(50))
    const payloads = [...here.kept, ...there.kept].map(({ payload }) => payload)
    expect(new Set(payloads).size).toBe(50)
    await Promise.all([here.stop(), there.stop()])
  }, 20_000)

  it('brings an event again that could not be kept', async (context) => {
    ready(context)
    let failures = 2
    const kept: BusEvent[] = []
    const listener = await listen(other, {
      event: 'rough.road',
      async keep(event) {
        failures -= 1
        if (failures >= 0) throw new CallError('UNAVAILABLE')
        kept.push(event)
      },
    })
    const id = await bus.emit('rough.road', 'x')
    await soon(() => expect(kept.map((event) => event.id)).toEqual([id]))
    await listener.stop()
  }, 20_000)

  it('keeps events while no process of the group listens', async (context) => {
    ready(context)
    const before = await listen(bus, { event: 'night.shift' })
    await before.stop()
    await bus.emit('night.shift', 1)
    const after = await listen(other, { event: 'night.shift' })
    await soon(() => expect(after.kept.map(({ payload }) => payload)).toEqual([1]))
    await after.stop()
  }, 20_000)
})

describe('openEventBus', () => {
  it('names the package that is missing', async () => {
    const load = () => Promise.reject(Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' }))
    await expect(openEventBus('nats://127.0.0.1', { load })).rejects.toThrow(
      'A nats: bus needs the package "@nats-io/transport-node": run npm install @nats-io/transport-node',
    )
  })

  it('refuses an address it does not know, without repeating it', async () => {
    await expect(openEventBus('kafka://me:secret@host')).rejects.toThrow(
      /must be one of memory:, nats:.*not kafka:$/,
    )
  })

  it('answers UNAVAILABLE while the server is away', async () => {
    const bus = await openEventBus('nats://127.0.0.1:1')
    await expect(bus.emit('a.b', null)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await bus.close()
  })
})

describe('a bus in this process', () => {
  it('tells the others although one listener fails', async () => {
    const bus = createEventBus()
    const kept: string[] = []
    const answer = async () => null
    await bus.subscribe({
      group: 'a',
      event: 'x',
      answer,
      keep: () => Promise.reject(new Error('a')),
    })
    await bus.subscribe({ group: 'b', event: 'x', answer, keep: async ({ id }) => kept.push(id) })
    await expect(bus.emit('x', null, { id: '1' })).rejects.toThrow('a')
    expect(kept).toEqual(['1'])
  })
})
