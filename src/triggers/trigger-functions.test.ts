import { afterEach, describe, expect, it, vi } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import type { Service } from '../core/service.ts'
import { createTriggers, type Triggers } from '../entries/triggers.ts'
import { CallError } from '../errors/error.ts'
import { listDiscoverable } from '../system/capabilities.ts'
import type { ServiceOptions } from '../system/create-service.ts'
import { triggerFunctions } from './trigger-functions.ts'

interface Shop {
  readonly triggers: Triggers
  readonly service: Service
  /** Makes the function succeed or fail. */
  working: boolean
}

const open: Triggers[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((triggers) => triggers.stop(100)))
})

async function openShop(options: Partial<ServiceOptions<[]>> = {}): Promise<Shop> {
  const service = serviceOf(
    [
      defineFunction({
        name: 'orders.ship',
        version: '1.0.0',
        handler() {
          if (!shop.working) throw new CallError('CONFLICT', { message: 'not paid' })
        },
      }),
    ],
    { unknownArguments: 'ignore', ...options },
  )
  const common = { description: 'Ships', tool: 'orders.ship' }
  const triggers = createTriggers({
    service,
    log: createTestLogger(),
    triggers: [
      { ...common, type: 'emit', name: 'paid', event: 'orders.paid' },
      { ...common, type: 'emit', name: 'found', event: 'orders.found' },
      { ...common, type: 'schedule', name: 'yearly', cron: '0 0 1 1 *', timezone: 'UTC' },
    ],
  })
  const shop: Shop = { triggers, service, working: true }
  open.push(triggers)
  await triggers.start()
  return shop
}

const THROUGH_PROXY = { 'x-forwarded-for': '203.0.113.9' }

async function ask({ service }: Shop, name: string, args: object = {}, headers = {}) {
  const { body } = await call(
    service,
    { function: `urn:waymark:forrst:ext:triggers:fn:${name}`, arguments: args },
    { headers },
  )
  return body as unknown as {
    result: {
      deliveries: { id: string; state: string; redelivered: number }[]
      cursor?: string
      triggers: unknown[]
      redelivered: string[]
    }
    errors?: { code: string }[]
  }
}

const settled = (shop: Shop, states: readonly string[]) =>
  vi.waitFor(
    async () => {
      const { deliveries } = await shop.triggers.deliveries({ limit: 100 })
      expect(deliveries.map(({ state }) => state)).toEqual(states)
    },
    { timeout: 10_000, interval: 20 },
  )

describe('the functions about triggers', () => {
  it('list triggers with their state and next runs, and stay out of discovery', async () => {
    const shop = await openShop()
    const { result } = await ask(shop, 'list')
    const paid = { name: 'paid', type: 'emit', tool: 'orders.ship', where: 'orders.paid' }
    expect(result.triggers[0]).toMatchObject({ ...paid, state: 'running' })
    const [, , yearly] = result.triggers as { next: string[] }[]
    expect(yearly?.next).toHaveLength(5)
    expect(yearly?.next[0]).toMatch(/^\d{4}-01-01T00:00:00.000Z$/)
    expect(listDiscoverable(shop.service)).toEqual(['orders.ship'])
  })

  it('try a trigger out once, only for those who may see deliveries, and keep nothing', async () => {
    const shop = await openShop()
    const { result } = await ask(shop, 'test', { trigger: 'yearly', dry_run: true })
    expect(result).toMatchObject({ trigger: 'yearly', tool: 'orders.ship', fits: true })
    expect(result).not.toHaveProperty('outcome')
    shop.working = false
    const { result: failed } = await ask(shop, 'test', { trigger: 'paid', payload: { id: 1 } })
    expect(failed).toMatchObject({
      arguments: { id: 1 },
      outcome: { ok: false, errors: [{ code: 'CONFLICT' }] },
    })
    const { result: unfit } = await ask(shop, 'test', { trigger: 'paid', payload: [1] })
    expect(unfit).toMatchObject({ fits: false, problems: [{ code: 'INVALID_ARGUMENTS' }] })
    expect(unfit).not.toHaveProperty('arguments')
    expect((await ask(shop, 'test', { trigger: 'piad' })).errors?.[0]?.code).toBe('NOT_FOUND')
    expect((await shop.triggers.deliveries()).deliveries).toEqual([])
    const refused = await ask(shop, 'test', { trigger: 'paid' }, THROUGH_PROXY)
    expect(refused.errors?.[0]?.code).toBe('FORBIDDEN')
  })

  it('list deliveries the newest first, a page at a time, by trigger and state', async () => {
    const shop = await openShop()
    shop.working = false
    await shop.triggers.emit('orders.paid', null)
    await settled(shop, ['dead'])
    shop.working = true
    for (const name of ['found', 'paid', 'found']) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await shop.triggers.emit(`orders.${name}`, null)
    }
    await settled(shop, ['done', 'done', 'done', 'dead'])
    const { result: first } = await ask(shop, 'deliveries', { limit: 3 })
    const { result: second } = await ask(shop, 'deliveries', { limit: 3, cursor: first.cursor })
    expect(first.deliveries).toHaveLength(3)
    expect(second.deliveries.map(({ state }) => state)).toEqual(['dead'])
    expect(second.cursor).toBeUndefined()
    const count = async (query: object) =>
      (await ask(shop, 'deliveries', query)).result.deliveries.length
    expect(await count({ trigger: 'found' })).toBe(2)
    expect(await count({ trigger: 'paid', state: 'done' })).toBe(1)
    expect(await count({ trigger: 'paid', state: 'dead' })).toBe(1)
    expect(await count({ trigger: 'found', state: 'dead' })).toBe(0)
    expect(await count({ state: 'dead' })).toBe(1)
  })

  it('send one delivery again, or every dead letter', async () => {
    const shop = await openShop()
    shop.working = false
    await shop.triggers.emit('orders.paid', null)
    await shop.triggers.emit('orders.found', null)
    await settled(shop, ['dead', 'dead'])
    shop.working = true
    const { result: dead } = await ask(shop, 'deliveries', { state: 'dead', trigger: 'paid' })
    const id = dead.deliveries[0]?.id ?? ''
    expect((await ask(shop, 'redeliver', { id })).result.redelivered).toEqual([id])
    await vi.waitFor(async () => {
      const { result } = await ask(shop, 'deliveries', { trigger: 'paid' })
      expect(result.deliveries).toMatchObject([{ id, state: 'done', redelivered: 1 }])
    })
    expect((await ask(shop, 'redeliver')).result.redelivered).toHaveLength(1)
    await settled(shop, ['done', 'done'])
    expect((await ask(shop, 'deliveries', { state: 'dead' })).result.deliveries).toEqual([])
  })

  it('send the other dead letters again when one cannot be, and tell which', async () => {
    const sent: string[] = []
    const triggers = {
      deliveries: async () => ({ deliveries: ['dlv_a', 'dlv_b', 'dlv_c'].map((id) => ({ id })) }),
      async redeliver(id: string) {
        if (id === 'dlv_a') throw new CallError('CONFLICT', { message: 'dlv_a is running' })
        sent.push(id)
      },
    } as unknown as Triggers
    const service = serviceOf([])
    const again = triggerFunctions(triggers, { service })[2]
    const answer = await again?.handler({
      input: {},
      call: { judgeLocal: () => undefined },
    } as never)
    expect(sent).toEqual(['dlv_b', 'dlv_c'])
    expect(answer).toEqual({
      redelivered: ['dlv_b', 'dlv_c'],
      more: false,
      refused: [{ id: 'dlv_a', code: 'CONFLICT', message: 'dlv_a is running' }],
    })
  })

  it('send a delivery again that was done, and refuse one that does not exist', async () => {
    const shop = await openShop()
    await shop.triggers.emit('orders.paid', null)
    await settled(shop, ['done'])
    const [done] = (await shop.triggers.deliveries()).deliveries
    await shop.triggers.redeliver(done?.id ?? '')
    await settled(shop, ['done'])
    expect((await ask(shop, 'redeliver', { id: 'dlv_none' })).errors?.[0]?.code).toBe('NOT_FOUND')
  })
})

