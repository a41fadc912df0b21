// The helpdesk on one port: REST for its page, MCP for agents, Forrst for other services.
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { createJobQueue, createOutgoing, createService, type Mount, serve } from 'waymark'
import { apiKeys } from 'waymark/auth'
import type { Store } from 'waymark/store'
import { createTriggers, defineTrigger } from 'waymark/triggers'
import { attachmentFunctions, officeFunctions } from './around.ts'
import { openDatabase } from './database.ts'
import { readTickets, writeTickets } from './tickets.ts'

/** Where the helpdesk keeps its data, and how it signs. */
export interface HelpdeskOptions {
  /** File of the tickets; `:memory:` for tests. */
  readonly database: string
  /** Keeps API keys, operations and webhooks that wait; closed by its owner. */
  readonly store: Store
  /** `whsec_…`, which subscribers know. */
  readonly secret: string
  /** Lets webhooks go to this machine: for tests. */
  readonly allowLoopback?: boolean
}

/** Creates the service; `typeof` of it is what typed clients need. */
export function createHelpdesk({ database: path, store, ...callbacks }: HelpdeskOptions) {
  const database = openDatabase(path)
  const jobs = createJobQueue(store)
  const outgoing = createOutgoing({ jobs, store, service: 'helpdesk', ...callbacks })
  const desk = { database, outgoing, news: new EventEmitter().setMaxListeners(0) }
  outgoing.start()
  return createService({
    name: 'helpdesk',
    info: { title: 'Helpdesk', version: '1.0.0' },
    functions: [
      ...readTickets(desk),
      ...writeTickets(desk),
      ...attachmentFunctions(desk),
      ...officeFunctions(desk),
    ],
    authenticate: apiKeys({ store }),
    store,
    stateful: { async: { retryAfter: { value: 1, unit: 'second' } } },
    onClose: async () => {
      await jobs.close()
      database.close()
    },
  })
}

const nightly = defineTrigger({
  type: 'schedule',
  name: 'close_old',
  description: 'Closes what has been open for thirty days',
  cron: '0 2 * * *',
  timezone: 'Europe/Berlin',
  tool: 'tickets.closeOld',
  arguments: { days: 30 },
  scopes: ['tickets:write'],
})

const page: Mount = {
  path: '/desk',
  match: 'exact',
  handler: () => ({
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: readFileSync(new URL('page.html', import.meta.url), 'utf8'),
  }),
}

/** Serves the helpdesk with its page and its nightly run. */
export async function startHelpdesk(options: HelpdeskOptions & { readonly port: number }) {
  const { port, ...rest } = options
  const service = createHelpdesk(rest)
  const triggers = createTriggers({ service, store: rest.store, triggers: [nightly] })
  const server = await serve(service, { port, triggers, mounts: [page] })
  return { server, triggers }
}
