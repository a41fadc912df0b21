import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFailingStore } from '../../../test/support/stores.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import type { ScheduleTrigger } from '../../sources/tool-spec/types.ts'
import { systemClock } from '../../values/time.ts'
import type { SourceContext, TriggerEvent, TriggerSource } from '../trigger.ts'
import { startSchedule } from './schedule.ts'
import { listRuns } from './times.ts'

const HOURLY: ScheduleTrigger = {
  type: 'schedule',
  name: 'hourly',
  description: 'x',
  cron: '0 * * * *',
  timezone: 'UTC',
}

interface Desk {
  readonly context: SourceContext<ScheduleTrigger>
  readonly fired: TriggerEvent[]
  readonly warnings: string[]
  /** Deliveries that are not over. */
  readonly open: Set<string>
}

function createDesk(over: Partial<ScheduleTrigger> = {}, store: Store = createMemoryStore()): Desk {
  const fired: TriggerEvent[] = []
  const warnings: string[] = []
  const open = new Set<string>()
  const seen = new Set<string>()
  const note = (message: string) => void warnings.push(message)
  const context: SourceContext<ScheduleTrigger> = {
    trigger: { ...HOURLY, ...over },
    service: 'shop',
    async accept(event) {
      const repeated = seen.has(event.id)
      seen.add(event.id)
      if (!repeated) fired.push(event)
      return { status: repeated ? 'duplicate' : 'accepted', delivery: event.id }
    },
    settle: () => Promise.reject(new TypeError('schedules do not wait')),
    isOpen: async (delivery) => open.has(delivery),
    store,
    clock: systemClock,
    log: { warn: note, error: note },
    env: {},
    cwd: '/',
    host: '127.0.0.1',
  }
  return { context, fired, warnings, open }
}

const running: TriggerSource[] = []
async function start({ context }: Desk): Promise<TriggerSource> {
  const source = await startSchedule(context)
  running.push(source)
  return source
}

