import { createService, type Service } from 'waymark'
import type { Store } from 'waymark/store'
import { components, servers } from './components.ts'
import { openDatabase } from './database.ts'
import { eventFunctions } from './events.ts'
import { relatedFunctions } from './venues.ts'

/** Where the example keeps its data and its state. */
export interface EventsOptions {
  /** File of the database; EVENTS_DATABASE or `.data/events.db` when absent, `:memory:` for tests. */
  readonly database?: string
  /** Switches idempotency, locks, caching and the other extensions on that remember something. */
  readonly store?: Store
}

/** Creates the event management service that the discovery seed describes, on an embedded database. */
export function createEventsService(options: EventsOptions = {}): Service {
  const { store } = options
  const database = openDatabase(
    options.database ?? process.env['EVENTS_DATABASE'] ?? '.data/events.db',
  )
  return createService({
    name: 'events-api',
    info: {
      title: 'Event Management API',
      version: '1.0.0',
      description: 'API for managing events, venues, and registrations',
      termsOfService: 'https://example.com/terms',
      contact: {
        name: 'API Support',
        url: 'https://example.com/support',
        email: 'api@example.com',
      },
      license: { name: 'Proprietary', url: 'https://example.com/license' },
    },
    servers,
    // Whoever reaches this example may take any lock away, as its description shows; a real service asks who calls.
    ...(store && { store, stateful: { atomicLock: { authorizeForceRelease: () => true } } }),
    profile: {
      version: '2026-04-08',
      service: 'com.example.events',
      capabilities: [
        { name: 'com.example.events.catalog', schema: 'https://example.com/schemas/catalog.json' },
        {
          name: 'com.example.events.planning',
          schema: 'https://example.com/schemas/planning.json',
        },
        {
          name: 'com.example.events.attendance',
          schema: 'https://example.com/schemas/attendance.json',
        },
      ],
    },
    components,
    functions: [...eventFunctions(database), ...relatedFunctions(database)],
    health: {
      database: {
        check() {
          database.get('select 1')
          return { status: 'healthy', message: 'Primary connection active' }
        },
      },
    },
    onClose: database.close,
  })
}

export default createEventsService
