import { defineTrigger } from 'waymark/triggers'

/** The ticket shop tells of a booked hall; what it calls a title is the name of an event here. */
export const hallBooked = defineTrigger({
  type: 'webhook',
  name: 'hall_booked',
  description: 'Plans an event when a hall is booked',
  path: '/webhooks/halls',
  secret_env: 'HALLS_WEBHOOK_SECRET',
  tool: 'events.create',
  payload_map: { name: 'booking.title', starts_at: 'booking.from' },
})

/** Partners put wishes into a queue; a message already has the form of the arguments. */
export const wishQueued = defineTrigger({
  type: 'queue',
  name: 'wish_queued',
  description: 'Plans the events partners wish for',
  queue_url: 'redis://127.0.0.1/wishes',
  queue_env: 'WISHES_QUEUE',
  tool: 'events.create',
  attempts: 3,
})

/** Every night the doors of the next day are planned. */
export const nightlyDoors = defineTrigger({
  type: 'schedule',
  name: 'nightly_doors',
  description: 'Plans the open doors of the next day',
  cron: '0 2 * * *',
  timezone: 'Europe/Berlin',
  tool: 'events.create',
  arguments: { name: 'Open doors', starts_at: '2027-05-02T09:00:00Z' },
})
