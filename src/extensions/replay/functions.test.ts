import { describe, expect, it } from 'vitest'
import { setUpReplay } from '../../../test/support/replay.ts'
import { endMaintenance, startMaintenance } from '../maintenance/state.ts'

const MINUTE = 60_000

describe('the functions of replay', () => {
  const queueThree = async () => {
    const all = setUpReplay()
    await startMaintenance(all.store, { reason: 'Upgrade' }, all.clock.now())
    const ids: string[] = []
    for (const n of [1, 2, 3]) {
      ids.push(all.idOf(await all.ask(n, {}, { user: 'alice' })))
      all.clock.advance(1)
    }
    const [first = '', second = '', third = ''] = ids
    await endMaintenance(all.store)
    return { ...all, ids: { first, second, third } }
  }

  it('cancel takes a call out of the queue, once', async () => {
    const { manage, jobs, runs, ids } = await queueThree()
    const cancelled = await manage('cancel', { replay_id: ids.second }, 'alice')
    expect(cancelled.body.result).toEqual({
      replay_id: ids.second,
      status: 'cancelled',
      cancelled_at: '2024-01-15T10:30:00Z',
    })
    for (const name of ['cancel', 'trigger']) {
      const again = await manage(name, { replay_id: ids.second }, 'alice')
      expect([again.status, again.body.errors?.[0]?.code]).toEqual([410, 'REPLAY_CANCELLED'])
    }
    await jobs.runFor(MINUTE)
    expect(runs).toHaveLength(2)
    for (const name of ['cancel', 'trigger']) {
      const late = await manage(name, { replay_id: ids.first }, 'alice')
      expect([late.status, late.body.errors?.[0]?.code]).toEqual([409, 'REPLAY_ALREADY_COMPLETE'])
    }
  })

  it('trigger runs a call before its turn', async () => {
    const { manage, jobs, runs, ids } = await queueThree()
    const triggered = await manage('trigger', { replay_id: ids.third }, 'alice')
    expect(triggered.body.result).toMatchObject({ replay_id: ids.third, status: 'processing' })
    await jobs.runDue()
    expect(runs[0]).toContain('{"n":3}')
    await jobs.runFor(MINUTE)
    expect(runs).toHaveLength(3)
  })

  it('list pages through the calls of the caller, with a total', async () => {
    const { manage, ids } = await queueThree()
    const page = await manage('list', { limit: 2 }, 'alice')
    expect(page.body.result).toEqual({
      replays: [ids.first, ids.second].map((id) => ({
        replay_id: id,
        function: 'orders.create',
        status: 'queued',
        queued_at: '2024-01-15T10:30:00Z',
        reason: 'SERVER_MAINTENANCE',
      })),
      total: 3,
      next_cursor: ids.second,
    })
    const rest = await manage('list', { limit: 2, cursor: ids.second }, 'alice')
    expect(rest.body.result).toMatchObject({
      replays: [{ replay_id: ids.third }],
      total: 3,
      next_cursor: null,
    })
    const none = await manage('list', { function: 'orders.get' }, 'alice')
    expect(none.body.result).toEqual({ replays: [], total: 0, next_cursor: null })
    const wrong = await manage('list', { cursor: 'x' }, 'alice')
    expect(wrong.body.errors?.[0]?.code).toBe('INVALID_ARGUMENTS')
  })

  it('know nothing of the calls of others', async () => {
    const { manage, ids } = await queueThree()
    for (const user of ['mallory', undefined]) {
      for (const name of ['status', 'cancel', 'trigger']) {
        const refused = await manage(name, { replay_id: ids.first }, user)
        expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([404, 'REPLAY_NOT_FOUND'])
      }
      expect((await manage('list', {}, user)).body.result).toMatchObject({ total: 0 })
    }
    const odd = await manage('status', { replay_id: '../rpl_x' }, 'alice')
    expect(odd.body.errors?.[0]?.code).toBe('REPLAY_NOT_FOUND')
  })
})
