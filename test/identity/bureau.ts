import { z } from 'zod'
import type { Principal } from '../../src/core/call.ts'
import type { Components } from '../../src/core/description.ts'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { createService } from '../../src/system/create-service.ts'
import { createTestClock, toRequest } from '../support/forrst.ts'
import { createTestLogger } from '../support/service.ts'

/** Who calls: without any scope, with one, with all. */
export const PRINCIPALS: Readonly<Record<string, Principal>> = {
  reader: { id: 'reader', scopes: ['unrelated'] },
  clerk: { id: 'clerk', scopes: ['orders:write'] },
  admin: { id: 'admin', scopes: ['orders:write', 'payroll:admin'] },
}

const text = z.object({ id: z.string() })

/** Functions of a bureau: what only the administrator may call has names and words of its own. */
export const FUNCTIONS: readonly FunctionDefinition[] = [
  defineFunction({
    name: 'orders.list',
    version: '1.0.0',
    summary: 'List orders',
    readOnly: true,
    links: [
      { name: 'create', function: 'orders.create' },
      { name: 'pay', function: 'payroll.run' },
    ],
    output: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
    handler: () => [],
  }),
  defineFunction({
    name: 'orders.get',
    version: '1.0.0',
    summary: 'One order',
    readOnly: true,
    input: text,
    handler: () => ({ version: 1 }),
  }),
  defineFunction({
    name: 'orders.get',
    version: '3.0.0-beta.1',
    summary: 'One order, for the payroll',
    readOnly: true,
    requires: ['payroll:admin'],
    input: text,
    handler: () => ({ version: 3 }),
  }),
  defineFunction({
    name: 'orders.create',
    version: '1.0.0',
    summary: 'Create an order',
    sideEffects: ['create'],
    requires: ['orders:write'],
    input: { type: 'object', properties: { draft: { $ref: '#/components/schemas/Draft' } } },
    examples: [{ name: 'small', params: [{ name: 'draft', value: { note: 'x' } }] }],
    handler: () => ({ created: true }),
  }),
  defineFunction({
    name: 'payroll.run',
    version: '1.0.0',
    summary: 'Pay all salaries',
    description: 'Salaries of everybody',
    tags: [{ $ref: '#/components/tags/Payroll' }],
    sideEffects: ['create'],
    requires: ['payroll:admin'],
    errors: [{ $ref: '#/components/errors/PayrollLocked' }],
    input: {
      type: 'object',
      properties: { salaries: { $ref: '#/components/schemas/Salaries' } },
    },
    examples: [{ name: 'payday', params: [{ name: 'salaries', value: { month: '2026-11' } }] }],
    handler: () => ({ paid: true }),
  }),
]

const COMPONENTS = {
  schemas: {
    Order: { type: 'object', properties: { id: { type: 'string' } } },
    Draft: { type: 'object', properties: { note: { type: 'string' } } },
    Salaries: { type: 'object', properties: { month: { type: 'string' } } },
  },
  errors: { PayrollLocked: { code: 'PAYROLL_LOCKED', message: 'The payroll is locked' } },
  tags: { Payroll: { name: 'payroll', description: 'Salaries' } },
} satisfies Components

/** Everything that the words of what only the administrator may call would be seen by. */
export const SECRET = /payroll|salar|payday|3\.0\.0/i

/** Makes the service, or a twin of it that never had what the given scopes may not call. */
export function createBureau(
  options: Partial<Parameters<typeof createService>[0]> = {},
  twinOf?: readonly string[],
) {
  const holds = (scopes: readonly string[] = []) =>
    scopes.every((scope) => twinOf?.includes(scope) ?? true)
  const functions = FUNCTIONS.filter(({ requires }) => holds(requires))
  const names = new Set(functions.map(({ name }) => name))
  const { Order, Draft } = COMPONENTS.schemas
  return createService({
    info: { title: 'Bureau', version: '1.0.0' },
    functions: functions.map(({ links, ...definition }) => ({
      ...definition,
      ...(links && {
        links: links.filter((link) => 'function' in link && names.has(link.function ?? '')),
      }),
    })),
    components: holds(['payroll:admin'])
      ? COMPONENTS
      : { schemas: holds(['orders:write']) ? { Order, Draft } : { Order } },
    authenticate: ({ header }) => {
      const principal = PRINCIPALS[(header('authorization') ?? '').replace('Bearer ', '')]
      if (principal === undefined) throw new CallError('UNAUTHORIZED', { reason: 'no such token' })
      return principal
    },
    clock: createTestClock(),
    log: createTestLogger(),
    validateResults: false,
    ...options,
  })
}

/** What came back, with the headers that could tell something. */
export interface Seen {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** Asks every surface of a service as one principal. */
export function createVisitor(service: ReturnType<typeof createBureau>, who?: string) {
  const all = createApp(service, {
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    bind: '127.0.0.1',
    publicUrl: 'http://localhost',
  })
  const authorization = who === undefined ? {} : { authorization: `Bearer ${who}` }
  const send = async (
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
    method = body === undefined ? 'GET' : 'POST',
  ): Promise<Seen> => {
    const response = await all.handle(
      toRequest(body ?? '', {
        path,
        method,
        headers: {
          host: 'localhost',
          accept: 'application/json, text/event-stream',
          'x-request-id': 'req_1',
          ...authorization,
          ...headers,
        },
      }),
    )
    const chunks: Uint8Array[] = []
    const { body: sent } = response
    if (typeof sent === 'string' || sent instanceof Uint8Array) chunks.push(Buffer.from(sent))
    else for await (const chunk of sent) chunks.push(Buffer.from(chunk))
    return {
      status: response.status,
      text: Buffer.concat(chunks).toString(),
      headers: response.headers,
    }
  }
  return {
    get: (path: string, headers?: Readonly<Record<string, string>>) =>
      send(path, undefined, headers),
    post: send,
    forrst: (name: string, input: unknown = {}, more: object = {}) =>
      send('/forrst', {
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'req_1',
        call: { function: name, arguments: input, ...more },
        context: { caller: 'test' },
      }),
    mcp: (method: string, params: object = {}) =>
      send('/mcp', { jsonrpc: '2.0', id: 1, method, params }),
  }
}
