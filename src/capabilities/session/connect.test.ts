import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { VERSION } from '../../../test/support/ucp.ts'
import {
  AGENT,
  createNetwork,
  open,
  profile,
  sessionOf,
  tiny,
} from '../../../test/support/ucp-network.ts'
import { connect } from './connect.ts'

describe('connect', () => {
  it('uses the leaf of an older version alone [UCP-36] [UCP-41]', async () => {
    const leafUrl = 'https://shop.example/.well-known/ucp/2026-01-23'
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': {
        ucp: {
          ...profile('business').ucp,
          supported_versions: { '2026-01-23': leafUrl },
        },
      },
      [leafUrl]: tiny('2026-01-23', 'https://shop.example/v0'),
    })
    const session = await open(network, {}, tiny('2026-01-23'))
    expect(session.negotiation.protocolVersion).toBe('2026-01-23')
    expect(session.operations.operations.map(({ id }) => id)).not.toContain('create_cart')
    const get = session.operations.lookup('get_checkout')
    expect(get.found && get.operation.bindings.rest?.url).toBe(
      'https://shop.example/v0/checkout-sessions/{id}',
    )
  })

  it('takes the latest of several versions that both speak [UCP-38]', async () => {
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': {
        ucp: {
          ...tiny('2026-04-08', 'https://shop.example/now').ucp,
          supported_versions: { '2026-01-23': 'https://shop.example/old' },
        },
      },
    })
    const result = await connect(
      'https://shop.example',
      ['2026-01-23', '2026-04-08', '2026-08-25'].map((version) => ({
        url: `https://agent.example/${version}.json`,
        profile: tiny(version),
      })),
      { fetch: network.fetch, checkArguments: false },
    )
    const session = sessionOf(result)
    expect(session.negotiation.protocolVersion).toBe('2026-04-08')
    const prepared = session.prepare('get_checkout', { id: 'x' })
    expect(prepared.ok && prepared.request.headers['ucp-agent']).toBe(
      'profile="https://agent.example/2026-04-08.json"',
    )
  })

  it('calls methods directly in the dialect of 2026-01-11', async () => {
    const business = tiny('2026-01-11', 'https://shop.example/mcp', 'mcp')
    const network = createNetwork({ 'https://shop.example/.well-known/ucp': business })
    const session = await open(network, { transports: ['mcp'] }, tiny('2026-01-11'))
    const prepared = session.prepare('get_checkout', { id: 'x' })
    expect(prepared.ok && JSON.parse(prepared.request.body ?? '')).toMatchObject({
      method: 'get_checkout',
      params: { _meta: { ucp: { profile: AGENT } }, id: 'x' },
    })
  })

  it('asks again when the profile is no longer fresh, until it is closed [UCP-102]', async () => {
    vi.useFakeTimers()
    const network = createNetwork({
      'https://shop.example/.well-known/ucp': tiny(VERSION, 'https://shop.example/v1'),
    })
    const session = await open(network, { keepFresh: true, checkArguments: false }, tiny(VERSION))
    const asked = (): number => network.requests.length
    expect(asked()).toBe(1)
    await vi.advanceTimersByTimeAsync(61_000)
    expect(asked()).toBe(2)
    await vi.advanceTimersByTimeAsync(61_000)
    expect(asked()).toBe(3)
    session.close()
    await vi.advanceTimersByTimeAsync(200_000)
    expect(asked()).toBe(3)
    vi.useRealTimers()
  })

  it.each([
    ['http://shop.example', 'INVALID_PROFILE_URL'],
    ['not a url', 'INVALID_PROFILE_URL'],
    ['https://user:pass@shop.example', 'INVALID_PROFILE_URL'],
    ['ftp://shop.example', 'INVALID_PROFILE_URL'],
  ])('refuses the business %s without a request [UCP-22]', async (business, code) => {
    const network = createNetwork()
    const result = await connect(business, { url: AGENT, profile: tiny(VERSION) }, network)
    expect(result).toMatchObject({ connected: false, code })
    expect(network.requests).toEqual([])
  })

  it.each([
    [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 'PROFILE_FETCH_FAILED'],
    [{ status: 404 }, 'PROFILE_FETCH_FAILED'],
    [{ body: 'not json', headers: { raw: 'yes' } }, 'PROFILE_INVALID_JSON'],
    [{ body: { ucp: { version: 'draft' } } }, 'PROFILE_SCHEMA_INVALID'],
    [{ body: { ucp: { version: '2025-01-01' } } }, 'PROTOCOL_VERSION_INCOMPATIBLE'],
    [{ body: { ucp: { version: VERSION } } }, 'CAPABILITIES_INCOMPATIBLE'],
  ])('reports %j as %s', async (answer, code) => {
    const network = createNetwork({ 'https://shop.example/.well-known/ucp': () => answer })
    const platform = { url: AGENT, profile: tiny(VERSION) }
    const result = await connect('https://shop.example', platform, network)
    expect(result).toMatchObject({ connected: false, code })
    expect(network.requests).toHaveLength(1)
  })

  it('speaks to a business on this machine when development allows it [UCP-28]', async () => {
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo
      const base = `http://127.0.0.1:${port}`
      const answers: Record<string, unknown> = {
        '/.well-known/ucp': localProfile(base),
        '/openapi.json': {
          openapi: '3.1.0',
          paths: { '/greet': { get: { operationId: 'greet' } } },
        },
        '/api/greet': { hello: request.headers['ucp-agent'] },
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answers[request.url ?? '']))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const base = `http://127.0.0.1:${port}`
    const platform = { url: AGENT, profile: localProfile() }
    const refused = await connect(base, platform)
    expect(refused).toMatchObject({ connected: false, code: 'INVALID_PROFILE_URL' })
    const session = sessionOf(await connect(base, platform, { allowLoopback: true }))
    expect(await session.call('greet')).toEqual({
      ok: true,
      status: 200,
      value: { hello: `profile="${AGENT}"` },
    })
    server.close()
  })
})

function localProfile(base?: string): unknown {
  const version = VERSION
  const service = {
    version,
    transport: 'rest',
    ...(base && { endpoint: `${base}/api`, schema: `${base}/openapi.json` }),
  }
  const capability = {
    version,
    operations: ['greet'],
    ...(base && { schema: `${base}/greet.json` }),
  }
  return {
    ucp: {
      version,
      services: { 'example.local.greeting': [service] },
      capabilities: { 'example.local.greeting.greet': [capability] },
      payment_handlers: {},
    },
  }
}
