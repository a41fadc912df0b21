import { describe, expect, it, vi } from 'vitest'
import { startKeepAlive } from './lease.ts'

describe('something that is renewed', () => {
  it('is stopped when the renewal under way has settled, and not before', async () => {
    let finish: ((goOn: boolean) => void) | undefined
    const renew = vi.fn(
      () =>
        new Promise<boolean>((resolve) => {
          finish = resolve
        }),
    )
    const kept = startKeepAlive(1, renew)
    await vi.waitFor(() => expect(finish).toBeDefined())
    const order: string[] = []
    const stopped = kept.stop().then(() => order.push('stopped'))
    await new Promise((resolve) => setImmediate(resolve))
    order.push('renewed')
    finish?.(true)
    await stopped
    expect(order).toEqual(['renewed', 'stopped'])
    expect(renew).toHaveBeenCalledTimes(1)
  })

  it('is renewed until the renewal says that it was the last', async () => {
    const answers = [true, true, false]
    const renew = vi.fn(async () => answers.shift() ?? true)
    startKeepAlive(1, renew)
    await vi.waitFor(() => expect(answers).toEqual([]))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(renew).toHaveBeenCalledTimes(3)
  })
})
