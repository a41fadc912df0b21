import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'

/** A row of the events table. */
export interface EventRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly status: 'draft' | 'published' | 'cancelled'
  readonly starts_at: string
  readonly ends_at: string | null
  readonly venue_id: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** A row of the venues table. */
export interface VenueRow {
  readonly id: string
  readonly name: string
  readonly address: string | null
  readonly capacity: number | null
}

/** A row of the attendees table. */
export interface AttendeeRow {
  readonly id: string
  readonly event_id: string
  readonly name: string
  readonly email: string
  readonly registered_at: string
}

/** What the functions of the service need from the database. */
export interface EventsDatabase {
  readonly all: <Row>(sql: string, ...parameters: unknown[]) => readonly Row[]
  readonly get: <Row>(sql: string, ...parameters: unknown[]) => Row | undefined
  readonly run: (sql: string, ...parameters: unknown[]) => void
  readonly transaction: (steps: () => void) => void
  readonly close: () => void
}

const TABLES = `
  create table if not exists venues (
    id text primary key, name text not null, address text, capacity integer check (capacity >= 0)
  );
  create table if not exists events (
    id text primary key, name text not null, description text, status text not null,
    starts_at text not null, ends_at text, venue_id text references venues(id),
    created_at text not null, updated_at text not null
  );
  create index if not exists events_by_start on events (starts_at, id);
  create table if not exists attendees (
    id text primary key, event_id text not null references events(id), name text not null,
    email text not null, registered_at text not null, unique (event_id, email)
  );
  create table if not exists outbox (id integer primary key, recipient text not null, subject text not null);
  create table if not exists audit_log (id integer primary key, at text not null, action text not null, subject text not null);
`

const MAX_PREPARED = 100

/** Opens the database of the example, creates its tables and fills an empty one with data. */
export function openDatabase(path: string): EventsDatabase {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const connection = new Database(path)
  connection.exec('pragma journal_mode = wal; pragma foreign_keys = on; pragma busy_timeout = 5000')
  connection.exec(TABLES)
  const prepared = new Map<string, Database.Statement>()
  const statement = (sql: string): Database.Statement => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = connection.prepare(sql)
    // Queries come in any number of forms; only the usual ones are worth keeping.
    if (prepared.size < MAX_PREPARED) prepared.set(sql, made)
    return made
  }
  const database: EventsDatabase = {
    all: (sql, ...parameters) => statement(sql).all(parameters) as never,
    get: (sql, ...parameters) => statement(sql).get(parameters) as never,
    run: (sql, ...parameters) => void statement(sql).run(parameters),
    transaction: (steps) => connection.transaction(steps)(),
    close: () => connection.close(),
  }
  seedDatabase(database)
  return database
}

function seedDatabase(database: EventsDatabase): void {
  if (database.get('select id from venues limit 1') !== undefined) return
  database.transaction(() => {
    for (const venue of VENUES) {
      database.run('insert into venues (id, name, address, capacity) values (?, ?, ?, ?)', ...venue)
    }
    for (const event of EVENTS) {
      database.run(
        `insert into events (id, name, description, status, starts_at, ends_at, venue_id, created_at, updated_at)
         values (?, ?, ?, ?, ?, ?, ?, '2024-01-15T10:30:00Z', '2024-01-15T10:30:00Z')`,
        ...event,
      )
    }
    for (const attendee of ATTENDEES) {
      database.run(
        'insert into attendees (id, event_id, name, email, registered_at) values (?, ?, ?, ?, ?)',
        ...attendee,
      )
    }
  })
}

const VENUES = [
  ['ven_01A2B3C4D5E6F7G8H9I0J1K2L3', 'Convention Center', '1 Harbour Square', 5000],
  ['ven_02B3C4D5E6F7G8H9I0J1K2L3M4', 'City Library', '12 Mill Lane', 120],
] as const

const EVENTS = [
  [
    'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
    'Tech Conference 2024',
    'Two tracks on building services that explain themselves.',
    'published',
    '2024-09-15T09:00:00Z',
    '2024-09-15T18:00:00Z',
    'ven_01A2B3C4D5E6F7G8H9I0J1K2L3',
  ],
  [
    'evt_02I9Y4Z5A6B7C8D9E0F1G2H3I4',
    'Planning Meeting',
    null,
    'draft',
    '2024-10-01T14:00:00Z',
    null,
    'ven_02B3C4D5E6F7G8H9I0J1K2L3M4',
  ],
  [
    'evt_03J0Z5A6B7C8D9E0F1G2H3I4J5',
    'Summer Fair',
    'Called off because of the flood.',
    'cancelled',
    '2024-07-06T10:00:00Z',
    '2024-07-06T20:00:00Z',
    null,
  ],
] as const

const ATTENDEES = [
  [
    'att_01',
    'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
    'Ada Lovelace',
    'ada@example.com',
    '2024-08-01T08:00:00Z',
  ],
  [
    'att_02',
    'evt_01H8X3Y4Z5A6B7C8D9E0F1G2H3',
    'Grace Hopper',
    'grace@example.com',
    '2024-08-02T09:30:00Z',
  ],
] as const
