import { createService, type Service } from 'waymark'
import { components, servers } from './components.ts'
import { openDatabase } from './database.ts'
import { eventFunctions } from './events.ts'
import { relatedFunctions } from './venues.ts'

/** Creates the event management service that the discovery seed describes, on an embedded database. */
export function createEventsService(
  path: string = process.env['EVENTS_DATABASE'] ?? '.data/events.db',
): Service {
  const database = openDatabase(path)
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
