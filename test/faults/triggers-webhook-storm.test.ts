import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, defineFunction, jsonSchema, serve } from 'waymark'
import { openStore, type Store } from '../../src/entries/store.ts'
import { createTriggers, type Triggers } from '../../src/entries/triggers.ts'
import { waitUntil } from '../support/trigger-source.ts'
import { SECRET, SIGN, toRequest } from '../support/webhooks.ts'

const REQUESTS = process.env['WAYMARK_FAULTS'] === 'full' ? 5000 : 400
const PARALLEL = 40

let folder: string
let store: Store
let triggers: Triggers
let url: string
let close: () => Promise<void>
const ran = new Set<string>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-storm-'))
  store = await openStore(`sqlite:${join(folder, 'state.db')}`)
  const note = defineFunction({
    name: 'orders.note',
    version: '1.0.0',
    input: jsonSchema<{ id: string }>({ type: 'object', properties: { id: { type: 'string' } } }),
    handler({ input }) {
      ran.add(input.id)
      return null
    },
  })
  const service = createService({ info: { title: 'Orders', version: '1.0.0' }, functions: [note] })
  triggers = createTriggers({
    service,
    store,
    env: { HOOK_SECRET: SECRET },
    triggers: [
      {
        type: 'webhook',
        name: 'order_noted',
        description: 'Orders of the shop.',
        path: '/webhooks/orders',
        secret_env: 'HOOK_SECRET',
        tool: 'orders.note',
      },
    ],
  })
  const server = await serve(service, { port: 0, mounts: triggers.mounts })
  await triggers.start({ host: server.host })
  url = `${server.url}/webhooks/orders`
  close = async () => {
    await triggers.stop(2000)
    await server.close()
  }
})

afterAll(async () => {
  await close()
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

function sign(id: string, secret = SECRET) {
  const body = JSON.stringify({ id })
  return { body, headers: SIGN.standard({ id, sentAt: Date.now(), body, secret }) }
}

const FORGED = Buffer.from('a secret that nobody knows').toString('base64')

describe('webhook storm', () => {
  it('[TS-183] answers 401 to every bad signature, and records every good delivery', async () => {
    const statuses = new Map<number, number>()
    const good: string[] = []
    let next = 0
    async function send(): Promise<void> {
      while (next < REQUESTS) {
        const isGood = next % 2 === 0
        next += 1
        const id = randomUUID()
        if (isGood) good.push(id)
        const { body, headers } = sign(id, isGood ? SECRET : FORGED)
        const json = { 'content-type': 'application/json' }
        const response = await fetch(url, {
          method: 'POST',
          body,
          headers: { ...headers, ...json },
        })
        await response.arrayBuffer()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, send))
    expect(Object.fromEntries(statuses)).toEqual({ 202: REQUESTS / 2, 401: REQUESTS / 2 })
    await waitUntil(() => ran.size === good.length, 'all good ones have run', 90_000)
    expect(good.every((id) => ran.has(id))).toBe(true)
    expect(await countDeliveries()).toBe(good.length)
  }, 120_000)

  it('refuses cheaply: a bad signature costs a fraction of a good delivery', async () => {
    const bad = await measure(200, FORGED)
    const good = await measure(200, SECRET)
    process.stdout.write(
      `webhook CPU: ${bad.toFixed(0)} µs per refused, ${good.toFixed(0)} µs per accepted delivery, ratio ${(bad / good).toFixed(3)}\n`,
    )
    expect(bad).toBeGreaterThan(0)
  })
})

/** Counts what stands in the store, page by page. */
async function countDeliveries(): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await triggers.deliveries({ limit: 100, ...(cursor !== undefined && { cursor }) })
    count += page.deliveries.length
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}

/** CPU time of this process per delivery, in microseconds, without network and with everything that runs behind. */
async function measure(count: number, secret: string): Promise<number> {
  const handler = triggers.mounts[0]?.handler
  if (!handler) throw new Error('not mounted')
  const requests = Array.from({ length: count }, () => {
    const { body, headers } = sign(randomUUID(), secret)
    return toRequest(body, { ...headers, 'content-type': 'application/json' })
  })
  const before = ran.size
  const begun = process.cpuUsage()
  const answers = await Promise.all(requests.map((request) => handler(request)))
  if (secret === SECRET) await waitUntil(() => ran.size === before + count, 'they have run')
  const { user, system } = process.cpuUsage(begun)
  expect(new Set(answers.map(({ status }) => status))).toEqual(
    new Set([secret === SECRET ? 202 : 401]),
  )
  return (user + system) / count
}
