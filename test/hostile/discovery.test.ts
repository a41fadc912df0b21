import { describe, expect, it } from 'vitest'
import { createMockService } from '../../src/change/mock/service.ts'
import { buildSite } from '../../src/change/site/site.ts'
import { checkDocument } from '../../src/discovery/check-document.ts'
import type { DiscoveryDocument } from '../../src/discovery/decode.ts'
import { createClient, type Transport } from '../../src/entries/client.ts'
import { generateClient } from '../../src/entries/codegen.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { connectForrstSource } from '../../src/sources/forrst/source.ts'
import { createService } from '../../src/system/create-service.ts'
import { toRequest } from '../support/forrst.ts'
import { findFaults, hostileCases, TEXTLESS } from '../support/property.ts'
import { createTestLogger } from '../support/service.ts'
import { RICH_DISCOVERY } from './documents.ts'

describe('a discovery document with a hostile value at any place', { timeout: 120_000 }, () => {
  it('is checked without a throw', async () => {
    expect(checkDocument(RICH_DISCOVERY)).toEqual([])
    const faults = await findFaults(hostileCases(RICH_DISCOVERY, 20), checkDocument)
    expect(faults).toEqual([])
  })

  it('becomes a site and a client, or is refused with the field that is wrong', async () => {
    const faults = await findFaults(hostileCases(RICH_DISCOVERY), async (document) => {
      const found = await discover(document)
      if (found === undefined) return
      buildSite(found)
      generateClient(found)
    })
    expect(faults).toEqual([])
  })

  it('becomes a mock whose functions answer on every surface', async () => {
    const faults = await findFaults(hostileCases(RICH_DISCOVERY, 0), async (changed) => {
      const mock = await attempt(() => createMockService(changed))
      if (mock === undefined) return
      const { service } = mock
      const app = createApp({ ...service, log: createTestLogger() }, { surfaces: allSurfaces() })
      for (const path of ['/openapi.json', '/openrpc.json', '/explorer/tools']) {
        expect(await app.handle(get(path)), path).toMatchObject({ status: 200 })
      }
      for (const [path, input] of CALLS) {
        const answer = await app.handle(toRequest(input, { path, headers: { host: 'localhost' } }))
        expect(answer.status, path).not.toBe(500)
      }
      await service.close()
    })
    expect(faults).toEqual([])
  })

  it('becomes functions of another service, without what makes no sense', async () => {
    const faults = await findFaults(hostileCases(RICH_DISCOVERY), async (document) => {
      const client = createClient({ transport: answerWith(document), retry: false })
      const source = await attempt(() => connectForrstSource({ client, refreshMs: 0 }))
      if (source === undefined) return
      const { info } = source
      await createService({ info, functions: source.functions() }).close()
      source.close()
    })
    expect(faults).toEqual([])
  })

  it.each(['constructor', 'toString', '__proto__'])('may use the name %s', async (name) => {
    const [first, ...others] = RICH_DISCOVERY.functions
    const query = { ...first?.query, relationships: { allowed: [name] } }
    const schema = { type: 'string', format: name, ...JSON.parse(`{"${name}":{"x":1}}`) }
    const { warnings, service } = createMockService({
      ...RICH_DISCOVERY,
      functions: [{ ...first, query, result: { name: 'kind', schema } }, ...others],
    })
    const kept = service.registry.find('trees.find')?.versions.get('1.0.0')?.definition
    expect(warnings.join()).not.toContain('query')
    expect(kept?.query?.relationships).toEqual({ allowed: [name] })
    await service.close()
  })

  it('says what of a function was left out, and why', async () => {
    const [first, ...others] = RICH_DISCOVERY.functions
    const query = { filters: { allowed: TEXTLESS } }
    const { warnings, service } = createMockService({
      ...RICH_DISCOVERY,
      functions: [{ ...first, query, sideEffects: [TEXTLESS] }, ...others],
    })
    expect(warnings).toEqual([
      'functions[0] ("trees.find") is taken over in part: query.filters.allowed must be a list of texts',
    ])
    const target = service.registry.find('trees.find')?.versions.get('1.0.0')
    expect(target?.sideEffects).toBeUndefined()
  })
})

const CALLS: readonly (readonly [path: string, input: unknown])[] = [
  ['/api/trees.find', { row: 'a' }],
  ['/api/trees.find', { row: 'zz', limit: 3 }],
  ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }],
]

function get(path: string) {
  return toRequest('', { path, method: 'GET', headers: { host: 'localhost' } })
}

function answerWith(result: unknown): Transport {
  return async ({ body }) => {
    const { id } = JSON.parse(body) as { id: string }
    const protocol = { name: 'forrst', version: '0.1.0' }
    return {
      status: 200,
      header: () => 'application/json',
      body: JSON.stringify({ protocol, id, result }),
    }
  }
}

async function discover(document: unknown): Promise<DiscoveryDocument | undefined> {
  const client = createClient({ transport: answerWith(document), retry: false })
  const outcome = await client.discover()
  if (outcome.ok) return outcome.result
  expect(outcome.errors[0].code).toBe('CLIENT_INVALID_RESPONSE')
  return undefined
}

/** A document that is none is refused in words; everything else is a mistake of ours. */
async function attempt<Value>(make: () => Value | Promise<Value>): Promise<Value | undefined> {
  try {
    return await make()
  } catch (thrown) {
    expect(thrown).toMatchObject({ message: expect.stringMatching(/discovery document/) })
    return undefined
  }
}
