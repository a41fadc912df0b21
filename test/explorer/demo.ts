import {
  type App,
  allSurfaces,
  createApp,
  createService,
  defineFunction,
  type FunctionDefinition,
} from 'waymark'
import { components } from '../../examples/events/components.ts'
import { openDatabase } from '../../examples/events/database.ts'
import { eventFunctions } from '../../examples/events/events.ts'
import { relatedFunctions } from '../../examples/events/venues.ts'
import { answerOperations } from './operations.ts'

const SCHEDULE = {
  type: 'object',
  required: ['title', 'starts_at', 'location'],
  properties: {
    title: { type: 'string', minLength: 3, maxLength: 120, description: 'Shown to attendees.' },
    starts_at: { type: 'string', format: 'date-time', description: 'When the doors open.' },
    location: {
      description: 'Where it takes place.',
      oneOf: [
        {
          title: 'At a venue',
          type: 'object',
          required: ['kind', 'venue_id'],
          properties: {
            kind: { const: 'venue' },
            venue_id: { type: 'string', description: 'See `venues.get`.' },
          },
        },
        {
          title: 'Online',
          type: 'object',
          required: ['kind', 'url'],
          properties: { kind: { const: 'online' }, url: { type: 'string', format: 'uri' } },
        },
      ],
    },
    capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 5000,
      default: 100,
      description: 'Seats on sale.',
    },
    visibility: { enum: ['public', 'unlisted', 'private'], default: 'public' },
    notify: { type: 'boolean', description: 'Tell the followers of the organiser.' },
    price: { type: ['number', 'null'], minimum: 0, description: 'Null means free of charge.' },
    speakers: {
      type: 'array',
      description: 'In the order of their talks.',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, topic: { type: 'string' } },
      },
    },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as const

/** Functions that show what the example service has no reason to have. */
function demoFunctions(): readonly FunctionDefinition[] {
  return [
    defineFunction({
      name: 'events.schedule',
      version: '2.1.0',
      summary: 'Schedule an event',
      description:
        'Puts an event on the calendar and reserves its venue.\n\nThe answer holds the new `id`. Followers are told only when **notify** is set.',
      writes: ['create'],
      input: SCHEDULE,
      simulations: [
        {
          name: 'success',
          description: 'A free evening at the town hall',
          input: {
            title: 'Demo evening',
            starts_at: '2026-12-01T18:00:00Z',
            location: { kind: 'venue', venue_id: 'ven_1' },
          },
          output: { id: 'evt_demo_001', status: 'draft' },
        },
        {
          name: 'sold out',
          input: {
            title: 'Demo evening',
            starts_at: '2026-12-01T18:00:00Z',
            location: { kind: 'venue', venue_id: 'ven_9' },
          },
          error: { code: 'EVENTS_VENUE_TAKEN', message: 'The venue is taken on that day' },
        },
      ],
      errors: [{ code: 'EVENTS_VENUE_TAKEN', message: 'The venue is taken on that day' }],
      handler: ({ input }) => ({ id: 'evt_1042', status: 'draft', ...input }),
    }),
    defineFunction({
      name: 'events.schedule',
      version: '1.0.0',
      summary: 'Schedule an event',
      deprecated: { reason: 'Cannot describe online events; use 2.1.0.', sunset: '2027-03-31' },
      input: { type: 'object' },
      handler: () => ({}),
    }),
    defineFunction({
      name: 'events.archive',
      version: '1.0.0',
      summary: 'Archive an event for good',
      writes: ['delete'],
      deprecated: {
        reason: 'Events archive themselves a year after they end.',
        sunset: '2027-01-01',
      },
      input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      handler: () => ({ archived: true }),
    }),
    defineFunction({
      name: 'reports.attendance',
      version: '1.0.0',
      summary: 'Attendance by event',
      readOnly: true,
      input: { type: 'object', properties: { year: { type: 'integer', minimum: 2000 } } },
      handler: () => ({
        rows: ['Tech Conference', 'Design Sprint', 'Open Day'].map((event, at) => ({
          event,
          registered: 420 - at * 130,
          attended: 377 - at * 121,
          share: Math.round(((377 - at * 121) / (420 - at * 130)) * 100) / 100,
        })),
      }),
    }),
    defineFunction({
      name: 'reports.forecast',
      version: '0.9.0-beta.1',
      summary: 'Expected attendance of coming events',
      readOnly: true,
      input: { type: 'object' },
      handler: () => ({}),
    }),
  ]
}

/** The example service with more to look at: a nested form, versions, several components, operations under way. */
export function createDemo(options: { readonly allowExecute?: boolean } = {}): App {
  const database = openDatabase(':memory:')
  const service = createService({
    name: 'events-api',
    info: {
      title: 'Event Management API',
      version: '1.4.0',
      description: 'API for managing events, venues, and registrations',
    },
    components,
    functions: [...eventFunctions(database), ...demoFunctions(), ...relatedFunctions(database)],
    health: {
      database: { check: () => wait(4, 3, 'Primary connection active') },
      cache: { check: () => wait(1, 1) },
      queue: { check: () => wait(9, 6) },
      payments_api: {
        check: async () => ({
          ...(await wait(38, 30)),
          status: 'degraded',
          message: 'Slow since 14:20',
        }),
      },
    },
    onClose: database.close,
  })
  const app = createApp(service, {
    bind: '127.0.0.1',
    surfaces: allSurfaces({ explorer: { allowExecute: options.allowExecute ?? true } }),
  })
  return { ...app, handle: (request) => answerOperations(request) ?? app.handle(request) }
}

async function wait(base: number, spread: number, message?: string) {
  await new Promise((resolve) => setTimeout(resolve, base + Math.random() * spread))
  return { status: 'healthy' as const, ...(message !== undefined && { message }) }
}
