import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { type Exchange, findDifference, replayExchange } from '../../src/verify/exchange.ts'
import { toDoor } from '../../src/verify/verify.ts'

const FOLDER = import.meta.dirname
const releases = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** What released versions answered must stay what a caller of theirs gets; record a release with --record. */
describe.each(releases)('release %s of the events example', (release) => {
  const service = createEventsService({ database: ':memory:' })
  const door = toDoor(service, {})
  const files = readdirSync(join(FOLDER, release)).toSorted()

  it('has exchanges', () => {
    expect(files.length).toBeGreaterThan(40)
  })

  it.each(files)('%s is answered as it was', async (file) => {
    const exchange = JSON.parse(readFileSync(join(FOLDER, release, file), 'utf8')) as Exchange
    expect(await replayExchange(door, exchange)).toBeUndefined()
  })

  it('notices a changed answer', async () => {
    const file = files.find((name) => name.endsWith('events.get.json')) ?? ''
    const exchange = JSON.parse(readFileSync(join(FOLDER, release, file), 'utf8')) as Exchange
    const status = { ...exchange, response: { ...exchange.response, status: 418 } }
    expect(await replayExchange(door, status)).toContain('HTTP 418 became')
  })
})

describe('what counts as a change', () => {
  it.each([
    ['a member that is gone', { a: 1, b: 2 }, { a: 1 }, '/b is gone'],
    ['another value', { a: 'x' }, { a: 'y' }, '"x" became "y"'],
    ['another code', { errors: [{ code: 'A' }] }, { errors: [{ code: 'B' }] }, '"A" became "B"'],
    ['another type', { a: 1 }, { a: '1' }, '1 became "1"'],
    ['a shorter list', { a: [1, 2] }, { a: [1] }, '2 items became 1'],
    ['a function that is gone', [{ name: 'f', version: '1.0.0' }], [], 'f@1.0.0'],
    ['null for a moment', { at: '2026-01-01T00:00:00Z' }, { at: null }, '/at'],
  ])('%s', (_, before, now, change) => {
    expect(findDifference(before, now, '')).toContain(change)
  })

  it.each([
    ['a new member', { a: 1 }, { a: 1, b: 2 }],
    ['a later moment', { at: '2026-01-01T00:00:00Z' }, { at: '2027-01-01T00:00:00Z' }],
    ['another random id', { id: 'a'.repeat(32) }, { id: 'b'.repeat(32) }],
    ['another duration', { duration: { value: 1 } }, { duration: { value: 2 } }],
    [
      'a better sentence',
      { errors: [{ code: 'A', message: 'x' }] },
      { errors: [{ code: 'A', message: 'y' }] },
    ],
    ['a new extension', [{ urn: 'a' }], [{ urn: 'b' }, { urn: 'a' }]],
  ])('not %s', (_, before, now) => {
    expect(findDifference(before, now, '')).toBeUndefined()
  })
})
