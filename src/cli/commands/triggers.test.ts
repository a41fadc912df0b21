import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createWorkplace, type Workplace } from '../../../test/cli/run-main.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { CallError } from '../../core/error.ts'
import { defineFunction } from '../../core/function.ts'
import { type RunningServer, serve } from '../../http/serve.ts'
import { createTriggers, type Triggers } from '../../triggers/index.ts'
import { readSpecTriggers } from '../source-triggers.ts'

let server: RunningServer
let triggers: Triggers
let place: Workplace
beforeAll(async () => {
  place = createWorkplace()
  const service = serviceOf([
    defineFunction({
      name: 'orders.ship',
      version: '1.0.0',
      handler() {
        throw new CallError('CONFLICT', { message: 'not paid' })
      },
    }),
  ])
  triggers = createTriggers({
    service,
    triggers: [
      { type: 'emit', name: 'paid', description: 'x', event: 'orders.paid', tool: 'orders.ship' },
    ],
  })
  server = await serve(service, { port: 0, triggers })
  await triggers.emit('orders.paid', null)
})
afterAll(async () => {
  await server.close()
  rmSync(place.folder, { recursive: true, force: true })
})

describe('waymark triggers', () => {
  it('lists triggers, their dead letters, and sends them again', async () => {
    await vi.waitFor(
      async () => {
        const { out } = await place.run('triggers', 'deliveries', server.url, '--state', 'dead')
        expect(out).toMatch(/dlv_\S+ +paid +dead .*1 tried +CONFLICT: not paid/)
      },
      { timeout: 10_000 },
    )
    const list = await place.run('triggers', 'list', server.url)
    expect(list.out).toMatch(/paid +emit +orders\.paid +-> orders\.ship +running/)
    const again = await place.run('triggers', 'redeliver', server.url, '--dead')
    expect(again.out).toBe('1 sent again.\n')
  })

  it('computes the next runs of a tool spec', async () => {
    const file = place.write(
      'shop.tool-spec.yaml',
      'domain: shop\ntools: []\ntriggers:\n  - type: schedule\n    name: yearly\n    description: x\n    cron: "0 0 1 1 *"\n    timezone: UTC\n',
    )
    const { out } = await place.run('triggers', 'next', file, '--count', '2')
    expect(out).toMatch(
      /^ {2}yearly {2}\d{4}-01-01T00:00:00\.000Z\n +\d{4}-01-01T00:00:00\.000Z\n$/,
    )
  })

  it.each([
    [['triggers'], 'One of list, deliveries, redeliver, next'],
    [['triggers', 'redeliver', 'http://127.0.0.1:1'], 'Give its id, or --dead'],
    [['triggers', 'deliveries', 'http://127.0.0.1:1', '--limit', '0'], '--limit must be'],
  ])('refuses %o as the mistake of the person', async (args, message) => {
    const { code, err } = await place.run(...args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})

describe('the triggers of a tool spec', () => {
  it('call tools by their full name; one that says no tool does not run', () => {
    const common = { type: 'emit', description: 'x', event: 'x' } as const
    const { triggers: read, unused } = readSpecTriggers(
      {
        domain: 'shop',
        tools: [{ name: 'ship', description: 'x' }],
        triggers: [
          { ...common, name: 'own', tool: 'ship' },
          { ...common, name: 'other', tool: 'mail.send' },
          { ...common, name: 'nothing' },
        ],
      },
      'shop.yaml',
    )
    expect(read.map(({ name, tool }) => [name, tool])).toEqual([
      ['own', 'shop.ship'],
      ['other', 'mail.send'],
    ])
    expect(unused).toEqual(['shop.yaml: trigger nothing does not run: it says no tool to call'])
  })
})
