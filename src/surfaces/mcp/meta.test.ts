import { describe, expect, it } from 'vitest'
import { createShop } from '../../../test/mcp/shop.ts'
import { legacyClient, modernClient } from '../../../test/mcp/wire.ts'
import type { Call } from '../../core/call.ts'
import type { Extension } from '../../core/extension.ts'
import { defineFunction } from '../../core/function.ts'
import { createMcpHandler } from '../../entries/mcp.ts'

const ORDER = { name: 'shop__order', arguments: { sku: 'a' } }

function recording(urn: string, seen: unknown[]): Extension {
  return {
    urn,
    version: '1.0.0',
    around({ options, call }, next) {
      seen.push(options)
      return next(call)
    },
  }
}

describe('_meta of a call', () => {
  it('asks for a dry run: nothing happens, and the report comes back', async () => {
    const client = modernClient(createMcpHandler(createShop()))
    const { result } = await client.request('tools/call', ORDER, {
      meta: { 'waymark/dry-run': true },
    })
    expect(result['structuredContent']).toBeUndefined()
    expect(result['_meta']).toMatchObject({
      'waymark/extensions': [
        { urn: 'urn:forrst:ext:dry-run', data: { valid: true, would_affect: [{ sku: 'a' }] } },
      ],
    })
    // The tool promises an order; a report is none, and clients that check would refuse it as a success.
    expect(result['isError']).toBe(true)
  })

  it('leaves a function that gives nothing its nothing', async () => {
    const service = createShop({}, [
      defineFunction({
        name: 'shop.clear',
        version: '1.0.0',
        output: { type: 'null' },
        handler: () => null,
      }),
    ])
    const { result } = await modernClient(createMcpHandler(service)).request(
      'tools/call',
      { name: 'shop__clear' },
      { meta: { 'waymark/deadline': { value: 5, unit: 'second' } } },
    )
    expect(result['isError']).toBeUndefined()
    expect(result['structuredContent']).toBeNull()
    expect(JSON.stringify(result['_meta'])).toContain('urn:forrst:ext:deadline')
  })

  it('sets a deadline that ends the call', async () => {
    const client = await legacyClient(createMcpHandler(createShop()))
    const { result } = await client.request(
      'tools/call',
      { name: 'shop__pack' },
      { meta: { 'waymark/deadline': { value: 20, unit: 'millisecond' } } },
    )
    expect(result['isError']).toBe(true)
    expect(JSON.stringify(result['content'])).toContain('DEADLINE_EXCEEDED')
  })

  it('carries the idempotency key, any other extension and the trace', async () => {
    const seen: unknown[] = []
    const urns = ['urn:forrst:ext:idempotency', 'urn:acme:forrst:ext:extra']
    const service = createShop({
      extensions: urns.map((urn) => recording(urn, seen)),
    })
    let call: Call | undefined
    service.registry.add(
      defineFunction({
        name: 'shop.look',
        version: '1.0.0',
        handler: (invocation) => {
          call = invocation.call
          return 'seen'
        },
      }),
    )
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await modernClient(createMcpHandler(service)).request(
      'tools/call',
      { name: 'shop__look' },
      {
        meta: {
          'waymark/idempotency-key': 'k-1',
          'waymark/extensions': [{ urn: urns[1] ?? '', options: { a: 1 } }],
          traceparent: trace,
        },
      },
    )
    expect(seen).toEqual([{ key: 'k-1' }, { a: 1 }])
    expect(call?.facts.trace?.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
    expect(call?.context).toEqual({ caller: 'tests' })
  })

  it('says which extension the service does not have', async () => {
    const client = modernClient(createMcpHandler(createShop()))
    const { result } = await client.request('tools/call', ORDER, {
      meta: { 'waymark/extensions': [{ urn: 'urn:acme:forrst:ext:unknown' }] },
    })
    expect(JSON.stringify(result['content'])).toContain('EXTENSION_NOT_SUPPORTED')
  })

  it.each([
    [{ 'waymark/idempotency-key': 5 }],
    [{ 'waymark/deadline': 5 }],
    [{ 'waymark/dry-run': 'yes' }],
    [{ 'waymark/extensions': {} }],
    [{ 'waymark/extensions': [{}] }],
    [{ 'waymark/version': 2 }],
  ])('refuses %j', async (meta) => {
    const client = modernClient(createMcpHandler(createShop()))
    const { error } = await client.request('tools/call', ORDER, { meta })
    expect(error.code).toBe(-32602)
    expect(error.message).toContain(Object.keys(meta)[0])
  })

  it('is not confused by keys that every object has', async () => {
    const client = modernClient(createMcpHandler(createShop()))
    const { result } = await client.request('tools/call', ORDER, {
      meta: { toString: 1, constructor: 2, hasOwnProperty: 3 },
    })
    expect(result['isError']).toBeUndefined()
  })
})
