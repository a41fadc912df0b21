import Database from 'libsql'
import { z } from 'zod'

/** A ticket, as the database keeps it and as callers see it. */
export const ticket = z.object({
  id: z.int(),
  title: z.string(),
  priority: z.enum(['low', 'normal', 'high']),
  status: z.enum(['open', 'closed']),
  opened_by: z.string(),
  opened_at: z.string(),
})
export type Ticket = z.infer<typeof ticket>

/** Statements in, rows out. */
export interface HelpdeskDatabase {
  readonly all: <Row>(sql: string, ...parameters: unknown[]) => Row[]
  readonly get: <Row>(sql: string, ...parameters: unknown[]) => Row | undefined
  readonly close: () => void
}

// Triggers of the database write the list of changes, so that no function can forget it.
const TABLES = `
  create table if not exists tickets (
    id integer primary key, title text not null, priority text not null, status text not null default 'open',
    opened_by text not null, opened_at text not null
  );
  create table if not exists attachments (
    id integer primary key, ticket integer not null references tickets(id), name text not null, type text not null,
    content blob not null
  );
  create table if not exists subscribers (id integer primary key, url text not null unique);
  create table if not exists changes (seq integer primary key, ticket integer not null, status text not null);
  create trigger if not exists opened after insert on tickets begin
    insert into changes (ticket, status) values (new.id, new.status);
  end;
  create trigger if not exists changed after update of status on tickets when old.status <> new.status begin
    insert into changes (ticket, status) values (new.id, new.status);
  end;
`

/** Opens the database and creates its tables; `:memory:` for tests. */
export function openDatabase(path: string): HelpdeskDatabase {
  const connection = new Database(path)
  connection.exec('pragma journal_mode = wal; pragma foreign_keys = on; pragma busy_timeout = 5000')
  connection.exec(TABLES)
  return {
    all: (sql, ...parameters) => connection.prepare(sql).all(parameters) as never,
    // The driver's own `get` adds a member with timings to the row.
    get: (sql, ...parameters) => connection.prepare(sql).all(parameters)[0] as never,
    close: () => connection.close(),
  }
}
