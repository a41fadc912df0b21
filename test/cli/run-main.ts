import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Io } from '../../src/cli/command.ts'
import { main } from '../../src/cli/main.ts'

/** What a run of the program printed and how it ended. */
export interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder of its own in which the program runs. */
export interface Workplace {
  readonly folder: string
  readonly run: (...args: string[]) => Promise<Run>
  /** Runs with something different: variables, a terminal, answers to questions. */
  readonly runWith: (
    io: Partial<Io> & { readonly ask?: (question: string) => Promise<string> },
    ...args: string[]
  ) => Promise<Run>
  readonly write: (path: string, text: string) => string
  readonly read: (path: string) => string
  /** All files, with forward slashes, sorted. */
  readonly files: () => string[]
}

/** Runs the program without a terminal and with an empty environment, unless told otherwise. */
export async function runMain(args: readonly string[], changes: Partial<Io> = {}): Promise<Run> {
  let out = ''
  let err = ''
  const code = await main(args, {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
    env: {},
    cwd: process.cwd(),
    terminal: false,
    signal: AbortSignal.timeout(20_000),
    ...changes,
  })
  return { code, out, err }
}

/** Makes a folder and a program that runs in it. */
export function createWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-forge-'))
  const runWith: Workplace['runWith'] = (changes, ...args) =>
    runMain(args, { cwd: folder, ...changes })
  return {
    folder,
    runWith,
    run: (...args) => runWith({}, ...args),
    write: (path, text) => {
      writeFileSync(join(folder, path), text)
      return path
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort(),
  }
}

/** An API description in the way of the running example of the reference. */
export function zendeskDocument(changes: Readonly<Record<string, unknown>> = {}): string {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Zendesk Support API', version: '2.0.0' },
    servers: [{ url: 'https://example.zendesk.com' }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/api/v2/tickets': {
        get: { operationId: 'listTickets', summary: 'Lists tickets.', tags: ['Tickets'] },
        post: {
          operationId: 'createTicket',
          summary: 'Opens a ticket.',
          tags: ['Tickets'],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['subject'],
                  properties: { subject: { type: 'string', description: 'Subject line.' } },
                },
              },
            },
          },
        },
      },
      '/api/v2/tickets/{id}': {
        parameters: [{ ...id, description: 'Number of the ticket.' }],
        get: { operationId: 'getTicket', summary: 'Reads a ticket.', tags: ['Tickets'] },
        delete: { operationId: 'deleteTicket', summary: 'Deletes a ticket.', deprecated: true },
        head: { operationId: 'peekTicket', summary: 'Tells whether a ticket is there.' },
      },
      '/api/v2/users': { get: { operationId: 'listUsers', summary: 'Lists users.' } },
      ...changes,
    },
  })
}
