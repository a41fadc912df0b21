import { describe, expect, it } from 'vitest'
import { buildDocument } from '../../src/discovery/document.ts'
import { call, send } from '../../test/support/forrst.ts'
import { HAS_SEEDS, readJsonObjects, readSeed } from '../../test/support/seeds.ts'
import { createEventsService } from './main.ts'

const NO_UUID =
  'the seed says format uuid and gives ids such as evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3; formats are asserted'

/** Every difference between the service's document and the one seed 000 prints, with its reason. */
const DIFFERENCES: readonly { readonly at: string; readonly reason: string }[] = [
  {
    at: '/functions/events.create/arguments',
    reason: 'the seed leaves the arguments out; a working function has to describe them',
  },
  {
    at: '/functions/events.create/result',
    reason: 'the seed leaves the result out; a working function has to describe it',
  },
  {
    at: '/functions/events.create/errors',
    reason: 'the function answers VALIDATION_ERROR, which the seed defines but never uses',
  },
  {
    at: '/functions/events.legacy_create/arguments',
    reason: 'the seed leaves the arguments out; a working function has to describe them',
  },
  {
    at: '/functions/events.legacy_create/result',
    reason: 'the seed leaves the result out; a working function has to describe it',
  },
  ...['events.list', 'events.get'].map((name) => ({
    at: `/functions/${name}/sideEffects`,
    reason: 'the seed leaves it out; what is known to only read can be asked with GET',
  })),
  { at: '/functions/venues.get', reason: 'a link of the seed leads to it, so it exists' },
  { at: '/functions/attendees.list', reason: 'a link of the seed leads to it, so it exists' },
  ...['contentDescriptors/EventId', 'contentDescriptors/VenueId'].map((name) => ({
    at: `/components/${name}/schema/format`,
    reason: NO_UUID,
  })),
  ...['schemas/EventResource', 'schemas/VenueResource'].map((name) => ({
    at: `/components/${name}/properties/id/format`,
    reason: NO_UUID,
  })),
  {
    at: '/components/schemas/AttendeeResource',
    reason: 'attendees.list answers with it',
  },
]

describe.skipIf(!HAS_SEEDS)('the events example against seed 000 (needs ../shared)', () => {
  const service = createEventsService({ database: ':memory:' })
  const seed = () => readJsonObjects(readSeed('000')).find((object) => 'discovery' in object)

  it('prints the document of the seed, but for the listed differences', () => {
    const document = toComparable(buildDocument(service, { includeHidden: true }))
    const wanted = toComparable(seed())
    const found = listDifferences(wanted, document)
    expect(found).toEqual(DIFFERENCES.map(({ at }) => at).sort())
  })

  it('[F-124] leaves the hidden function out of what everybody sees', async () => {
    const { body } = await call(service, { function: 'urn:cline:forrst:ext:discovery:fn:describe' })
    const { functions } = body as unknown as { functions: { name: string }[] }
    expect(functions.map(({ name }) => name)).not.toContain('events.legacy_create')
  })
})

describe.skipIf(!HAS_SEEDS)('the requests the seeds print (needs ../shared)', () => {
  const service = createEventsService({ database: ':memory:' })
  const requests = (['000', '001'] as const).flatMap((number) =>
    readJsonObjects(readSeed(number)).filter((object) => 'call' in object && 'protocol' in object),
  )
  /** Functions the seeds only use as examples, or that come with an extension of their own issue. */
  const elsewhere = /"(users\.list|orders\.create|[^"]*atomic-lock[^"]*)"/

  it('are all there', () => {
    expect(requests.length).toBeGreaterThanOrEqual(10)
  })

  it.each(requests.filter((request) => !elsewhere.test(JSON.stringify(request))))(
    'gets the answer printed for %j',
    async (request) => {
      const { status, body } = await send(service, request)
      expect(status).toBe(200)
      expect(body.errors).toBeUndefined()
    },
  )
})

describe('the events example', () => {
  const service = createEventsService({ database: ':memory:' })
  const run = (name: string, input: object) => call(service, { function: name, arguments: input })
  const id = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'

  it('lists published events, page by page', async () => {
    const { body } = await run('events.list', { status: 'published' })
    expect(body.result).toMatchObject([{ id, name: 'Tech Conference 2024', status: 'published' }])
    const second = await run('events.list', { pagination: { page: 2, per_page: 2 } })
    expect(second.body.result).toHaveLength(1)
  })

  it('answers its own example', async () => {
    const pairing = service.components.examplePairings?.['GetSingleEvent']
    const { value } = pairing?.result as { value: object }
    expect((await run('events.get', { id })).body.result).toMatchObject(value)
  })

  it('leads from an event to its venue and its attendees', async () => {
    const event = (await run('events.get', { id })).body.result as { venue: { id: string } }
    const venue = await run('venues.get', { venue_id: event.venue.id })
    expect(venue.body.result).toMatchObject({ name: 'Convention Center', capacity: 5000 })
    const attendees = await run('attendees.list', { event_id: id })
    expect(attendees.body.result).toHaveLength(2)
  })

  it('creates an event that can be read back, through the new and the legacy name', async () => {
    for (const name of ['events.create', 'events.legacy_create']) {
      const created = await run(name, { name: 'Fair', starts_at: '2027-05-01T09:00:00Z' })
      const { id: created_id } = created.body.result as { id: string }
      const read = await run('events.get', { id: created_id })
      expect(read.body.result).toMatchObject({ name: 'Fair', status: 'draft' })
    }
  })

  it('answers NOT_FOUND with what is missing, and points at a wrong date', async () => {
    const missing = await run('events.get', { id: 'evt_nope' })
    expect([missing.status, missing.body.errors?.[0]?.details]).toEqual([
      404,
      { resource_type: 'event', resource_id: 'evt_nope' },
    ])
    const wrong = await run('events.create', { name: 'Fair', starts_at: 'tomorrow' })
    expect(wrong.body.errors?.[0]?.source).toEqual({ pointer: '/call/arguments/starts_at' })
  })
})

/** Names functions instead of counting them, so that a difference can be found again. */
function toComparable(document: unknown): Record<string, unknown> {
  const { functions, ...rest } = JSON.parse(JSON.stringify(document))
  return {
    ...rest,
    functions: Object.fromEntries(functions.map((entry: { name: string }) => [entry.name, entry])),
  }
}

function listDifferences(left: unknown, right: unknown, at = ''): readonly string[] {
  if (JSON.stringify(left) === JSON.stringify(right)) return []
  const bothObjects =
    typeof left === 'object' && typeof right === 'object' && left !== null && right !== null
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) return [at]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys]
    .flatMap((key) =>
      listDifferences(
        (left as Record<string, unknown>)[key],
        (right as Record<string, unknown>)[key],
        `${at}/${key}`,
      ),
    )
    .sort()
}
