import { describe, expect, it } from 'vitest'
import { parseCron } from './schedule.ts'

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
