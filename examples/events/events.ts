import { randomUUID } from 'node:crypto'
import { CallError, defineFunction, type FunctionDefinition, jsonSchema } from 'waymark'
import type { EventRow, EventsDatabase, VenueRow } from './database.ts'
import { queryEvents } from './query-events.ts'

/** An event as callers see it. */
interface Event {
  readonly id: string
  readonly name: string
  readonly starts_at: string
  readonly [field: string]: unknown
}

/** Defines the functions that list, read and create events. */
export function eventFunctions(database: EventsDatabase): readonly FunctionDefinition[] {
  return [listEvents(database), getEvent(database), createEvent(database), legacyCreate(database)]
}

function listEvents(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'events.list',
    version: '1.0.0',
    capability: 'com.example.events.catalog',
    summary: 'List all events',
    readOnly: true,
    description:
      'Returns a paginated list of events. Supports filtering by status and date range. Results are ordered by start date ascending.',
    tags: [{ $ref: '#/components/tags/Events' }],
    arguments: [
      { $ref: '#/components/contentDescriptors/StatusFilter' },
      { $ref: '#/components/contentDescriptors/Pagination' },
    ],
    result: {
      name: 'events',
      summary: 'List of events',
      schema: { type: 'array', items: { $ref: '#/components/schemas/EventResource' } },
    },
    errors: [{ $ref: '#/components/errors/Unauthorized' }],
    query: {
      filters: {
        allowed: ['status', 'starts_at', 'venue_id'],
        operators: ['eq', 'neq', 'gt', 'lt', 'in'],
      },
      sorts: {
        allowed: ['starts_at', 'name', 'created_at'],
        default: { field: 'starts_at', direction: 'asc' },
      },
      pagination: { strategies: ['offset', 'cursor'], defaultSize: 25, maxSize: 100 },
    },
    examples: [{ $ref: '#/components/examplePairings/ListPublishedEvents' }],
    extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 300 }],
    resources: ({ input, plan }) =>
      queryEvents(database, plan, input['status'] as string | undefined),
    handler({ input }) {
      const { status, pagination } = input as {
        status?: string
        pagination?: { page?: number; per_page?: number }
      }
      const size = pagination?.per_page ?? 25
      const skip = ((pagination?.page ?? 1) - 1) * size
      const rows = database.all<EventRow>(
        `select ${COLUMNS} from events where ?1 is null or status = ?1
         order by starts_at, id limit ?2 offset ?3`,
        status ?? null,
        size,
        skip,
      )
      return rows.map((row) => toEvent(row))
    },
  })
}

function getEvent(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'events.get',
    version: '1.0.0',
    capability: 'com.example.events.catalog',
    summary: 'Get a single event by ID',
    readOnly: true,
    description: 'Retrieves detailed information about a specific event including its venue.',
    tags: [{ $ref: '#/components/tags/Events' }],
    arguments: [{ $ref: '#/components/contentDescriptors/EventId' }],
    result: {
      name: 'event',
      summary: 'The requested event',
      schema: { $ref: '#/components/schemas/EventResource' },
    },
    errors: [
      { $ref: '#/components/errors/NotFound' },
      { $ref: '#/components/errors/Unauthorized' },
    ],
    links: [{ $ref: '#/components/links/GetEventVenue' }],
    examples: [{ $ref: '#/components/examplePairings/GetSingleEvent' }],
    extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }],
    handler({ input }) {
      const { id } = input as { id: string }
      const row = database.get<EventRow>(`select ${COLUMNS} from events where id = ?`, id)
      if (row === undefined) throw notFound('event', id)
      const venue = database.get<VenueRow>(
        'select id, name, address, capacity from venues where id = ?',
        row.venue_id,
      )
      return toEvent(row, venue)
    },
  })
}

const NewEvent = jsonSchema<{
  name: string
  starts_at: string
  ends_at?: string
  description?: string
  venue_id?: string
}>({
  type: 'object',
  required: ['name', 'starts_at'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    starts_at: { type: 'string', format: 'date-time' },
    ends_at: { type: 'string', format: 'date-time' },
    description: { type: 'string' },
    venue_id: { type: 'string' },
  },
  additionalProperties: false,
})

