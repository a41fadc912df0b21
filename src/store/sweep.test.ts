import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { startSweeping } from './front.ts'

describe('sweeping', () => {
  it('ends with the round under way when it is stopped', async () => {
    let finish: ((swept: 'some') => void) | undefined
    const sweep = vi.fn(
      () =>
        new Promise<'some'>((resolve) => {
          finish = resolve
        }),
    )
    const stop = startSweeping(sweep, { interval: 1 })
    await vi.waitFor(() => expect(finish).toBeDefined())
    stop()
    finish?.('some')
    await sleep(30)
    expect(sweep).toHaveBeenCalledTimes(1)
  })

  it('goes on after a round that failed', async () => {
    const sweep = vi.fn(async (_batch: number) => 'none' as const)
    sweep.mockRejectedValueOnce(new Error('away'))
    const stop = startSweeping(sweep, { interval: 1, batch: 7 })
    await vi.waitFor(() => expect(sweep.mock.calls.length).toBeGreaterThan(1))
    stop()
    expect(sweep).toHaveBeenCalledWith(7)
  })
})
