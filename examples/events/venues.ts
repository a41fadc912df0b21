import { defineFunction, type FunctionDefinition } from 'waymark'
import type { AttendeeRow, EventsDatabase, VenueRow } from './database.ts'
import { notFound, withoutNulls } from './events.ts'

/** Defines the functions that the links of an event lead to. */
export function relatedFunctions(database: EventsDatabase): readonly FunctionDefinition[] {
  return [getVenue(database), listAttendees(database)]
}

function getVenue(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'venues.get',
    version: '1.0.0',
    capability: 'com.example.events.catalog',
    summary: 'Get a single venue by ID',
    tags: [{ $ref: '#/components/tags/Venues' }],
    readOnly: true,
    arguments: [{ $ref: '#/components/contentDescriptors/VenueId' }],
    result: {
      name: 'venue',
      summary: 'The requested venue',
      schema: { $ref: '#/components/schemas/VenueResource' },
    },
    errors: [{ $ref: '#/components/errors/NotFound' }],
    handler({ input }) {
      const { venue_id: id } = input as { venue_id: string }
      const row = database.get<VenueRow>(
        'select id, name, address, capacity from venues where id = ?',
        id,
      )
      if (row === undefined) throw notFound('venue', id)
      return withoutNulls({ ...row })
    },
  })
}

function listAttendees(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'attendees.list',
    version: '1.0.0',
    capability: 'com.example.events.attendance',
    summary: 'List the attendees of an event',
    tags: [{ $ref: '#/components/tags/Attendees' }],
    readOnly: true,
    arguments: [
      {
        name: 'event_id',
        summary: 'Event identifier',
        required: true,
        schema: { type: 'string' },
      },
    ],
    result: {
      name: 'attendees',
      summary: 'Registered attendees, first come first',
      schema: { type: 'array', items: { $ref: '#/components/schemas/AttendeeResource' } },
    },
    handler({ input }) {
      const { event_id: id } = input as { event_id: string }
      return database.all<AttendeeRow>(
        `select id, event_id, name, email, registered_at from attendees
         where event_id = ? order by registered_at, id`,
        id,
      )
    },
  })
}
