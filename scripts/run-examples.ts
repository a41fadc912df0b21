// Runs every example the way a reader would use it and fails when one does not do what it says.
import assert from 'node:assert/strict'
import { createEventsService } from '../examples/events/main.ts'
import { playQueries } from '../examples/tanstack-query/main.ts'
import { playTriggers } from '../examples/triggers/main.ts'
import { createClient } from '../src/entries/client.ts'
import { createMemoryStore } from '../src/entries/store.ts'
import { serve } from '../src/http/serve.ts'

const service = createEventsService({ database: ':memory:', store: createMemoryStore() })
const server = await serve(service, { port: 0 })
const events = createClient({ url: `${server.url}/forrst`, name: 'examples' })

const id = 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3'
const event = (await events.callOrThrow('events.get', { id })) as { venue: { id: string } }
const document = await events.discover()
assert(document.ok)
const link = document.result.components?.links?.['GetEventVenue']
assert(link)
const venue = await events.follow(link, event)
assert(venue.ok)
assert.equal((venue.result as { name: string }).name, 'Convention Center')

const input = { name: 'Fair', starts_at: '2027-05-01T09:00:00Z' }
const first = await events.call('events.create', input, { idempotencyKey: 'fair-2027' })
const again = await events.call('events.create', input, { idempotencyKey: 'fair-2027' })
assert(first.ok && again.ok)
assert.deepEqual(again.result, first.result)

await server.close()
console.log('examples/events: ok')

const played = await playTriggers()
console.log(`examples/triggers: ${played ? 'ok' : 'skipped, Redis is not running'}`)

await playQueries()
console.log('examples/tanstack-query: ok')
