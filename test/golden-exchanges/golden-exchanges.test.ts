import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { type Exchange, findDifference, replayExchange } from '../../src/change/verify/exchange.ts'
import { toDoor } from '../../src/change/verify/verify.ts'

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

  it('notices other words of an error', async () => {
    const answers = files.map((name) => readFileSync(join(FOLDER, release, name), 'utf8'))
    const refused = answers.find((text) => text.includes('"No event with id')) ?? ''
    const exchange = JSON.parse(refused.replace('"No event', '"Not one event')) as Exchange
    expect(await replayExchange(door, exchange)).toContain('/errors/0/message: "Not one event')
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
    ['a new extension', [{ urn: 'a' }], [{ urn: 'b' }, { urn: 'a' }]],
  ])('not %s', (_, before, now) => {
    expect(findDifference(before, now, '')).toBeUndefined()
  })
})

/** The text of an error is compared word by word. */
describe('the sentence of an error', () => {
  const said = (message: string) => ({ errors: [{ code: 'A', message }] })
  const ID = 'e3eac35a-aec6-4569-a8ae-935b74d5a2a7'
  const OTHER = '7c912d92-26df-4576-a90e-7317e8bba1b7'

  it.each([
    ['has other words', 'No event with that id', 'There is no such event'],
    ['has other words beside an id', `No event with id ${ID}`, `Nothing with id ${ID}`],
    ['names another place', 'limit must be at most 100', 'size must be at most 100'],
    ['has another figure', 'limit must be at most 100', 'limit must be at most 50'],
    ['lists less than it did', 'unit must be one of a, b', 'unit must be one of a, c'],
    [
      'lists fewer versions',
      'f has no version 9; known: 1.0.0, 2.0.0',
      'f has no version 9; known: 2.0.0',
    ],
    ['says more', 'Sold out', 'Sold out until tomorrow'],
  ])('has changed when it %s', (_, before, now) => {
    expect(findDifference(said(before), said(now), '')).toContain('/errors/0/message')
  })

  // What is not stable, and why:
  it.each([
    ['an id made at random is another one every time', `No lock ${ID}`, `No lock ${OTHER}`],
    [
      'a moment is that of the call',
      'Closed until 2026-01-01T00:00:00Z',
      'Closed until 2027-02-03T10:00:00.123+01:00',
    ],
    ['what there is may become more', 'unit must be one of a, b', 'unit must be one of a, b, c'],
    [
      'versions come',
      'f has no version 9; known: 1.0.0',
      'f has no version 9; known: 1.0.0, 2.0.0',
    ],
    ['a longer list is cut', 'x must be one of a, b', 'x must be one of a, b or 7 more'],
    [
      'the nearest name follows from the names there are',
      'x must be one of a, b',
      'x must be one of a, b; did you mean "a"?',
    ],
  ])('has not changed: %s', (_, before, now) => {
    expect(findDifference(said(before), said(now), '')).toBeUndefined()
  })
})
