import { createService, defineFunction, type Service } from 'waymark'
import { z } from 'zod'

const Ticket = z
  .object({ id: z.int(), title: z.string(), open: z.boolean(), tags: z.array(z.string()) })
  .meta({ id: 'Ticket' })

/** Creates a service with addresses as people write them, for the clients that generators make. */
export function createTicketService(): Service {
  const tickets = new Map([[7, { id: 7, title: 'Printer', open: true, tags: ['office'] }]])
  const find = (id: number) => tickets.get(id)
  return createService({
    info: { title: 'Tickets', version: '1.0.0', description: 'Tickets of a helpdesk' },
    functions: [
      defineFunction({
        name: 'tickets.get',
        version: '1.0.0',
        summary: 'Read a ticket',
        readOnly: true,
        http: { method: 'GET', path: '/tickets/{id}', operationId: 'getTicket' },
        input: z.object({ id: z.int() }),
        output: Ticket,
        errors: [{ code: 'TICKETS_UNKNOWN', message: 'There is no such ticket', status: 404 }],
        handler({ input, fail }) {
          const ticket = find(input.id)
          if (ticket === undefined) throw fail('TICKETS_UNKNOWN')
          return ticket
        },
      }),
      defineFunction({
        name: 'tickets.list',
        version: '1.0.0',
        summary: 'List tickets',
        readOnly: true,
        http: { method: 'GET', path: '/tickets', operationId: 'listTickets' },
        input: z.object({ open: z.boolean().optional(), tags: z.array(z.string()).optional() }),
        output: z.object({ tickets: z.array(Ticket) }),
        handler: ({ input: { open, tags = [] } }) => ({
          tickets: [...tickets.values()].filter(
            (ticket) =>
              (open === undefined || ticket.open === open) &&
              tags.every((tag) => ticket.tags.includes(tag)),
          ),
        }),
      }),
      defineFunction({
        name: 'tickets.change',
        version: '1.0.0',
        summary: 'Change a ticket',
        writes: ['update'],
        http: { method: 'PATCH', path: '/tickets/{id}', operationId: 'changeTicket' },
        input: z.object({ id: z.int(), title: z.string() }),
        output: Ticket,
        handler: ({ input: { id, title } }) => {
          const ticket = { open: true, tags: [], ...find(id), id, title }
          tickets.set(id, ticket)
          return ticket
        },
      }),
    ],
    defaults: { dryRun: false },
    log: { warn: () => undefined, error: console.error },
  })
}
