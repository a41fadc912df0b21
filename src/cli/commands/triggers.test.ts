import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createWorkplace, type Workplace } from '../../../test/cli/run-main.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { createTriggers, type Triggers } from '../../entries/triggers.ts'
import { CallError } from '../../errors/error.ts'
import { type RunningServer, serve } from '../../http/serve.ts'
import { readSpecTriggers } from '../source/source.ts'

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
      { type: 'schedule', name: 'hourly', description: 'x', cron: '@hourly', tool: 'orders.ship' },
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

  it('shows as many next runs of a service as it is asked for', async () => {
    const { out } = await place.run('triggers', 'next', server.url, '--count', '8')
    expect(out.match(/\d{4}-\d\d-\d\dT\d\d:00:00\.000Z/g)).toHaveLength(8)
  })

  it('computes the next runs of a module', async () => {
    const file = place.write('shop.mjs', MODULE)
    const { code, out } = await place.run('triggers', 'next', file, '--count', '1')
    expect([code, out]).toEqual([0, expect.stringMatching(/^ {2}nightly {2}\d{4}-\S+Z\n$/)])
  })

  it.each([
    [['deliveries', '--trigger', 'piad'], 3, 'There is no trigger piad; did you mean paid?'],
    [['redeliver', '--dead', '--trigger', 'piad'], 3, 'There is no trigger piad'],
    [['next', '--trigger', 'hurly'], 2, 'there is no schedule hurly; did you mean hourly?'],
    [['next', '--trigger', 'paid'], 2, 'there is no schedule paid; there is hourly'],
  ])('%o suggests the trigger that was meant', async ([action = '', ...flags], code, message) => {
    const ran = await place.run('triggers', action, server.url, ...flags)
    expect(ran.err).toContain(message)
    expect(ran.code).toBe(code)
  })

  it.each([
    [['triggers'], 'One of list, deliveries, redeliver, next, test'],
    [['triggers', 'redeliver', 'http://127.0.0.1:1'], 'Give its id, or --dead'],
    [['triggers', 'deliveries', 'http://127.0.0.1:1', '--limit', '0'], '--limit must be'],
    [['triggers', 'test', 'http://127.0.0.1:1'], 'which trigger?'],
    [['triggers', 'test', 'x.ts', 'x', '--payload', '{'], '--payload must be JSON, @file or -'],
  ])('refuses %o as the mistake of the person', async (args, message) => {
    const { code, err } = await place.run(...args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})

describe('waymark triggers test', () => {
  it('shows the arguments and what came of the run, and keeps no record', async () => {
    const count = async () => (await triggers.deliveries({ limit: 100 })).deliveries.length
    const before = await count()
    const { code, out } = await place.run('triggers', 'test', server.url, 'paid')
    expect(out).toContain('paid (emit) calls orders.ship 1.0.0 with\n{}')
    expect(out).toContain('The run failed:\n  CONFLICT: not paid\n')
    expect(code).toBe(3)
    expect(await count()).toBe(before)
  })

  it('suggests the name that was meant', async () => {
    const { code, err } = await place.run('triggers', 'test', server.url, 'piad')
    expect(code).toBe(3)
    expect(err).toContain('There is no trigger piad; did you mean paid?')
  })

  const spec = [
    'domain: shop',
    'tools:',
    '  - name: ship',
    '    description: Ships an order.',
    '    method: POST',
    '    base_url: http://127.0.0.1:1',
    '    path: /ship',
    '    body: [{ name: id, type: string, required: true, description: Which. }]',
    'triggers:',
    '  - type: webhook',
    '    name: order_paid',
    '    description: x',
    '    path: /paid',
    '    secret_env: SHOP_SECRET',
    '    tool: ship',
    '    payload_map: { id: order.id }',
    '    prompt: Ship {{id}}',
  ].join('\n')

  it('tries a trigger of a file without its secret, its server or a run', async () => {
    const file = place.write('paid.tool-spec.yaml', spec)
    const payload = ['--payload', '{"order":{"id":"o1"}}', '--dry-run']
    const { code, out } = await place.run('triggers', 'test', file, 'order_paid', ...payload)
    expect(out).toBe(
      'order_paid (webhook) calls shop.ship 1.0.0 with\n{\n  "id": "o1"\n}\n\nand the prompt\nShip o1\n\n' +
        'The arguments fit the function.\nNothing was called.\n',
    )
    expect(code).toBe(0)
  })

  it('says which field does not fit, and calls nothing then', async () => {
    const file = place.write('paid.tool-spec.yaml', spec)
    place.write('order.json', '{"order":{"id":7}}')
    const args = ['triggers', 'test', file, 'order_paid', '--payload', '@order.json']
    const { code, out } = await place.run(...args)
    expect(out).toContain('The arguments do not fit the function:\n  INVALID_ARGUMENTS: id: ')
    expect(out).not.toContain('The run')
    expect(code).toBe(2)
    const { out: json } = await place.run(...args, '--json')
    expect(JSON.parse(json)).toMatchObject({
      trigger: 'order_paid',
      tool: 'shop.ship',
      arguments: { id: 7 },
      fits: false,
      problems: [{ code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/id' } }],
    })
  })

  it('reads the payload from standard input', () => {
    const file = place.write('paid.tool-spec.yaml', spec)
    const program = fileURLToPath(new URL('../../../bin/waymark.js', import.meta.url))
    const args = ['triggers', 'test', file, 'order_paid', '--payload', '-', '--dry-run', '--json']
    const out = execFileSync(process.execPath, [program, ...args], {
      cwd: place.folder,
      input: '{"order":{"id":"o9"}}',
      encoding: 'utf8',
    })
    expect(JSON.parse(out)).toMatchObject({ arguments: { id: 'o9' }, fits: true })
  }, 30_000)

  it('refuses a name that is not in the file', async () => {
    const file = place.write('paid.tool-spec.yaml', spec)
    const { code, err } = await place.run('triggers', 'test', file, 'order_piad')
    expect(code).toBe(2)
    expect(err).toContain('There is no trigger order_piad; did you mean order_paid?')
  })

  it('runs a module in this process', async () => {
    const file = place.write('shop.mjs', MODULE)
    const { code, out } = await place.run('triggers', 'test', file, 'nightly', '--json')
    expect(JSON.parse(out)).toMatchObject({
      fits: true,
      outcome: { ok: true, result: { trigger: { trigger: 'nightly', type: 'schedule' } } },
    })
    expect(code).toBe(0)
  })
})

const MODULE = `
import { createService, defineFunction } from '${new URL('../../entries/waymark.ts', import.meta.url).href}'
export default createService({
  info: { title: 'Shop', version: '1.0.0' },
  functions: [
    defineFunction({ name: 'shop.echo', version: '1.0.0', handler: ({ context }) => context }),
  ],
})
export const triggers = [
  { type: 'schedule', name: 'nightly', description: 'x', cron: '0 2 * * *', tool: 'shop.echo' },
]
`

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
    expect(unused).toEqual(['shop.yaml: trigger nothing does not run: it names no tool to call'])
  })
})
