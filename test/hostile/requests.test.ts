import { describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createOutgoing } from '../../src/extensions/outgoing/outgoing.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { createService } from '../../src/system/create-service.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { createTestClock, toRequest } from '../support/forrst.ts'
import { createManualJobs } from '../support/manual-jobs.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { createTestLogger } from '../support/service.ts'
import { ENVELOPE, EXTENSION_OPTIONS, MCP_MESSAGES, SYSTEM_CALLS } from './requests.ts'

const HOUR = { value: 1, unit: 'hour' } as const
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const log = createTestLogger()
const store = createMemoryStore()
const jobs = createManualJobs(createTestClock(Date.now()))
const find = defineFunction({
  name: 'trees.find',
  version: '1.0.0',
  input: {
    type: 'object',
    required: ['row'],
    properties: { row: { type: 'string' }, limit: { type: 'integer' } },
  },
  query: {
    filters: { allowed: ['kind'] },
    sorts: { allowed: ['kind'] },
    fields: { allowed: ['kind'] },
    relationships: { allowed: ['owner'] },
    pagination: { strategies: ['offset', 'cursor', 'page', 'keyset'] },
  },
  simulations: [{ name: 'found', input: { row: 'a' }, output: { data: [] } }],
  extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }],
  dryRun: () => ({}),
  handler: () => ({ data: [] }),
  resources: () => ({ data: [] }),
})
const app = createApp(
  createService({
    info: { title: 'Orchard', version: '1.0.0' },
    log,
    store,
    functions: [find],
    extensions: [
      ...statefulExtensions({
        store,
        jobs,
        outgoing: createOutgoing({ jobs, secret: SECRET }),
        quota: { quotas: [{ type: 'requests', name: 'calls', limit: 1e6, period: 'day' }] },
        rateLimit: {
          policies: [{ scope: 'global', function: 'trees.find', limit: 1e6, window: HOUR }],
        },
      }),
    ],
  }),
  { surfaces: allSurfaces({ explorer: { allowExecute: true } }) },
)

async function send(path: string, document: unknown, more: Readonly<Record<string, string>> = {}) {
  const headers = { host: 'localhost', accept: 'application/json, text/event-stream', ...more }
  const { status, body } = await app.handle(toRequest(document, { path, headers }))
  const text = typeof body === 'string' ? body : ''
  expect(text, JSON.stringify(log.lines.splice(0))).not.toMatch(/INTERNAL_ERROR|-32603/)
  return { status, text }
}

async function findRefusals(document: unknown, path: string, headers = {}): Promise<string[]> {
  return findFaults(hostileCases(document, 3), (changed) => send(path, changed, headers))
}

describe('a request with a hostile value at any place is never our mistake', () => {
  it('as an envelope', async () => {
    expect(await send('/forrst', ENVELOPE)).toMatchObject({ status: 200 })
    expect(await findRefusals(ENVELOPE, '/forrst')).toEqual([])
  })

  it.each(Object.entries(EXTENSION_OPTIONS))('with options of %s', async (name, options) => {
    const extensions = [{ urn: `urn:forrst:ext:${name}`, version: '1.0.0', options }]
    const document = { ...ENVELOPE, extensions }
    expect((await send('/forrst', document)).text).not.toContain('EXTENSION_NOT_SUPPORTED')
    expect(await findRefusals(document, '/forrst')).toEqual([])
  })

  it.each(SYSTEM_CALLS)('to %s', async (name, input) => {
    const document = { ...ENVELOPE, call: { function: name, arguments: input } }
    expect((await send('/forrst', document)).text).not.toContain('FUNCTION_NOT_FOUND')
    expect(await findRefusals(document, '/forrst')).toEqual([])
  })

  it.each(MCP_MESSAGES)('as an MCP message: $method', async (message) => {
    const earlier = { 'mcp-protocol-version': '2025-06-18' }
    expect(await findRefusals(message, '/mcp', earlier)).toEqual([])
    const name = 'params' in message ? { 'mcp-name': message.params.name ?? 'none' } : {}
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method, ...name }
    expect(await findRefusals(message, '/mcp', modern)).toEqual([])
  })

  it.each([
    '/api/trees.find',
    '/explorer/tools/trees.find/call',
    '/explorer/tools/trees.find/validate',
  ])('at %s', async (path) => {
    expect(await send(path, { row: 'a', limit: 2 })).toMatchObject({ status: 200 })
    expect(await findRefusals({ row: 'a', limit: 2 }, path)).toEqual([])
  })
})
