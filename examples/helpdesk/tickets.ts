// Tickets: listed, read, opened, closed and watched.
import { type EventEmitter, once } from 'node:events'
import { defineFunction, type Outgoing } from 'waymark'
import { type QueryPlan, toDocument, toResource, toSql } from 'waymark/query'
import { z } from 'zod'
import { type HelpdeskDatabase, type Ticket, ticket } from './database.ts'

/** What the functions work with. */
export interface Desk {
  readonly database: HelpdeskDatabase
  /** Sends webhooks, signed and with retries. */
  readonly outgoing: Outgoing
  /** Says `changed` when a ticket was opened or closed. */
  readonly news: EventEmitter
}

/** The declared error of everything that is asked for by its number. */
export const unknown = {
  code: 'HELPDESK_UNKNOWN',
  message: 'There is nothing with this number',
  status: 404,
  data: z.object({ id: z.int() }),
} as const

const COLUMNS = {
  id: { sql: 'id', type: 'number' },
  title: 'title',
  priority: 'priority',
  status: 'status',
  opened_at: 'opened_at',
} as const

/** Defines the functions that list, read and follow tickets. */
// The return types are what clients take their types from, so they are inferred.
export function readTickets({ database, news }: Desk) {
  const list = defineFunction({
    name: 'tickets.list',
    version: '1.0.0',
    summary: 'List tickets, the newest first',
    readOnly: true,
    requires: ['tickets:read'],
    http: { method: 'GET', path: '/tickets' },
    output: z.object({ tickets: z.array(ticket) }),
    query: {
      filters: { allowed: ['status', 'priority', 'title'] },
      sorts: { allowed: ['id', 'opened_at'], default: { field: 'id', direction: 'desc' } },
      pagination: { strategies: ['cursor'], defaultSize: 25, maxSize: 100 },
    },
    resources: ({ plan }) => queryTickets(database, plan),
    handler: () => ({
      tickets: database.all<Ticket>('select * from tickets order by id desc limit 25'),
    }),
  })

  const get = defineFunction({
    name: 'tickets.get',
    version: '1.0.0',
    summary: 'Read one ticket',
    readOnly: true,
    requires: ['tickets:read'],
    http: { method: 'GET', path: '/tickets/{id}' },
    input: z.object({ id: z.int() }),
    output: ticket,
    errors: [unknown],
    handler: ({ input, fail }) => {
      const found = database.get<Ticket>('select * from tickets where id = ?', input.id)
      if (found === undefined) throw fail('HELPDESK_UNKNOWN', { details: input })
      return found
    },
  })

  const changes = defineFunction({
    name: 'tickets.changes',
    version: '1.0.0',
    summary: 'Follow what happens to tickets',
    readOnly: true,
    requires: ['tickets:read'],
    http: { method: 'GET', path: '/changes' },
    input: z.object({ since: z.int().default(0) }),
    item: z.object({ seq: z.int(), ticket: z.int(), status: ticket.shape.status }),
    resume: { id: 'seq', after: 'since' },
    async *handler({ input, signal }) {
      for (let seq = input.since; ; ) {
        const rows = database.all<{ seq: number; ticket: number; status: Ticket['status'] }>(
          'select * from changes where seq > ? order by seq limit 100',
          seq,
        )
        yield* rows
        seq = rows.at(-1)?.seq ?? seq
        if (rows.length === 0) await once(news, 'changed', { signal })
      }
    },
  })

  return [list, get, changes] as const
}

/** Defines the functions that open and close tickets. */
export function writeTickets(desk: Desk) {
  const { database, news } = desk

  const open = defineFunction({
    name: 'tickets.open',
    version: '1.0.0',
    summary: 'Open a ticket',
    writes: ['create'],
    requires: ['tickets:write'],
    http: { method: 'POST', path: '/tickets' },
    input: z.object({
      title: z.string().min(1).max(200),
      priority: ticket.shape.priority.default('normal'),
    }),
    output: ticket,
    handler: ({ input, principal }) => {
      const opened = database.get<Ticket>(
        'insert into tickets (title, priority, opened_by, opened_at) values (?, ?, ?, ?) returning *',
        input.title,
        input.priority,
        principal?.id ?? 'unknown',
        new Date().toISOString(),
      )
      news.emit('changed')
      return opened as Ticket
    },
  })

  const close = defineFunction({
    name: 'tickets.close',
    version: '1.0.0',
    summary: 'Close a ticket and tell the subscribers; closing it again changes nothing',
    writes: ['update'],
    requires: ['tickets:write'],
    http: { method: 'POST', path: '/tickets/{id}/close' },
    input: z.object({ id: z.int() }),
    output: ticket,
    errors: [unknown],
    handler: async ({ input, fail }) => {
      const closed = await closeTicket(desk, input.id)
      if (closed === undefined) throw fail('HELPDESK_UNKNOWN', { details: input })
      return closed
    },
  })

  const closeOld = defineFunction({
    name: 'tickets.closeOld',
    version: '1.0.0',
    summary: 'Close the tickets that have been open for too long; runs every night',
    writes: ['update'],
    requires: ['tickets:write'],
    input: z.object({ days: z.int().min(0) }),
    output: z.object({ closed: z.array(z.int()) }),
    handler: async ({ input }) => {
      const before = new Date(Date.now() - input.days * 86_400_000).toISOString()
      const old = database.all<Ticket>(
        `select * from tickets where status = 'open' and opened_at <= ? order by id`,
        before,
      )
      for (const { id } of old) await closeTicket(desk, id)
      return { closed: old.map(({ id }) => id) }
    },
  })

  return [open, close, closeOld] as const
}

function queryTickets(database: HelpdeskDatabase, plan: QueryPlan) {
  const sql = toSql(plan, COLUMNS)
  const rows = database.all<Ticket>(`select * from tickets ${sql.text}`, ...sql.parameters)
  return toDocument(
    plan,
    rows.map((row) => toResource('ticket', row)),
  )
}

async function closeTicket(desk: Desk, id: number): Promise<Ticket | undefined> {
  const closed = desk.database.get<Ticket>(
    `update tickets set status = 'closed' where id = ? returning *`,
    id,
  )
  if (closed === undefined) return undefined
  desk.news.emit('changed')
  const body = JSON.stringify({ type: 'helpdesk.ticket.closed', data: closed })
  for (const { id: to, url } of desk.database.all<{ id: number; url: string }>(
    'select * from subscribers',
  )) {
    // The id is the same whenever this ticket is closed: a subscriber is told once.
    await desk.outgoing.send({ id: `closed-${id}-${to}`, url, body, signature: 'standard' })
  }
  return closed
}