describe('who may look at deliveries', () => {
  it('is nobody elsewhere without an authenticate hook', async () => {
    const shop = await openShop()
    for (const name of ['list', 'deliveries', 'redeliver']) {
      expect((await ask(shop, name, {}, THROUGH_PROXY)).errors?.[0]?.code).toBe('FORBIDDEN')
    }
  })

  it('is whoever the authenticate hook knows', async () => {
    const shop = await openShop({
      authenticate: ({ header }) => {
        const id = header('authorization')
        return id === undefined ? undefined : { id }
      },
    })
    expect((await ask(shop, 'list')).errors?.[0]?.code).toBe('FORBIDDEN')
    const known = await ask(shop, 'list', {}, { authorization: 'ada' })
    expect(known.result.triggers).toHaveLength(3)
  })
})

describe('createTriggers', () => {
  const common = { type: 'emit', name: 'x', description: 'x', event: 'x' } as const
  const service = () =>
    serviceOf([defineFunction({ name: 'orders.ship', version: '1.0.0', handler: () => null })])

  it.each([
    [[{ ...common, tool: 'orders.lost' }], 'trigger x: tool names a function that does not exist'],
    [[{ ...common, tool: 'orders.ship', version: '9.0.0' }], 'trigger x: version must be one of'],
    [[{ ...common, name: 'X Y', tool: 'orders.ship' }], 'trigger X Y: name must be snake_case'],
    [[{ ...common, tool: 'orders.ship', attempts: 0 }], 'trigger x: attempts must be'],
    [
      [
        { ...common, tool: 'orders.ship' },
        { ...common, tool: 'orders.ship' },
      ],
      'trigger x: name is used by another trigger',
    ],
  ])('refuses %o', (triggers, message) => {
    expect(() => createTriggers({ service: service(), triggers })).toThrow(message)
  })

  it('stops what it started when one trigger cannot start', async () => {
    const stop = vi.fn(async () => {})
    const triggers = createTriggers({
      service: service(),
      triggers: [
        { ...common, tool: 'orders.ship' },
        {
          type: 'webhook',
          name: 'y',
          description: 'y',
          path: '/y',
          secret_env: 'Y_SECRET',
          tool: 'orders.ship',
        },
      ],
      env: {},
      start: { emit: () => ({ stop }) },
    })
    await expect(triggers.start()).rejects.toThrow('webhook y: secret_env')
    expect(stop).toHaveBeenCalledOnce()
    await triggers.stop(0)
  })
})
