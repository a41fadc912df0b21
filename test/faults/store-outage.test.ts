import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore, type Store } from '../../src/entries/store.ts'
import {
  canStartPostgres,
  canStartRedis,
  type PrivateServer,
  startPostgres,
  startRedis,
} from './store-servers.ts'

const TIMEOUT = 1000
const KINDS = {
  redis: { possible: canStartRedis(), start: startRedis },
  postgres: { possible: canStartPostgres(), start: startPostgres },
}

for (const [kind, { possible, start }] of Object.entries(KINDS)) {
  const title = `${kind} store when its server goes away`
  if (possible) describe(title, { timeout: 60_000 }, () => outage(kind, start))
  else describe.skip(`${title} (no binary to start a private one)`, () => it.skip('recovers'))
}

function outage(kind: string, start: () => Promise<PrivateServer>): void {
  let server: PrivateServer
  let store: Store

  beforeAll(async () => {
    server = await start()
    store = await openStore(server.url, { timeout: TIMEOUT })
  }, 60_000)
  afterAll(async () => {
    await store.close()
    await server.stop()
  }, 60_000)

  it('fails clearly, works again by itself and has lost nothing that it acknowledged', async () => {
    const load = startLoad(store)
    await until(() => load.acknowledged.length > 200)
    await server.kill()
    await until(() => load.failures.length > 5)
    await expectUnavailable(store.get('x'), kind)
    await expectUnavailable(store.increment('down', { ttl: null }), kind)
    await expectUnavailable(store.check(), kind)
    const before = load.acknowledged.length

    await server.start()
    await until(() => load.acknowledged.length > before + 200)
    await load.stop()

    for (const failure of load.failures) {
      expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
      expect(failure.message).toContain(`The ${kind} store is unavailable`)
    }
    for (const key of load.acknowledged) expect(await store.get(key), key).toBeDefined()
    const counter = Number((await store.get('counter'))?.value)
    expect(counter).toBeGreaterThanOrEqual(load.acknowledged.length)
    expect(counter).toBeLessThanOrEqual(load.acknowledged.length + load.unknown())
    expect(new Set(load.tokens).size).toBe(load.tokens.length)
    expect(await store.next('fence')).toBeGreaterThan(Math.max(...load.tokens))
    await expect(store.check()).resolves.toBeUndefined()
  })

  it('gives up on a server that has stopped answering', async () => {
    await server.freeze(true)
    await expectUnavailable(store.get('x'), kind)
    await expectUnavailable(store.put('frozen', 1, { ttl: null }), kind)
    await server.freeze(false)
    await until(async () => (await store.get('x').catch(() => 0)) !== 0)
  })

  it('neither opens nor hangs in closing during an outage, and survives it again', async () => {
    const other = await openStore(server.url, { timeout: TIMEOUT })
    await server.kill()
    const waiting = [other.get('x'), other.put('y', 1, { ttl: null }), other.next('z')]
    const outcomes = Promise.allSettled(waiting)
    await other.close()
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } })
    }
    const error = await openStore(server.url, { timeout: TIMEOUT }).catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      errors: [{ details: { store: kind, outcome: 'not_applied' } }],
    })
    await server.start()
    await until(async () => (await store.put('after', 1, { ttl: null }).catch(() => 0)) !== 0)
    expect(await store.get('after')).toMatchObject({ value: 1 })
  })
}

interface Load {
  /** Keys whose write, count and token were acknowledged. */
  readonly acknowledged: readonly string[]
  readonly tokens: readonly number[]
  readonly failures: readonly (Error & { code?: string })[]
  /** How many writes may or may not have happened. */
  unknown(): number
  stop(): Promise<void>
}

/** Keeps four callers busy: each round writes a key, counts it and takes a fencing token. */
function startLoad(store: Store): Load {
  const acknowledged: string[] = []
  const tokens: number[] = []
  const failures: (Error & { code?: string; errors?: { details?: { outcome?: string } }[] })[] = []
  let rounds = 0
  let running = true

  async function round(): Promise<void> {
    const key = `k${rounds++}`
    await store.put(key, key, { ttl: null })
    tokens.push(await store.next('fence'))
    await store.increment('counter', { ttl: null })
    acknowledged.push(key)
  }

  async function work(): Promise<void> {
    while (running) {
      await round().catch(async (thrown) => {
        failures.push(thrown)
        await sleep(20)
      })
    }
  }

  const workers = [work(), work(), work(), work()]
  return {
    acknowledged,
    tokens,
    failures,
    unknown: () =>
      failures.filter(({ errors }) => errors?.[0]?.details?.outcome === 'unknown').length,
    async stop() {
      running = false
      await Promise.all(workers)
    },
  }
}

async function expectUnavailable(operation: Promise<unknown>, kind: string): Promise<void> {
  const error = await operation.then(
    () => new Error('It succeeded'),
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ code: 'UNAVAILABLE', errors: [{ details: { store: kind } }] })
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20)
}
