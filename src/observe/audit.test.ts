import { describe, expect, it } from 'vitest'
import { call, createTestClock } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { TEST_STORES } from '../../test/support/stores.ts'
import { defineFunction } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { createMemoryStore } from '../store/index.ts'
import type { ServiceOptions } from '../system/create-service.ts'
import { type AuditOptions, type AuditRecord, createAudit, readAudit } from './audit.ts'

const FUNCTIONS = [
  defineFunction({
    name: 'orders.create',
    version: '1.0.0',
    writes: ['create'],
    requires: ['orders:write'],
    input: {
      type: 'object',
      properties: {
        item: { type: 'string' },
        card: { type: 'string', writeOnly: true },
        iban: { type: 'string' },
        notes: { type: 'array', items: { type: 'string' } },
      },
    },
    dryRun: () => ({ wouldAffect: [] }),
    handler: ({ input }) => {
      if ((input as { item?: string }).item === 'bug') throw new Error('x')
      return { created: true }
    },
  }),
  defineFunction({ name: 'orders.list', version: '1.0.0', readOnly: true, handler: () => [] }),
]

const SCOPES: Readonly<Record<string, readonly string[]>> = { ada: ['orders:write'], bob: [] }

function setUp(options: Partial<AuditOptions> = {}, more: Partial<ServiceOptions> = {}) {
  const records: AuditRecord[] = []
  const clock = createTestClock()
  const log = createTestLogger()
  const audit = createAudit({ to: (record) => void records.push(record), clock, ...options })
  const service = serviceOf(FUNCTIONS, {
    clock,
    log,
    observers: [audit],
    authenticate: ({ header }: { header: (name: string) => string | undefined }) => {
      const id = header('authorization')?.replace('Bearer ', '') ?? ''
      const scopes = SCOPES[id]
      if (scopes === undefined) {
        throw new CallError('UNAUTHORIZED', { reason: 'the token is not known' })
      }
      return { id, scopes, key: 'k1' }
    },
    ...more,
  } as never)
  const ask = (who: string, name: string, input: object = {}, extensions: object[] = []) =>
    call(
      service,
      { id: 'req_1', function: name, arguments: input, extensions },
      { headers: { authorization: `Bearer ${who}` } },
    )
  return { records, clock, log, service, ask }
}

