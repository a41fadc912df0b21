import { defineFunction } from 'waymark'
import { createLocalTransport } from 'waymark/client'
import { createMcpHandler } from 'waymark/mcp'
import { createClient } from '../../src/client/client.ts'
import type { FunctionDefinition } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { createServiceToolApi } from '../../src/entries/tools.ts'
import type { Schema } from '../../src/schema/schema.ts'
import { createForrstHandler } from '../../src/surfaces/forrst/handler.ts'
import { createRestHandler } from '../../src/surfaces/rest/handler.ts'
import { ask } from '../explorer/ask.ts'
import { legacyClient, modernClient } from '../mcp/wire.ts'
import { call, toRequest } from '../support/forrst.ts'
import { serviceOf } from '../support/service.ts'

/** An argument that `orders.list` may not have. */
export const MISSPELT = { statsu: 'open' }

/** A function that says whether it ran. */
export function orders(input: Schema | undefined, more: Partial<FunctionDefinition> = {}) {
  const ran: unknown[] = []
  const definition = defineFunction({
    name: 'orders.list',
    version: '1.0.0',
    readOnly: true,
    ...(input && { input }),
    handler: ({ input: given }) => {
      ran.push(given)
      return { ran: true }
    },
    ...more,
  } as FunctionDefinition)
  const components = { schemas: { Filter: { type: 'object', properties: { status: {} } } } }
  return { ran, definition, service: serviceOf([definition], { components }) }
}

/** Calls it over Forrst, and gives what it was refused with. */
export async function messagesOf(service: Service, args: object) {
  const { body } = await call(service, { function: 'orders.list', arguments: args })
  return body.errors?.map(({ message }) => message)
}

/** Sends arguments over one surface, and gives the answer as text. */
export type Door = (service: Service, args: Record<string, unknown>) => Promise<string>

const tools = (service: Service, path: string, args: object) =>
  ask(
    createServiceToolApi(service, { allowExecute: true }),
    `/explorer/tools/orders__list/${path}`,
    {
      method: 'POST',
      body: args,
    },
  ).then(({ text }) => text)

/** Every surface. */
export const DOORS: Readonly<Record<string, Door>> = {
  Forrst: async (service, args) =>
    JSON.stringify((await call(service, { function: 'orders.list', arguments: args })).body),
  REST: async (service, args) =>
    String((await createRestHandler(service)(toRequest(args, { path: '/api/orders.list' }))).body),
  'MCP 2026': async (service, args) =>
    JSON.stringify(
      await modernClient(createMcpHandler(service)).request('tools/call', {
        name: 'orders__list',
        arguments: args as never,
      }),
    ),
  'MCP before': async (service, args) =>
    JSON.stringify(
      await (await legacyClient(createMcpHandler(service))).request('tools/call', {
        name: 'orders__list',
        arguments: args as never,
      }),
    ),
  'explorer call': (service, args) => tools(service, 'call', args),
  'explorer validate': (service, args) => tools(service, 'validate', args),
  'typed client': async (service, args) => {
    const transport = createLocalTransport(createForrstHandler(service))
    return JSON.stringify(await createClient({ transport }).call('orders.list', args))
  },
}