const stop = (source: TriggerSource | undefined) => source?.stop(AbortSignal.abort())
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const HOUR = 3_600_000
const toMinutes = (runs: readonly number[]) =>
  runs.map((run) => new Date(run).toISOString().slice(0, 16))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.setSystemTime('2026-03-01T10:30:00Z')
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(stop))
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a schedule', () => {
  it('[TS-65] [TS-66] fires at its minutes with an empty payload; the minute is the id', async () => {
    const desk = createDesk()
    await start(desk)
    await pass(29 * 60_000)
    expect(desk.fired).toEqual([])
    await pass(61 * 60_000)
    expect(desk.fired).toEqual(
      ['2026-03-01T11:00:00.000Z', '2026-03-01T12:00:00.000Z'].map((scheduled_at) => ({
        id: `hourly@${scheduled_at}`,
        payload: {},
        meta: { scheduled_at },
      })),
    )
  })

  it('[TS-65] counts in the time zone of the process when it names none', async () => {
    const { timezone: _, ...local } = { ...HOURLY, cron: '30 14 * * *' }
    const [run = 0] = listRuns(local, Date.now(), 1)
    expect([new Date(run).getHours(), new Date(run).getMinutes()]).toEqual([14, 30])
  })

  it('fires once per tick however many processes share the store', async () => {
    const store = createMemoryStore()
    const desk = createDesk({}, store)
    await Promise.all([start(desk), start(desk), start(desk)])
    await pass(3 * HOUR)
    expect(desk.fired).toHaveLength(3)
  })

  it('waits longer than a timer can', async () => {
    const desk = createDesk({ cron: '0 0 1 4 *' })
    const source = await start(desk)
    expect(source.next?.(1)).toEqual([Date.parse('2026-04-01T00:00:00Z')])
    await pass(30 * 24 * HOUR)
    expect(desk.fired).toEqual([])
    await pass(24 * HOUR)
    expect(desk.fired.map(({ id }) => id)).toEqual(['hourly@2026-04-01T00:00:00.000Z'])
  })

  it('[TS-189] runs once where clocks leave a time out, and once where they repeat it', () => {
    const nightly = { ...HOURLY, cron: '30 2 * * *', timezone: 'Europe/Berlin' }
    const runs = (from: string) =>
      listRuns(nightly, Date.parse(from), 3).map((run) => new Date(run).toISOString())
    expect(runs('2026-03-28T00:00:00Z')).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
    expect(runs('2026-10-24T00:00:00Z')).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ])
  })

  it.each([
    ['15,45 2 * * *', '2026-03-29T01:00', '2026-03-30T00:15', '2026-03-30T00:45'],
    ['*/30 2 * * *', '2026-03-29T01:00', '2026-03-30T00:00', '2026-03-30T00:30'],
    ['30 2,3 * * *', '2026-03-29T01:00', '2026-03-29T01:30', '2026-03-30T00:30'],
    ['*/30 * * * *', '2026-03-28T12:30', '2026-03-28T13:00', '2026-03-28T13:30'],
    ['@daily', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
  ])(
    '[TS-189] %s runs at the next valid minute where clocks leave its time out',
    (cron, ...runs) => {
      const trigger = { ...HOURLY, cron, timezone: 'Europe/Berlin' }
      expect(toMinutes(listRuns(trigger, Date.parse('2026-03-28T12:00:00Z'), 3))).toEqual(runs)
    },
  )

  it.each([
    ['15,45 2 * * *', '2026-10-25T00:15', '2026-10-25T00:45', '2026-10-26T01:15'],
    ['*/30 2 * * *', '2026-10-25T00:00', '2026-10-25T00:30', '2026-10-26T01:00'],
    ['30 2,3 * * *', '2026-10-25T00:30', '2026-10-25T02:30', '2026-10-26T01:30'],
  ])('[TS-189] %s runs once where clocks repeat its time', (cron, ...runs) => {
    const trigger = { ...HOURLY, cron, timezone: 'Europe/Berlin' }
    expect(toMinutes(listRuns(trigger, Date.parse('2026-10-24T12:00:00Z'), 3))).toEqual(runs)
  })

  it.each([
    [
      '*/30 * * * *',
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
    ],
    ['0 * * * *', '2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00'],
  ])('%s of every hour goes on through an hour that clocks repeat', (cron, ...runs) => {
    const trigger = { ...HOURLY, cron, timezone: 'Europe/Berlin' }
    expect(toMinutes(listRuns(trigger, Date.parse('2026-10-24T23:45:00Z'), 4))).toEqual(runs)
  })

  it('fires in the minute after a time that clocks left out', async () => {
    vi.setSystemTime('2026-03-29T00:30:00Z')
    const desk = createDesk({ cron: '15,45 2 * * *', timezone: 'Europe/Berlin' })
    await start(desk)
    await pass(HOUR)
    expect(desk.fired.map(({ id }) => id)).toEqual(['hourly@2026-03-29T01:00:00.000Z'])
  })

  it.each([
    [{ cron: '* * * * * *' }, /trigger hourly: cron must be five fields.*"\* \* \* \* \* \*"/],
    [{ cron: 'soon' }, /trigger hourly: cron must be five fields/],
    [{ cron: '2026-12-01T00:00:00Z' }, /trigger hourly: cron must be five fields/],
    [{ timezone: 'Europe/Atlantis' }, /trigger hourly: timezone must be an IANA time zone/],
  ])('refuses %o at the start', async (over, message) => {
    await expect(startSchedule(createDesk(over).context)).rejects.toThrow(message)
  })

  it('tries again when a tick cannot be stored', async () => {
    const { store, fail } = createFailingStore()
    const desk = createDesk({}, store)
    const source = await start(desk)
    fail(true)
    await pass(31 * 60_000)
    expect(source.trouble?.()).toBe('cannot store its runs, trying again')
    fail(false)
    await pass(10_000)
    expect(desk.fired).toHaveLength(1)
    expect(source.trouble?.()).toBeUndefined()
  })
})

