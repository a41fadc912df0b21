import { afterEach, describe, expect, it, vi } from 'vitest'
import { createOverlap, parseCron, startSchedule } from './schedule.ts'

function at(text: string): Date {
  const [date = '', time = ''] = text.split(' ')
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return new Date(year, month - 1, day, hour, minute)
}

describe('cron', () => {
  it.each([
    ['*/15 * * * *', '2026-11-16 10:30', true],
    ['*/15 * * * *', '2026-11-16 10:31', false],
    ['0 2 * * *', '2026-11-16 02:00', true],
    ['0 9-17 * * mon-fri', '2026-11-16 17:00', true],
    ['0 9-17 * * mon-fri', '2026-11-15 17:00', false],
    ['5,10 0 1 jan *', '2026-01-01 00:10', true],
    ['0 0 * * 7', '2026-11-15 00:00', true],
    ['0 0 13 * fri', '2026-11-20 00:00', true],
    ['0 0 13 * fri', '2026-11-13 00:00', true],
    ['10-20/5 * * * *', '2026-11-16 10:15', true],
    ['3/10 * * * *', '2026-11-16 10:23', true],
    ['@daily', '2026-11-16 00:00', true],
    ['@daily', '2026-11-16 01:00', false],
    ['@weekly', '2026-11-15 00:00', true],
    ['0 0 L * *', '2028-02-29 00:00', true],
    ['0 0 L * *', '2028-02-28 00:00', false],
    ['0 0 1,L * *', '2026-11-01 00:00', true],
  ])('[TS-63] [TS-64] %s at %s: %s', (cron, moment, expected) => {
    expect(parseCron(cron).matches(at(moment))).toBe(expected)
  })

  it('follows the time zone it is given', () => {
    const cron = parseCron('30 8 * * *', 'Asia/Kolkata')
    expect(cron.matches(new Date('2026-11-16T03:00:00Z'))).toBe(true)
    expect(cron.matches(new Date('2026-11-16T08:30:00Z'))).toBe(false)
  })

  it.each(['* * * *', '* * * * * *', '60 * * * *', 'x * * * *', '5-1 * * * *', '*/0 * * * *'])(
    '[TS-187] refuses %s',
    (cron) => {
      expect(() => parseCron(cron)).toThrow(/cron/)
    },
  )
})

describe('a tick while the run before is not over', () => {
  it.each([
    [undefined, 1, 1],
    ['skip', 1, 1],
    ['queue', 1, 3],
    ['allow', 3, 3],
  ] as const)('with overlap %s: %d run at once, %d in all', async (overlap, atOnce, all) => {
    let running = 0
    let most = 0
    let runs = 0
    const begin = createOverlap(overlap, async () => {
      runs += 1
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
    })
    for (let tick = 0; tick < 3; tick += 1) begin()
    await expect.poll(() => runs === all && running === 0).toBe(true)
    expect([most, runs]).toEqual([atOnce, all])
  })
})

describe('jitter', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('delays every run by a part of it, and none runs after the end', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-16T10:30:00Z') })
    const delays: number[] = []
    const stop = startSchedule(
      {
        type: 'schedule',
        name: 'hourly',
        description: 'x',
        cron: '0 * * * *',
        timezone: 'UTC',
        jitter: { value: 20, unit: 'minute' },
        handler: async () => null,
      },
      async () => void delays.push(Date.now() % 3_600_000),
    )
    await vi.advanceTimersByTimeAsync(12 * 3_600_000)
    expect(delays).toHaveLength(12)
    expect(delays.every((delay) => delay <= 20 * 60_000 + 1_000)).toBe(true)
    expect(new Set(delays).size).toBeGreaterThan(6)
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
