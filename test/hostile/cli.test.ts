import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkplace } from '../cli/run-main.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { RICH_DISCOVERY } from './documents.ts'

const HEAD = { protocol: { name: 'forrst', version: '0.1.0' }, id: 'req_1' }
const SECOND = { value: 1, unit: 'second' }

const OPERATION = {
  id: 'op_1',
  operation_id: 'op_1',
  function: 'trees.find',
  version: '1.0.0',
  status: 'processing',
  progress: 0.5,
  message: 'Counting.',
  started_at: '2026-01-01T00:00:00Z',
  retry_after: SECOND,
}

const HEALTH = {
  status: 'degraded',
  components: { db: { status: 'degraded', message: 'slow', latency: SECOND } },
  functions: { 'trees.find': { status: 'healthy' } },
  version: '1.0.0',
  timestamp: '2026-01-01T00:00:00Z',
}

const CAPABILITIES = {
  service: 'orchard',
  protocolVersions: ['0.1.0'],
  protocol_versions: ['0.1.0'],
  functions: ['trees.find'],
  extensions: [
    { urn: 'urn:forrst:ext:caching', version: '1.0.0', documentation: 'https://a.example' },
  ],
  limits: { max_request_size: 10 },
}

const FAILURES = [
  {
    code: 'NOT_FOUND',
    message: 'No such tree.',
    source: { pointer: '/call/arguments/row' },
    details: { retry_after: SECOND, available_versions: ['1.0.0'] },
  },
  { code: 'TREES_FELLED', message: 'Gone.', source: { position: 3 }, details: { year: [1] } },
]

const NOTES = [
  {
    urn: 'urn:forrst:ext:deprecation',
    data: { warnings: [{ message: 'Old.', sunset_date: '2030-01-01' }] },
  },
  {
    urn: 'urn:forrst:ext:async',
    data: { operation_id: 'op_1', status: 'pending', retry_after: SECOND },
  },
]

/** Commands, with the answer they get. */
const COMMANDS: readonly (readonly [words: string, answer: object])[] = [
  ['health URL', { ...HEAD, result: HEALTH }],
  ['capabilities URL', { ...HEAD, result: CAPABILITIES }],
  ['describe URL', { ...HEAD, result: RICH_DISCOVERY }],
  ['describe URL trees.find', { ...HEAD, result: RICH_DISCOVERY.functions[0] }],
  [
    'call URL trees.find {}',
    { ...HEAD, result: { id: 't1' }, extensions: NOTES, meta: { took: 1 } },
  ],
  ['call URL trees.find {}', { ...HEAD, result: null, errors: FAILURES }],
  ['operations list URL', { ...HEAD, result: { operations: [OPERATION], next_cursor: 'c' } }],
  ['operations show URL op_1', { ...HEAD, result: OPERATION }],
]

let answer: object = {}
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  request.on('end', () => {
    const { id } = JSON.parse(text) as { id: string }
    const answered = 'id' in answer && answer.id === 'req_1' ? { ...answer, id } : answer
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answered))
  })
})
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

describe('a command that reads the answers of a hostile service', { timeout: 120_000 }, () => {
  it.each(COMMANDS)('ends without a bug: %s', async (words, good) => {
    const { port } = server.address() as AddressInfo
    const workplace = createWorkplace()
    const args = words.replace('URL', `http://127.0.0.1:${port}/forrst`).split(' ')
    const faults = await findFaults(hostileCases(good), async (changed) => {
      answer = changed as object
      const { code, err } = await workplace.run(...args)
      expect(err).not.toContain('this is a bug')
      expect([0, 1, 2, 3]).toContain(code)
    })
    expect(faults).toEqual([])
  })
})