describe('jitter', () => {
  const JITTER = { jitter: { value: 30, unit: 'minute' } } as const
  const HALF = HOUR / 2

  /** When each tick fired, in milliseconds after its own time. */
  function watchDelays(desk: Desk): number[] {
    const delays: number[] = []
    const { accept } = desk.context
    Object.assign(desk.context, {
      accept: (event: TriggerEvent) => {
        delays.push(Date.now() - Date.parse(String(event.meta?.['scheduled_at'])))
        return accept(event)
      },
    })
    return delays
  }

  it('delays each run by a part of it that differs from tick to tick; the tick keeps its name', async () => {
    const desk = createDesk(JITTER)
    const delays = watchDelays(desk)
    const source = await start(desk)
    expect(source.next?.(1)).toEqual([Date.parse('2026-03-01T11:00:00Z')])
    await pass(12 * HOUR)
    expect(delays).toHaveLength(12)
    expect(delays.every((delay) => delay >= 0 && delay <= HALF)).toBe(true)
    expect(new Set(delays).size).toBeGreaterThan(6)
    expect(desk.fired[0]).toMatchObject({ id: 'hourly@2026-03-01T11:00:00.000Z' })
  })

  it('fires once per tick however many processes share the store', async () => {
    const desk = createDesk(JITTER, createMemoryStore())
    await Promise.all([start(desk), start(desk), start(desk)])
    await pass(6 * HOUR)
    expect(new Set(desk.fired.map(({ id }) => id)).size).toBe(6)
    expect(desk.fired).toHaveLength(6)
  })

  it('keeps a run that was still to come when the process was replaced', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    const desk = createDesk(JITTER)
    const first = await start(desk)
    await pass(HALF + 60_000)
    await stop(first)
    expect(desk.fired).toEqual([])
    await start(desk)
    await pass(HALF)
    expect(desk.fired.map(({ id }) => id)).toEqual(['hourly@2026-03-01T11:00:00.000Z'])
  })

  it('forgets a run when the machine slept through the delay', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const desk = createDesk(JITTER)
    await start(desk)
    await pass(HALF + 60_000)
    vi.setSystemTime('2026-03-01T11:45:00Z')
    await pass(14 * 60_000)
    expect(desk.fired).toEqual([])
    expect(desk.warnings).toEqual(['schedule hourly missed a run'])
  })

  it.each([
    [{ value: 1, unit: 'hour' }, 'must be shorter than the shortest time between two runs, 3600 s'],
    [{ value: 0, unit: 'hour' }, 'must be a duration of up to a day'],
    [{ value: 5, unit: 'moons' }, 'must be a duration of up to a day'],
  ])('refuses %o at the start', async (jitter, message) => {
    const { context } = createDesk({ jitter: jitter as typeof JITTER.jitter })
    await expect(startSchedule(context)).rejects.toThrow(`trigger hourly: jitter ${message}`)
  })
})

describe('overlap', () => {
  it('[TS-188] skips a run while the one before is not over', async () => {
    const desk = createDesk()
    await start(desk)
    await pass(HOUR)
    desk.open.add(desk.fired[0]?.id ?? '')
    await pass(HOUR)
    expect(desk.fired).toHaveLength(1)
    expect(desk.warnings).toEqual(['schedule hourly skips a run: the previous still runs'])
    desk.open.clear()
    await pass(HOUR)
    expect(desk.fired.map(({ id }) => id.slice(7, 23))).toEqual([
      '2026-03-01T11:00',
      '2026-03-01T13:00',
    ])
  })

  it('queue runs what waits in order, allow does not wait', async () => {
    const queue = createDesk({ overlap: 'queue' })
    const allow = createDesk({ overlap: 'allow' })
    await Promise.all([start(queue), start(allow)])
    await pass(HOUR)
    for (const desk of [queue, allow]) desk.open.add(desk.fired[0]?.id ?? '')
    await pass(2 * HOUR)
    expect(allow.fired).toHaveLength(3)
    expect(queue.fired).toHaveLength(1)
    queue.open.clear()
    await pass(5_000)
    expect(queue.fired.map(({ id }) => id.slice(18, 23))).toEqual(['11:00', '12:00', '13:00'])
  })
})

