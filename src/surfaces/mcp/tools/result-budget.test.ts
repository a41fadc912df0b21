import { describe, expect, it } from 'vitest'
import { createShop } from '../../../../test/mcp/shop.ts'
import { modernClient } from '../../../../test/mcp/wire.ts'
import { serviceOf } from '../../../../test/support/service.ts'
import { defineFunction } from '../../../core/function.ts'
import { createMcpHandler } from '../../../entries/mcp.ts'
import type { JsonSchema } from '../../../schema/schema.ts'

function answering(value: unknown, output?: JsonSchema) {
  const service = serviceOf([
    defineFunction({
      name: 'a.long',
      version: '1.0.0',
      ...(output && { output }),
      handler: () => value,
    }),
  ])
  return modernClient(createMcpHandler(service, { resultBudget: 100 }))
}

describe('a result that costs too many tokens', () => {
  it('loses items of its longest list, keeps its shape, and says how to ask for less', async () => {
    const client = modernClient(createMcpHandler(createShop(), { resultBudget: 500 }))
    const { result } = await client.request('tools/call', {
      name: 'shop__find',
      arguments: { limit: 400 },
    })
    const structured = result['structuredContent'] as { items: unknown[]; total: number }
    const [data, note] = result['content'] as [{ text: string }, { text: string }]
    expect(result['isError']).toBeUndefined()
    expect(structured.total).toBe(500)
    expect(structured.items.length).toBeGreaterThan(5)
    expect(JSON.parse(data.text)).toEqual(structured)
    expect(data.text.length).toBeLessThanOrEqual(2_000)
    expect(note.text).toContain(`Only ${structured.items.length} of 400 items of "items" are shown`)
    expect(note.text).toContain('Ask for less with limit.')
  })

  it('is left alone when it fits', async () => {
    const client = modernClient(createMcpHandler(createShop()))
    const { result } = await client.request('tools/call', {
      name: 'shop__find',
      arguments: { limit: 400 },
    })
    expect((result['structuredContent'] as { items: unknown[] }).items).toHaveLength(400)
    expect(result['content']).toHaveLength(1)
  })

  it('is cut as text where it has no shape to keep', async () => {
    const { result } = await answering('x'.repeat(5_000)).request('tools/call', { name: 'a__long' })
    const [{ text }] = result['content'] as [{ text: string }]
    expect(text.startsWith('x'.repeat(400))).toBe(true)
    expect(text.length).toBeLessThan(700)
    expect(text).toContain('[Cut: the call succeeded')
    expect(result['isError']).toBeUndefined()
  })

  it('becomes an error where the promised shape cannot be kept', async () => {
    const output = { type: 'object', properties: { text: { type: 'string' } } }
    const client = answering({ text: 'x'.repeat(5_000) }, output)
    const { result } = await client.request('tools/call', { name: 'a__long' })
    expect(result['isError']).toBe(true)
    expect(result['structuredContent']).toBeUndefined()
    expect(JSON.stringify(result['content'])).toContain('the call succeeded')
  })

  it('is counted in bytes, not in characters', async () => {
    const { result } = await answering('語'.repeat(300)).request('tools/call', { name: 'a__long' })
    expect(JSON.stringify(result['content'])).toContain('[Cut')
  })
})
