import { describe, expect, it } from 'vitest'
import type { AgentTrigger } from './agent.ts'
import { type Attempts, createAttempts } from './attempts.ts'

const lines: string[] = []

function attempts(more: Partial<AgentTrigger> = {}, stopping?: AbortSignal): Attempts {
  const handler = async (): Promise<void> => undefined
  lines.length = 0
  return createAttempts(
    { type: 'emit', name: 'hook', description: 'A hook.', handler, ...more },
    {
      log: (line) => lines.push(line),
      stopping: stopping ?? new AbortController().signal,
      firstPauseMs: 1,
    },
  )
}

function failing(times: number, error: object = {}) {
  const numbers: number[] = []
  return {
    numbers,
    work: async ({ number }: { readonly number: number }): Promise<string> => {
      numbers.push(number)
      if (number <= times) throw Object.assign(new Error('no'), error)
      return 'done'
    },
  }
}

describe('attempts', () => {
  it('end with the first that succeeds', async () => {
    const { work, numbers } = failing(2)
    await attempts().later(work)
    expect(numbers).toEqual([1, 2, 3])
  })

  it.each([
    [{}, 5],
    [{ attempts: 2 }, 2],
    [{ attempts: 1 }, 1],
  ])('with %j are %d', async (settings, expected) => {
    const { work, numbers } = failing(Number.POSITIVE_INFINITY)
    await attempts(settings).later(work)
    expect(numbers.length).toBe(expected)
    expect(lines.at(-1)).toContain(`gave an event up (attempt ${expected} of ${expected})`)
  })

  it.each([
    [{ reason: 'arguments' }, 1],
    [{ reason: 'status', status: 404 }, 1],
    [{ reason: 'status', status: 422 }, 1],
    [{ reason: 'status', status: 503 }, 2],
    [{ reason: 'status', status: 429, retry_after: 0 }, 2],
    [{ reason: 'network' }, 2],
    [{ reason: 'setup' }, 2],
  ])('after %j are %d', async (error, expected) => {
    const { work, numbers } = failing(1, error)
    await attempts().later(work)
    expect(numbers.length).toBe(expected)
  })

  it('are one for whoever waits', async () => {
    const { work, numbers } = failing(1)
    await expect(attempts().once(work)).rejects.toThrow('no')
    expect(numbers).toEqual([1])
  })

  it('end when the agent stops, though the next is far away', async () => {
    const stopping = new AbortController()
    const { work, numbers } = failing(1, { retry_after: 1000 })
    const over = attempts({}, stopping.signal).later(work)
    await expect.poll(() => numbers.length).toBe(1)
    stopping.abort()
    await over
    expect(numbers).toEqual([1])
    expect(lines.at(-1)).toContain('the agent stops')
  })
})

describe('a run that takes too long', () => {
  it('is told so and tried again', async () => {
    const aborted: number[] = []
    await attempts({ attempts: 2, timeout: { value: 5, unit: 'millisecond' } }).later(
      ({ number, signal }) =>
        new Promise(() => signal.addEventListener('abort', () => aborted.push(number))),
    )
    expect(aborted).toEqual([1, 2])
    expect(lines.at(-1)).toContain('longer than 5 ms')
  })

  it('is refused at the start when its limit has a strange unit', () => {
    expect(() => attempts({ timeout: { value: 1, unit: 'fortnight' } })).toThrow(/fortnight/)
  })
})

describe('runs at the same time', () => {
  it.each([
    [{ concurrency: 2 }, 2],
    [{}, 10],
  ])('with %j are at most %d, in the order they came', async (settings, expected) => {
    const { later } = attempts(settings)
    const begun: number[] = []
    let running = 0
    let most = 0
    const runs = Array.from({ length: 25 }, (_, index) =>
      later(async () => {
        begun.push(index)
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      }),
    )
    await Promise.all(runs)
    expect(most).toBe(expected)
    expect(begun).toEqual(begun.toSorted((one, other) => one - other))
  })

  it('leave room while one of them waits for its next attempt', async () => {
    const stopping = new AbortController()
    const { later } = attempts({ concurrency: 1 }, stopping.signal)
    const first = later(failing(1, { retry_after: 1000 }).work)
    const second = failing(0)
    await later(second.work)
    expect(second.numbers).toEqual([1])
    stopping.abort()
    await first
  })
})
