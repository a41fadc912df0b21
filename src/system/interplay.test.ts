import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { call, dataOf, type TestResponse } from '../../test/support/forrst.ts'
import { createInterplay, type Interplay } from '../../test/support/interplay.ts'
import { orderExtensions, PHASES } from '../core/extension.ts'
import { endMaintenance, startMaintenance } from '../extensions/maintenance/state.ts'

const page = readFileSync(new URL('../../docs/reference/extensions.md', import.meta.url), 'utf8')

/** Reads the first cells of the rows of the table below a heading. */
function readRows(heading: string, cells: number): readonly (readonly string[])[] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row = '']) => row.split(' | '))
  return rows
    .filter(([first]) => first !== '---')
    .slice(1)
    .map((row) => row.slice(0, cells))
}

let test: Interplay | undefined
afterEach(() => test?.close())
async function setUp(): Promise<Interplay> {
  test = await createInterplay()
  return test
}

const replay = { replay: {} }
const preferred = { async: { preferred: true } }
const operationOf = (response: TestResponse) =>
  dataOf(response, 'urn:forrst:ext:async')?.['operation_id']

/** What each row of the page says, tried. */
const PROOFS: Readonly<Record<string, () => Promise<void>>> = {
  async 'replay + maintenance'() {
    const { store, ask, runs } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    expect((await ask('work', {}, {})).status).toBe(503)
    expect((await ask('work', {}, replay)).status).toBe(202)
    await endMaintenance(store)
    await until(() => runs.length === 1)
  },
  async 'replay + gates'() {
    const { store, ask, runs, permit, follow } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    const queued = await ask('work', {}, replay)
    permit(false)
    await endMaintenance(store)
    await until(async () => (await follow(queued))['status'] === 'failed')
    expect(await follow(queued)).toMatchObject({ errors: [{ code: 'FORBIDDEN' }] })
    expect(runs).toEqual([])
  },
  async 'replay + idempotency'() {
    const { store, ask, runs, follow } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    const both = { ...replay, idempotency: { key: 'k' } }
    const queued = [await ask('work', {}, both), await ask('work', {}, both)]
    await endMaintenance(store)
    for (const one of queued) {
      await until(async () => (await follow(one))['status'] === 'completed')
    }
    expect(runs).toHaveLength(1)
  },
  async 'replay + deadline'() {
    const { store, ask, follow } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    const deadline = { value: 1, unit: 'millisecond' }
    const queued = await ask('work', { wait: 50 }, { ...replay, deadline })
    expect(queued.status).toBe(202)
    await endMaintenance(store)
    await until(async () => (await follow(queued))['status'] === 'completed')
  },
  async 'replay + redact'() {
    const { store, ask, follow } = await setUp()
    await startMaintenance(store, { reason: 'Upgrade' })
    const queued = await ask('work', {}, { ...replay, redact: { mode: 'full' } })
    await endMaintenance(store)
    await until(async () => (await follow(queued))['status'] === 'completed')
    expect(JSON.stringify(await follow(queued))).not.toContain('alice@example.com')
  },
  async 'idempotency + async'() {
    const { ask, runs } = await setUp()
    const both = { ...preferred, idempotency: { key: 'k' } }
    const first = await ask('work', { wait: 300 }, both)
    const second = await ask('work', { wait: 300 }, both)
    expect(operationOf(second)).toBe(operationOf(first))
    await until(async () => (await ask('work', { wait: 300 }, both)).body.result !== null)
    expect(runs).toHaveLength(1)
  },
  async 'idempotency + simulation'() {
    const { ask, runs } = await setUp()
    const key = { idempotency: { key: 'k' } }
    const simulated = await ask('work', {}, { ...key, simulation: { enabled: true } })
    expect(simulated.body.result).toEqual({ simulated: true })
    const real = await ask('work', {}, key)
    expect(dataOf(real, 'urn:forrst:ext:idempotency')).toMatchObject({ status: 'processed' })
    expect(runs).toHaveLength(1)
  },
  async 'idempotency + rate limit'() {
    const { ask, runs } = await setUp()
    const key = { idempotency: { key: 'k' } }
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) statuses.push((await ask('limited', {}, key)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    expect(runs).toHaveLength(1)
  },
  async 'idempotency + redact'() {
    const { ask } = await setUp()
    const key = { idempotency: { key: 'k' } }
    const masked = await ask('work', {}, { ...key, redact: { mode: 'full' } })
    expect(JSON.stringify(masked.body.result)).not.toContain('alice@example.com')
    const plain = await ask('work', {}, key)
    expect(plain.body.result).toMatchObject({ email: 'alice@example.com' })
  },
  async 'caching + query'() {
    const { ask, runs } = await setUp()
    const find = async (name: string) => {
      const query = { filters: { self: [{ attribute: 'name', operator: 'equals', value: name }] } }
      return JSON.stringify((await ask('list', {}, { caching: {}, query })).body.result)
    }
    const ann = await find('Ann')
    expect(await find('Bob')).not.toBe(ann)
    expect(await find('Ann')).toBe(ann)
    expect(runs).toHaveLength(2)
  },
  async 'webhook + async'() {
    const { ask, receiver, webhook } = await setUp()
    const accepted = await ask('work', { wait: 200 }, { ...preferred, webhook })
    expect(receiver.received).toEqual([])
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toContain(String(operationOf(accepted)))
  },
  async 'webhook + idempotency'() {
    const { ask, receiver, webhook } = await setUp()
    const both = { webhook, idempotency: { key: 'k' } }
    await ask('work', {}, both)
    await ask('work', {}, both)
    await until(() => receiver.received.length > 0)
    await sleep(200)
    expect(receiver.received).toHaveLength(1)
  },
  async 'webhook + redact'() {
    const { ask, receiver, webhook } = await setUp()
    await ask('work', {}, { webhook, redact: { mode: 'full' } })
    await until(() => receiver.received.length === 1)
    expect(receiver.received[0]?.body).toContain('result_omitted')
  },
  async 'deadline + async'() {
    const { ask, service } = await setUp()
    const deadline = { value: 300, unit: 'millisecond' }
    const accepted = await ask('work', { wait: 60_000 }, { ...preferred, deadline })
    const status = () =>
      call(service, {
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: operationOf(accepted) },
      })
    await until(async () => (await status()).body.errors !== undefined)
    expect(JSON.stringify((await status()).body.errors)).toContain('DEADLINE_EXCEEDED')
  },
  async 'atomic lock + async'() {
    const { ask, runs, overlaps } = await setUp()
    const ttl = { value: 10, unit: 'second' }
    const lock = { key: 'k', ttl, block: { value: 20, unit: 'second' } }
    for (let count = 0; count < 3; count += 1) {
      const accepted = await ask('work', { wait: 100 }, { ...preferred, 'atomic-lock': lock })
      expect(operationOf(accepted)).toBeDefined()
    }
    await until(() => runs.length === 3)
    expect(overlaps()).toBe(0)
  },
  async 'maintenance + async'() {
    const { store, ask, runs } = await setUp()
    await ask('work', { wait: 100 }, preferred)
    await startMaintenance(store, { reason: 'Upgrade' })
    await until(() => runs.length === 1)
  },
  async 'stream + replay'() {
    const { ask } = await setUp()
    const refused = await ask('feed', {}, { ...replay, stream: { accept: true } })
    expect(refused.body.errors?.[0]?.code).toBe('EXTENSION_NOT_APPLICABLE')
  },
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 500; left > 0; left -= 1) {
    if (await condition()) return
    await sleep(20)
  }
  throw new Error('it did not come to that')
}

