import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AgentTrigger } from './agent.ts'
import { parseCron } from './cron.ts'
import { createOverlap, startSchedule } from './schedule.ts'

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

describe('a change of clocks', () => {
  function runsOf(cron: string, from: string, hours: number): string[] {
    const { isDue } = parseCron(cron, 'Europe/Berlin')
    const begin = Date.parse(from)
    const minutes = Array.from({ length: hours * 60 }, (_, index) => begin + index * 60_000)
    return minutes.filter(isDue).map((minute) => new Date(minute).toISOString().slice(5, 16))
  }

  it.each([
    ['30 2 * * *', ['03-29T01:00']],
    ['15,45 2 * * *', ['03-29T01:00']],
    ['30 2,3 * * *', ['03-29T01:00', '03-29T01:30']],
    ['0 3 * * *', ['03-29T01:00']],
    ['*/30 * * * *', ['03-29T00:30', '03-29T01:00', '03-29T01:30', '03-29T02:00']],
  ])('[TS-189] that leaves a time out has %s run once', (cron, runs) => {
    expect(runsOf(cron, '2026-03-29T00:15:00Z', 2)).toEqual(runs)
  })

  it.each([
    ['30 2 * * *', ['10-25T00:30']],
    ['15,45 2 * * *', ['10-25T00:15', '10-25T00:45']],
    ['0 * * * *', ['10-25T00:00', '10-25T01:00', '10-25T02:00']],
  ])('[TS-189] that repeats a time has %s run once, or every hour if it says so', (cron, runs) => {
    expect(runsOf(cron, '2026-10-25T00:00:00Z', 3)).toEqual(runs)
  })
})

describe('a clock that jumps', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  function watch(more: Partial<AgentTrigger> = {}): { runs: string[]; stop: () => void } {
    vi.useFakeTimers({ now: new Date('2026-11-16T10:30:20Z') })
    const runs: string[] = []
    const trigger: AgentTrigger = {
      type: 'schedule',
      name: 'hourly',
      description: 'x',
      cron: '0 * * * *',
      timezone: 'UTC',
      handler: async () => null,
      ...more,
    }
    const stop = startSchedule(trigger, async () => {
      runs.push(new Date().toISOString().slice(11, 16))
    })
    return { runs, stop }
  }
  const pass = (minutes: number) => vi.advanceTimersByTimeAsync(minutes * 60_000)

  it('does not cost the tick after a sleep', async () => {
    const { runs, stop } = watch()
    await pass(1)
    vi.setSystemTime('2026-11-16T10:58:00Z')
    await pass(5)
    expect(runs).toEqual(['11:00'])
    stop()
  })

  it('does not fire a minute twice when it goes back a little', async () => {
    const { runs, stop } = watch()
    await pass(30)
    vi.setSystemTime('2026-11-16T10:59:30Z')
    await pass(5)
    expect(runs).toEqual(['11:00'])
    stop()
  })

  it('goes on when it is put back far', async () => {
    const { runs, stop } = watch()
    await pass(30)
    vi.setSystemTime('2026-11-15T07:30:00Z')
    await pass(60)
    expect(runs).toEqual(['11:00', '08:00'])
    stop()
  })

  it.each([
    [undefined, ['16:00']],
    ['none', ['16:00']],
    ['one', ['15:20', '16:00']],
  ] as const)('over ticks with catch_up %s', async (catch_up, expected) => {
    const { runs, stop } = watch(catch_up && { catch_up })
    vi.setSystemTime('2026-11-16T15:20:00Z')
    await pass(60)
    expect(runs).toEqual(expected)
    stop()
  })
})
