import { afterAll, describe, expect, it } from 'vitest'
import { createMemoryStore } from 'waymark/store'
import { call, dataOf } from '../../test/support/forrst.ts'
import { createEventsService } from './main.ts'

const LOCK = 'urn:forrst:ext:atomic-lock'
const EVENT = { name: 'Meetup', start_date: '2026-12-01T18:00:00Z' }

describe('a lock of the example', () => {
  const store = createMemoryStore()
  const service = createEventsService({ database: ':memory:', store })
  afterAll(async () => {
    await service.close()
    await store.close()
  })

  it('can be taken away by anybody, as the description of the protocol prints it', async () => {
    const options = { key: 'hall', ttl: { value: 1, unit: 'minute' }, auto_release: false }
    const held = await call(service, {
      function: 'events.create',
      arguments: EVENT,
      extensions: [{ urn: LOCK, options }],
    })
    expect(dataOf(held, LOCK)).toMatchObject({ acquired: true })
    const key = 'forrst_lock:events.create:hall'
    const force = () =>
      call(service, {
        function: 'urn:cline:forrst:ext:atomic-lock:fn:force-release',
        version: '1.0.0',
        arguments: { key },
      })
    expect((await force()).body.result).toEqual({ released: true, key, forced: true })
    expect((await force()).body.errors?.[0].code).toBe('LOCK_NOT_FOUND')
  })
})