describe('the order on docs/reference/extensions.md', () => {
  const written = readRows('Order', 2)
    .filter(([layer]) => layer !== 'the gates' && layer !== 'extensions of your own')
    .flatMap(([layer = '', phase = '']) => layer.split(', ').map((name) => [name, phase]))
    .map(([name = '', phase = '']) => [
      `urn:forrst:ext:${name.replaceAll(' ', '-')}`,
      phase.replaceAll('`', ''),
    ])

  it('is the order in which extensions wrap a call', async () => {
    const { service } = await setUp()
    const own = { urn: 'urn:example:own', version: '1.0.0' }
    const shuffled = service.extensions.toSorted((left, right) => (left.urn < right.urn ? -1 : 1))
    const acting = orderExtensions([own, ...shuffled]).filter(
      ({ around, urn }) => around !== undefined || urn === own.urn,
    )
    expect(acting.map(({ urn, phase }) => [urn, phase])).toEqual([...written, [own.urn, undefined]])
    expect(service.extensions.map(({ urn }) => urn).slice(0, written.length)).toEqual(
      written.map(([urn]) => urn),
    )
  })

  it('leaves no two of ours at the same place', async () => {
    const { service } = await setUp()
    const places = service.extensions
      .filter(({ around }) => around !== undefined)
      .map(({ phase, order }) => `${phase} ${order}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('has the phases in the order of the page, with the gates before admit', () => {
    const phases = readRows('Your own', 1).map(([name = '']) => name.replaceAll('`', ''))
    expect(phases).toEqual([...PHASES])
    const layers = readRows('Order', 2)
    const gates = layers.findIndex(([layer]) => layer === 'the gates')
    expect([layers[gates - 1]?.[1], layers[gates + 1]?.[1]]).toEqual(['`keep`', '`admit`'])
  })
})

describe('interplay as docs/reference/extensions.md tells it', () => {
  const rows = readRows('Interplay', 1).flat()

  it('has a proof for every row', () => {
    expect(rows.toSorted()).toEqual(Object.keys(PROOFS).toSorted())
  })

  it.each(rows)('%s', { timeout: 20_000 }, (row) => PROOFS[row]?.())
})

describe('caching', () => {
  it('never keeps the answer of a call that was only accepted', async () => {
    const { ask } = await setUp()
    const accepted = await ask('list', {}, { ...preferred, caching: {} })
    expect(operationOf(accepted)).toMatch(/^op_/)
    expect(dataOf(accepted, 'urn:forrst:ext:caching')).toEqual({ cache_status: 'bypass' })
    const read = await ask('list', {}, { caching: {} })
    expect(read.body.result).toMatchObject([{ name: 'Ann' }, { name: 'Bob' }])
  })
})
