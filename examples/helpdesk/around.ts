// What goes with tickets: attachments, a report, subscribers.
import { setImmediate as pause } from 'node:timers/promises'
import { defineFunction, file } from 'waymark'
import { z } from 'zod'
import { type Desk, unknown } from './tickets.ts'

/** Defines the functions that take and give attachments. */
export function attachmentFunctions({ database }: Desk) {
  const attach = defineFunction({
    name: 'attachments.add',
    version: '1.0.0',
    summary: 'Attach a picture or a text to a ticket',
    writes: ['create'],
    requires: ['tickets:write'],
    http: { method: 'POST', path: '/tickets/{id}/attachments' },
    input: z.object({
      id: z.int(),
      content: file({ types: ['image/*', 'text/plain'], maxBytes: 1_000_000 }),
    }),
    output: z.object({ attachment: z.int(), name: z.string() }),
    errors: [unknown],
    handler: async ({ input: { id, content }, fail }) => {
      if (database.get('select id from tickets where id = ?', id) === undefined) {
        throw fail('HELPDESK_UNKNOWN', { details: { id } })
      }
      const added = database.get<{ attachment: number; name: string }>(
        `insert into attachments (ticket, name, type, content) values (?, ?, ?, ?)
         returning id as attachment, name`,
        id,
        content.name,
        content.type,
        Buffer.from(await content.arrayBuffer()),
      )
      return added as NonNullable<typeof added>
    },
  })

  const download = defineFunction({
    name: 'attachments.get',
    version: '1.0.0',
    summary: 'Download an attachment',
    readOnly: true,
    requires: ['tickets:read'],
    http: { method: 'GET', path: '/attachments/{id}' },
    input: z.object({ id: z.int() }),
    output: file(),
    errors: [unknown],
    handler: ({ input, fail }) => {
      const found = database.get<{ name: string; type: string; content: Buffer }>(
        'select name, type, content from attachments where id = ?',
        input.id,
      )
      if (found === undefined) throw fail('HELPDESK_UNKNOWN', { details: input })
      return new File([new Uint8Array(found.content)], found.name, { type: found.type })
    },
  })

  return [attach, download] as const
}

/** Defines the report, and the function that others subscribe with. */
export function officeFunctions({ database, outgoing }: Desk) {
  const report = defineFunction({
    name: 'reports.build',
    version: '1.0.0',
    summary: 'Count the tickets of every person; takes its time with many of them',
    requires: ['tickets:read'],
    http: { method: 'POST', path: '/reports' },
    output: z.object({ tickets: z.int(), people: z.record(z.string(), z.int()) }),
    extensions: [{ urn: 'urn:forrst:ext:async', mode: 'always' }],
    handler: async ({ progress, signal }) => {
      const { total } = database.get('select count(*) as total from tickets') as { total: number }
      const people: Record<string, number> = {}
      let tickets = 0
      for (let last = 0; ; ) {
        const rows = database.all<{ id: number; opened_by: string }>(
          'select id, opened_by from tickets where id > ? order by id limit 100',
          last,
        )
        if (rows.length === 0) return { tickets, people }
        for (const row of rows) people[row.opened_by] = (people[row.opened_by] ?? 0) + 1
        tickets += rows.length
        last = rows.at(-1)?.id ?? last
        progress(Math.min(1, tickets / total), `${tickets} of ${total} tickets`)
        await pause(undefined, { signal })
      }
    },
  })

  const subscribe = defineFunction({
    name: 'subscribers.add',
    version: '1.0.0',
    summary: 'Tell an address of every ticket that is closed',
    writes: ['create'],
    requires: ['subscribers:write'],
    http: { method: 'POST', path: '/subscribers' },
    input: z.object({ url: z.string().max(2048) }),
    output: z.object({ url: z.string() }),
    errors: [
      { code: 'HELPDESK_ADDRESS', message: 'Nothing can be sent to this address', status: 422 },
    ],
    handler: ({ input, fail }) => {
      const message = outgoing.refuse(input.url)
      if (message !== undefined) throw fail('HELPDESK_ADDRESS', { message })
      database.get(
        'insert into subscribers (url) values (?) on conflict do nothing returning id',
        input.url,
      )
      return input
    },
  })

  return [report, subscribe] as const
}