const CreatedEvent = jsonSchema<{ id: string; name: string; status: string }>({
  type: 'object',
  required: ['id', 'name', 'status'],
  properties: { id: { type: 'string' }, name: { type: 'string' }, status: { const: 'draft' } },
})

function createEvent(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'events.create',
    version: '1.0.0',
    capability: 'com.example.events.planning',
    summary: 'Create a new event',
    sideEffects: ['sends_email', 'creates_audit_log'],
    input: NewEvent,
    output: CreatedEvent,
    errors: [{ $ref: '#/components/errors/ValidationError' }],
    simulations: [
      {
        name: 'success',
        description: 'Event created successfully',
        input: { name: 'Demo Event', starts_at: '2024-12-01T10:00:00Z' },
        output: { id: 'evt_demo_001', name: 'Demo Event', status: 'draft' },
      },
    ],
    dryRun: ({ input }) => ({
      wouldAffect: [{ type: 'event', count: 1, action: 'create' }],
      diff: { event: { before: null, after: { name: input.name, status: 'draft' } } },
      sideEffects: [{ type: 'sends_email' }, { type: 'creates_audit_log' }],
    }),
    handler: ({ input }) => insertEvent(database, input),
  })
}

function legacyCreate(database: EventsDatabase): FunctionDefinition {
  return defineFunction({
    name: 'events.legacy_create',
    version: '1.0.0',
    summary: 'Create event (legacy)',
    deprecated: { reason: 'Use events.create instead', sunset: '2025-06-30' },
    discoverable: false,
    input: NewEvent,
    output: CreatedEvent,
    handler: ({ input }) => insertEvent(database, input),
  })
}

const COLUMNS =
  'id, name, description, status, starts_at, ends_at, venue_id, created_at, updated_at'

function insertEvent(
  database: EventsDatabase,
  input: {
    name: string
    starts_at: string
    ends_at?: string
    description?: string
    venue_id?: string
  },
): { id: string; name: string; status: string } {
  if (Number.isNaN(Date.parse(input.starts_at))) {
    throw new CallError('VALIDATION_ERROR', {
      message: 'starts_at must be a date and time such as 2024-12-01T10:00:00Z',
      source: { pointer: '/call/arguments/starts_at' },
    })
  }
  const { venue_id: venue } = input
  if (venue !== undefined && !database.get('select 1 from venues where id = ?', venue)) {
    throw new CallError('VALIDATION_ERROR', {
      message: `venue_id must be the id of a venue; there is none with ${venue}`,
      source: { pointer: '/call/arguments/venue_id' },
    })
  }
  const id = `evt_${randomUUID()}`
  const now = new Date().toISOString()
  database.transaction(() => {
    database.run(
      `insert into events (${COLUMNS}) values (?, ?, ?, 'draft', ?, ?, ?, ?, ?)`,
      id,
      input.name,
      input.description ?? null,
      input.starts_at,
      input.ends_at ?? null,
      input.venue_id ?? null,
      now,
      now,
    )
    database.run(
      'insert into outbox (recipient, subject) values (?, ?)',
      'organisers@example.com',
      `New event: ${input.name}`,
    )
    database.run('insert into audit_log (at, action, subject) values (?, ?, ?)', now, 'create', id)
  })
  return { id, name: input.name, status: 'draft' }
}

/** Makes the error for something that is not there. */
export function notFound(type: string, id: string): CallError {
  return new CallError('NOT_FOUND', {
    message: `No ${type} with id ${id}`,
    details: { resource_type: type, resource_id: id },
  })
}

function toEvent(row: EventRow, venue?: VenueRow): Event {
  const { venue_id: _venue, ...event } = row
  return withoutNulls({ ...event, ...(venue && { venue: withoutNulls(venue) }) })
}

/** The database says null where the service says nothing. */
export function withoutNulls<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).filter(([key, value]) => value !== null && key !== '_metadata'),
  ) as Row
}
