import { describe, expect, it } from 'vitest'
import type { ScheduleTrigger } from '../../sources/tool-spec/types.ts'
import { listRuns } from './times.ts'

const MINUTE_MS = 60_000

function schedule(cron: string, timezone = 'UTC'): ScheduleTrigger {
  return { type: 'schedule', name: 'x', description: 'x', cron, timezone }
}

function runsAt(trigger: ScheduleTrigger, moment: string): boolean {
  const at = Date.parse(moment)
  return listRuns(trigger, at - MINUTE_MS, 1)[0] === at
}

describe('a cron expression', () => {
  it.each([
    ['*/15 * * * *', '2026-11-16T10:30Z', true],
    ['*/15 * * * *', '2026-11-16T10:31Z', false],
    ['0 2 * * *', '2026-11-16T02:00Z', true],
    ['0 9-17 * * mon-fri', '2026-11-16T17:00Z', true],
    ['0 9-17 * * mon-fri', '2026-11-15T17:00Z', false],
    ['5,10 0 1 jan *', '2026-01-01T00:10Z', true],
    ['0 0 * * 7', '2026-11-15T00:00Z', true],
    ['0 0 13 * fri', '2026-11-20T00:00Z', true],
    ['0 0 13 * fri', '2026-11-13T00:00Z', true],
    ['10-20/5 * * * *', '2026-11-16T10:15Z', true],
    ['@daily', '2026-11-16T00:00Z', true],
    ['@daily', '2026-11-16T01:00Z', false],
    ['@weekly', '2026-11-15T00:00Z', true],
    ['0 0 L * *', '2028-02-29T00:00Z', true],
    ['0 0 L * *', '2028-02-28T00:00Z', false],
    ['0 0 1,L * *', '2026-11-01T00:00Z', true],
  ])('[TS-63] [TS-64] %s at %s: %s', (cron, moment, expected) => {
    expect(runsAt(schedule(cron), moment)).toBe(expected)
  })

  it('follows the time zone it is given', () => {
    const trigger = schedule('30 8 * * *', 'Asia/Kolkata')
    expect(runsAt(trigger, '2026-11-16T03:00Z')).toBe(true)
    expect(runsAt(trigger, '2026-11-16T08:30Z')).toBe(false)
  })

  it.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    'x * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '3/10 * * * *',
  ])('[TS-187] refuses %s', (cron) => {
    expect(() => listRuns(schedule(cron), 0, 1)).toThrow(/cron/)
  })
})