describe('runs missed while stopped', () => {
  async function miss(catch_up?: 'one'): Promise<Desk> {
    const desk = createDesk(catch_up && { catch_up })
    const source = await start(desk)
    await pass(HOUR)
    await stop(source)
    await pass(5 * HOUR)
    await start(desk)
    await pass(1_000)
    return desk
  }

  it('are forgotten by default', async () => {
    expect((await miss()).fired).toHaveLength(1)
  })

  it('are made up for by one run with catch_up: one', async () => {
    const { fired } = await miss('one')
    expect(fired.map(({ id }) => id.slice(7, 23))).toEqual(['2026-03-01T11:00', '2026-03-01T16:00'])
  })

  it('do not exist on the very first start', async () => {
    const desk = createDesk({ catch_up: 'one' })
    await start(desk)
    await pass(1_000)
    expect(desk.fired).toEqual([])
  })

  it('are forgotten after the machine slept, but for the newest with catch_up: one', async () => {
    const forgets = createDesk()
    const recovers = createDesk({ catch_up: 'one' })
    await Promise.all([start(forgets), start(recovers)])
    // Time passes and no timer fires, as in a sleep.
    vi.setSystemTime('2026-03-01T15:20:00Z')
    await pass(31 * 60_000)
    expect(forgets.fired).toEqual([])
    expect(recovers.fired.map(({ id }) => id.slice(7, 23))).toEqual(['2026-03-01T15:00'])
  })
})

describe('a clock that jumps', () => {
  it('does not cost the tick after a sleep', async () => {
    const desk = createDesk()
    await start(desk)
    await pass(60_000)
    // Time passes and no timer fires, as in a sleep that ends before the tick.
    vi.setSystemTime('2026-03-01T10:58:00Z')
    await pass(3 * 60_000)
    expect(desk.fired.map(({ id }) => id)).toEqual(['hourly@2026-03-01T11:00:00.000Z'])
    expect(desk.warnings).toEqual([])
  })

  it('does not cost the delay of a run after a sleep', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const desk = createDesk({ jitter: { value: 40, unit: 'minute' } })
    await start(desk)
    await pass(31 * 60_000)
    vi.setSystemTime('2026-03-01T11:18:00Z')
    await pass(3 * 60_000)
    expect(desk.fired).toHaveLength(1)
  })

  it('does not fire a tick again when it goes back a little', async () => {
    const desk = createDesk()
    await start(desk)
    await pass(31 * 60_000)
    vi.setSystemTime('2026-03-01T10:59:30Z')
    await pass(5 * 60_000)
    expect(desk.fired).toHaveLength(1)
  })

  it('does not make a schedule wait for a tick of the time before it was put back', async () => {
    vi.setSystemTime('2031-01-01T00:30:00Z')
    const desk = createDesk()
    await start(desk)
    vi.setSystemTime('2026-03-01T10:30:00Z')
    await pass(HOUR)
    expect(desk.fired.map(({ id }) => id)).toEqual(['hourly@2026-03-01T11:00:00.000Z'])
  })

  it('does not silence a schedule that ran under a clock far ahead', async () => {
    const store = createMemoryStore()
    vi.setSystemTime('2031-01-01T00:30:00Z')
    const ahead = createDesk({}, store)
    const source = await start(ahead)
    await pass(HOUR)
    expect(ahead.fired).toHaveLength(1)
    await stop(source)
    vi.setSystemTime('2026-03-01T10:30:00Z')
    const desk = createDesk({}, store)
    await start(desk)
    await pass(2 * HOUR)
    expect(desk.fired.map(({ id }) => id.slice(7, 23))).toEqual([
      '2026-03-01T11:00',
      '2026-03-01T12:00',
    ])
  })
})
