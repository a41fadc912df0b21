import type { Components, Server } from 'waymark'

/** Everything the functions of the service share by reference. */
export const components: Components = {
  contentDescriptors: {
    EventId: {
      name: 'id',
      summary: 'Event identifier',
      required: true,
      schema: { type: 'string' },
    },
    VenueId: {
      name: 'venue_id',
      summary: 'Venue identifier',
      required: true,
      schema: { type: 'string' },
    },
    StatusFilter: {
      name: 'status',
      summary: 'Filter by event status',
      required: false,
      schema: { type: 'string', enum: ['draft', 'published', 'cancelled'] },
    },
    Pagination: {
      name: 'pagination',
      summary: 'Pagination parameters',
      required: false,
      schema: { $ref: '#/components/schemas/PaginationParams' },
    },
  },
  schemas: {
    EventResource: {
      type: 'object',
      required: ['id', 'name', 'starts_at'],
      properties: {
        id: { type: 'string' },
        name: { type: 'string', maxLength: 255 },
        description: { type: 'string' },
        status: { type: 'string', enum: ['draft', 'published', 'cancelled'] },
        starts_at: { type: 'string', format: 'date-time' },
        ends_at: { type: 'string', format: 'date-time' },
        venue: { $ref: '#/components/schemas/VenueResource' },
        created_at: { type: 'string', format: 'date-time' },
        updated_at: { type: 'string', format: 'date-time' },
      },
    },
    VenueResource: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        address: { type: 'string' },
        capacity: { type: 'integer', minimum: 0 },
      },
    },
    PaginationParams: {
      type: 'object',
      properties: {
        page: { type: 'integer', minimum: 1, default: 1 },
        per_page: { type: 'integer', minimum: 1, maximum: 100, default: 25 },
      },
    },
    AttendeeResource: {
      type: 'object',
      required: ['id', 'event_id', 'name', 'email', 'registered_at'],
      properties: {
        id: { type: 'string' },
        event_id: { type: 'string' },
        name: { type: 'string' },
        email: { type: 'string', format: 'email' },
        registered_at: { type: 'string', format: 'date-time' },
      },
    },
  },
  errors: {
    NotFound: { code: 'NOT_FOUND', message: 'The requested resource was not found' },
    Unauthorized: { code: 'UNAUTHORIZED', message: 'Authentication required' },
    ValidationError: { code: 'VALIDATION_ERROR', message: 'Request validation failed' },
  },
  examples: {
    PublishedEvent: {
      name: 'Published Conference',
      summary: 'A typical published event',
      value: {
        id: 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
        name: 'Tech Conference 2024',
        status: 'published',
        starts_at: '2024-09-15T09:00:00Z',
        ends_at: '2024-09-15T18:00:00Z',
      },
    },
    DraftEvent: {
      name: 'Draft Event',
      summary: 'An event still in draft status',
      value: {
        id: 'evt_02I9Y4Z5A6B7C8D9E0F1G2H3I4',
        name: 'Planning Meeting',
        status: 'draft',
        starts_at: '2024-10-01T14:00:00Z',
      },
    },
  },
  examplePairings: {
    ListPublishedEvents: {
      name: 'List published events',
      summary: 'Retrieve all published events',
      params: [{ name: 'status filter', value: 'published' }],
      result: {
        name: 'Published events list',
        value: [
          {
            id: 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
            name: 'Tech Conference 2024',
            status: 'published',
            starts_at: '2024-09-15T09:00:00Z',
          },
        ],
      },
    },
    GetSingleEvent: {
      name: 'Get event by ID',
      summary: 'Retrieve a specific event',
      params: [{ name: 'event id', value: 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3' }],
      result: {
        name: 'Event details',
        value: {
          id: 'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
          name: 'Tech Conference 2024',
          status: 'published',
          starts_at: '2024-09-15T09:00:00Z',
          ends_at: '2024-09-15T18:00:00Z',
          venue: {
            id: 'ven_01A2B3C4D5E6F7G8H9I0J1K2L3',
            name: 'Convention Center',
            capacity: 5000,
          },
        },
      },
    },
  },
  links: {
    GetEventVenue: {
      name: 'Get venue details',
      summary: 'Retrieve the venue for this event',
      function: 'venues.get',
      params: { venue_id: '$result.venue.id' },
    },
    ListEventAttendees: {
      name: 'List attendees',
      summary: 'Retrieve attendees for this event',
      function: 'attendees.list',
      params: { event_id: '$result.id' },
    },
  },
  tags: {
    Events: {
      name: 'Events',
      summary: 'Event management functions',
      description: 'Functions for creating, reading, updating, and deleting events.',
    },
    Venues: {
      name: 'Venues',
      summary: 'Venue management functions',
      description: 'Functions for managing event venues and locations.',
    },
    Attendees: {
      name: 'Attendees',
      summary: 'Attendee management functions',
      description: 'Functions for managing event registrations and attendees.',
    },
  },
}

/** Where the production service of the seed document runs. */
export const servers: readonly Server[] = [
  {
    name: 'production',
    url: 'https://{region}.api.example.com/forrst',
    summary: 'Production API server',
    description: 'Main production environment with full SLA guarantees',
    variables: {
      region: {
        default: 'us-east',
        enum: ['us-east', 'us-west', 'eu-west', 'ap-south'],
        description: 'Geographic region for the API endpoint',
      },
    },
    extensions: [
      { urn: 'urn:forrst:ext:async', version: '1.0.0' },
      { urn: 'urn:forrst:ext:caching', version: '1.2.0' },
      { urn: 'urn:forrst:ext:query', version: '1.0.0' },
    ],
  },
]
