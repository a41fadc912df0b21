import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../src/entries/store.ts'
import { startMaintenance } from '../../src/extensions/maintenance/state.ts'
import { dataOf, type TestResponse } from '../support/forrst.ts'
import { createInterplay, type Interplay } from '../support/interplay.ts'
import { OVERRIDES, type Override } from './extension-overrides.ts'
import { canStartRedis, type PrivateServer, startRedis } from './store-servers.ts'

const page = readFileSync(
  new URL('../../docs/reference/stateful-extensions.md', import.meta.url),
  'utf8',
)
const section = page.split('## When the store is unreachable\n')[1]?.split('\n## ')[0] ?? ''
const table = [...section.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|/gm)]
  .map(([, name = '', rule = '']) => ({ name, rule }))
  .filter(({ name }) => name !== 'extension' && !name.startsWith('---'))
const rows = table.map(({ name }) => name)
const overridable = table.filter(({ rule }) => /^`(refuse|proceed)`$/.test(rule))

type Ask = Interplay['ask']
const urn = (name: string) => `urn:forrst:ext:${name}`
const codeOf = ({ status, body }: TestResponse) => [status, body.errors?.[0]?.code]

/** What each row of the page says, tried while the server of the store is really away. */
const PROOFS: Readonly<Record<string, (test: Interplay) => Promise<void>>> = {
  idempotency: ({ ask }) => expectRefused(ask, { idempotency: { key: 'k' } }),
  'atomic lock': ({ ask }) =>
    expectRefused(ask, { 'atomic-lock': { key: 'k', ttl: { value: 5, unit: 'second' } } }),
  async caching({ ask }) {
    const response = await ask('list', {}, { caching: {} })
    expect([response.status, dataOf(response, urn('caching'))]).toMatchObject([
      200,
      { cache_status: 'bypass' },
    ])
  },
  async 'rate limit'({ ask }) {
    const response = await ask('limited', {}, { 'rate-limit': {} })
    expect([response.status, dataOf(response, urn('rate-limit'))]).toMatchObject([
      200,
      { warning: expect.anything() },
    ])
  },
  quota: ({ ask }) => expectServed(ask, { quota: {} }),
  cancellation: ({ ask }) => expectServed(ask, { cancellation: { token: 't1' } }),
  async maintenance({ ask }) {
    expect(codeOf(await ask('closed', {}, {}))).toEqual([503, 'FUNCTION_MAINTENANCE'])
    await expectServed(ask, {})
  },
  async: ({ ask }) => expectRefused(ask, { async: { preferred: true } }),
  async replay({ ask }) {
    const refused = await ask('closed', {}, { replay: {} })
    expect(codeOf(refused)).toEqual([503, 'FUNCTION_MAINTENANCE'])
    expect(dataOf(refused, urn('replay'))?.['status']).not.toBe('queued')
  },
  async webhook({ ask, webhook }) {
    const response = await ask('work', {}, { webhook })
    expect(response.body.result).toMatchObject({ email: 'alice@example.com' })
    expect(dataOf(response, urn('webhook'))).toMatchObject({ registered: false })
  },
  priority: ({ ask }) => expectServed(ask, { priority: { level: 'high' } }),
}

async function expectRefused(ask: Ask, extensions: Parameters<Ask>[2]): Promise<void> {
  expect(codeOf(await ask('work', {}, extensions))).toEqual([503, 'UNAVAILABLE'])
}

async function expectServed(ask: Ask, extensions: Parameters<Ask>[2]): Promise<void> {
  const response = await ask('work', {}, extensions)
  expect([response.status, response.body.result]).toMatchObject([
    200,
    { email: 'alice@example.com' },
  ])
}

const title = 'extensions while the Redis of their store is away'
if (canStartRedis()) describe(title, { timeout: 30_000 }, outage)
else describe.skip(`${title} (no binary to start a private one)`, () => it.skip('decide'))

function outage(): void {
  let server: PrivateServer
  let store: Store
  let test: Interplay

  beforeAll(async () => {
    server = await startRedis()
    store = await openStore(server.url, { timeout: 500 })
    test = await createInterplay({ store })
    await startMaintenance(store, { function: 'jobs.closed', reason: 'Move' })
    // What a process knows about maintenance comes with a call.
    for (let status = 0; status !== 503; await sleep(10)) {
      status = (await test.ask('closed', {}, {})).status
    }
    await server.kill()
  }, 30_000)
  afterAll(async () => {
    await test.close().catch(() => {})
    await store.close()
    await server.stop()
  }, 60_000)

  it('has a proof for every row of the page', () => {
    expect(rows.toSorted()).toEqual(Object.keys(PROOFS).toSorted())
  })

  it.each(rows)('%s does what the page says', async (row) => {
    const before = test.runs.length
    await PROOFS[row]?.(test)
    // Nobody whose call was refused finds later that it has run.
    if (['idempotency', 'atomic lock', 'async', 'replay'].includes(row)) {
      expect(test.runs.length).toBe(before)
    }
  })

  it('has a proof for every override that the page allows', () => {
    const names = overridable.map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(OVERRIDES).toSorted())
  })

  it.each(overridable)('$name, by default $rule, does the opposite when told so', async (row) => {
    const { option, prove } = OVERRIDES[row.name] as Override
    const onStoreFailure = { [option]: row.rule === '`refuse`' ? 'proceed' : 'refuse' } as const
    const told = await createInterplay({ store, onStoreFailure })
    try {
      await prove(told)
    } finally {
      await told.close().catch(() => {})
    }
  })

  it('works as before when the server is back', async () => {
    await server.start()
    const key = { idempotency: { key: 'back' } }
    let response = await test.ask('work', {}, key)
    for (let left = 200; left > 0 && response.status !== 200; left -= 1) {
      await sleep(50)
      response = await test.ask('work', {}, key)
    }
    expect(dataOf(response, urn('idempotency'))).toMatchObject({ key: 'back' })
    const queued = await test.ask('closed', {}, { replay: {} })
    expect(queued.status).toBe(202)
  })
}
