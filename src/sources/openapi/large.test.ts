import { describe, expect, it } from 'vitest'
import { run } from '../../../test/openapi/import-document.ts'
import { formatToolSpec } from '../tool-spec/format.ts'
import { parseToolSpec } from '../tool-spec/parse.ts'

const HEAD = { openapi: '3.0.3', info: { title: 'Orchard', version: '1' } }
const GET = { operationId: 'list', summary: 'Lists.' }

/*
 * Work that grows with the square of one of these takes minutes; the limit of a test is far below that.
 */
describe('documents with one part of absurd size', () => {
  it('reads and checks an enum of 100,000 members', () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `member ${index}`)
    const parameters = [{ name: 'kind', in: 'query', schema: { type: 'string', enum: members } }]
    const { spec } = run({ ...HEAD, paths: { '/x': { get: { ...GET, parameters } } } })
    expect(parseToolSpec(formatToolSpec(spec)).ok).toBe(true)
  })

  it('reads a path of 200,000 braces and a server of 500,000 slashes', () => {
    const { spec } = run({
      ...HEAD,
      servers: [{ url: `https://a.example/${'/'.repeat(500_000)}x` }],
      paths: { [`/${'{'.repeat(200_000)}`]: { get: { summary: 'Lists.' } } },
    })
    expect(spec.tools).toHaveLength(1)
  })

  it('reads an external document with a list of 300,000 entries', () => {
    const external = { S: { type: 'string' }, list: Array.from({ length: 300_000 }, () => ({})) }
    const parameters = [{ name: 'kind', in: 'query', schema: { $ref: 'b.json#/S' } }]
    const { spec } = run(
      { ...HEAD, paths: { '/x': { get: { ...GET, parameters } } } },
      { url: '/d/a.json', externals: new Map([['/d/b.json', external]]) },
    )
    expect(spec.tools[0]?.params).toMatchObject([{ name: 'kind', type: 'string' }])
  })
})