describe('the audit', () => {
  it('says who called what, with which effect and outcome', async () => {
    const { records, ask } = setUp()
    await ask('ada', 'orders.create', { item: 'lamp' })
    await ask('ada', 'orders.create', { item: 'bug' })
    await ask('bob', 'orders.create')
    await ask('bob', 'orders.list')
    await ask('bob', 'orders.lost')
    expect(records.map(({ principal, outcome, code }) => [principal, outcome, code])).toEqual([
      ['ada', 'ok', undefined],
      ['ada', 'failed', 'INTERNAL_ERROR'],
      ['bob', 'refused', 'FORBIDDEN'],
      ['bob', 'ok', undefined],
      ['bob', 'failed', 'FUNCTION_NOT_FOUND'],
    ])
    expect(records[0]).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      time: '2026-01-15T10:30:00.000Z',
      surface: 'forrst',
      outcome: 'ok',
      principal: 'ada',
      key: 'k1',
      function: 'orders.create',
      version: '1.0.0',
      effects: ['create'],
      request: expect.any(String),
      durationMs: expect.any(Number),
    })
    expect(records[3]).not.toHaveProperty('effects')
    expect(records[4]).toMatchObject({ function: 'orders.lost' })
  })

  it('has callers whose credentials are not accepted, with the reason that callers never learn', async () => {
    const { records, ask } = setUp()
    const answer = await ask('mallory', 'orders.create')
    expect(JSON.stringify(answer.body)).not.toContain('not known')
    expect(records).toEqual([
      {
        id: expect.any(String),
        time: expect.any(String),
        surface: 'forrst',
        outcome: 'refused',
        code: 'UNAUTHORIZED',
        reason: 'the token is not known',
      },
    ])
  })

  it('has a hidden function by its name, although its caller was told that there is none', async () => {
    const { records, ask } = setUp({}, { denied: 'not-found' })
    await ask('bob', 'orders.create')
    expect(records).toMatchObject([
      { outcome: 'refused', code: 'FUNCTION_NOT_FOUND', function: 'orders.create' },
    ])
  })

  it('tells what changed nothing: a dry run, and an outcome that was kept', async () => {
    const store = createMemoryStore()
    const { records, ask, service } = setUp({}, { store })
    await ask('ada', 'orders.create', {}, [{ urn: 'urn:forrst:ext:dry-run', options: { enabled: true } }])
    const key = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'k' } }]
    await ask('ada', 'orders.create', {}, key)
    await ask('ada', 'orders.create', {}, key)
    expect(records.map(({ outcome }) => outcome)).toEqual(['replaced', 'ok', 'replaced'])
    await service.close()
  })

  it('holds no arguments unless asked, and then none that the schema or their name calls secret', async () => {
    const given = { item: 'lamp', card: '4111', iban: 'DE89', notes: ['x'.repeat(300)] }
    const plain = setUp()
    await plain.ask('ada', 'orders.create', given)
    expect(plain.records[0]).not.toHaveProperty('arguments')
    const asked = setUp({ arguments: true, hide: ['iban'] })
    await asked.ask('ada', 'orders.create', given)
    expect(asked.records[0]?.arguments).toEqual({
      item: 'lamp',
      card: '[REDACTED]',
      iban: '[REDACTED]',
      notes: [`${'x'.repeat(200)}…`],
    })
  })

  it('cuts what a caller makes long', async () => {
    const { records, ask } = setUp({ arguments: true })
    await ask('ada', `orders.${'x'.repeat(190)}${'y'.repeat(60)}`)
    expect(records[0]?.function?.length).toBeLessThanOrEqual(200)
    const notes = Array.from({ length: 20 }, () => 'x'.repeat(200))
    const nested = Object.fromEntries(notes.map((note, index) => [`n${index}`, [note, ...notes]]))
    await ask('ada', 'orders.create', nested)
    expect(records[1]?.arguments).toBe('…')
  })

  it('leaves out probes, and reads when told to', async () => {
    const { records, ask } = setUp({ reads: false })
    await ask('ada', 'urn:cline:forrst:fn:ping')
    await ask('ada', 'orders.list')
    await ask('ada', 'orders.create')
    expect(records.map((record) => record.function)).toEqual(['orders.create'])
  })

  it('cannot be filled by whoever has no credentials', async () => {
    const { records, ask, clock } = setUp()
    for (let index = 0; index < 70; index += 1) await ask('mallory', 'orders.list')
    expect(records).toHaveLength(60)
    clock.advance(60_000)
    await ask('mallory', 'orders.list')
    expect(records.slice(60)).toMatchObject([
      { outcome: 'refused', repeated: 10 },
      { outcome: 'refused', reason: 'the token is not known' },
    ])
  })

  it('writes a record to the log when its sink fails, and the call goes on', async () => {
    const { ask, log } = setUp({ to: () => Promise.reject(new Error('disk full')), wait: true })
    const answer = await ask('ada', 'orders.create')
    expect(answer.status).toBe(200)
    const lost = log.lines.find((line) => JSON.stringify(line).includes('an observer of calls'))
    expect(String((lost as { facts?: { error?: Error } }).facts?.error)).toMatch(
      /an audit record was not written: .*"principal":"ada"/,
    )
  })

  it('holds the answer back until the record is written, with `wait`', async () => {
    let write = (): void => undefined
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    const { ask } = setUp({ to: () => written, wait: true })
    const states: string[] = []
    const answered = ask('ada', 'orders.create').then(() => states.push('answered'))
    await new Promise((resolve) => setImmediate(resolve))
    states.push('written')
    write()
    await answered
    expect(states).toEqual(['written', 'answered'])
  })

  it('ends with its service only after every record is written', async () => {
    let write = (): void => undefined
    const written = new Promise<void>((resolve) => {
      write = resolve
    })
    const { ask, service } = setUp({ to: () => written })
    await ask('ada', 'orders.create')
    let closed = false
    const closing = service.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    write()
    await closing
  })

  it.each([{ value: 0, unit: 'day' }, { value: 1, unit: 'year' }])('refuses %o as retention', (retention) => {
    expect(() => createAudit({ to: () => undefined, retention: retention as never })).toThrow(
      'retention',
    )
  })
})

describe.each(TEST_STORES)('the audit in $name', ({ open }) => {
  it('is read newest first, by caller, function, outcome and age, and ends with its retention', async () => {
    const store = await open()
    const clock = createTestClock()
    const { ask, service } = setUp({ to: store, clock, wait: true, retention: { value: 1, unit: 'hour' } })
    await ask('ada', 'orders.create')
    clock.advance(10)
    await ask('bob', 'orders.create')
    clock.advance(10)
    await ask('ada', 'orders.list')
    const names = async (query = {}) =>
      (await readAudit(store, query)).map((record) => `${record.principal} ${record.function}`)
    expect(await names()).toEqual(['ada orders.list', 'bob orders.create', 'ada orders.create'])
    expect(await names({ principal: 'ada' })).toEqual(['ada orders.list', 'ada orders.create'])
    expect(await names({ outcome: 'refused' })).toEqual(['bob orders.create'])
    expect(await names({ function: 'orders.create', limit: 1 })).toEqual(['bob orders.create'])
    expect(await names({ since: clock.now() })).toEqual(['ada orders.list'])
    const { entries } = await store.listByPrefix('audit:')
    expect(entries.every(({ ttl }) => ttl !== null && ttl > 0 && ttl <= 3_600_000)).toBe(true)
    await service.close()
    await store.close()
  })
})
