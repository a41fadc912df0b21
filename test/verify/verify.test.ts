import { describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import {
  assertVerified,
  VERIFY_RULES,
  type VerifyRule,
  verifyService,
} from '../../src/entries/verify.ts'
import { serve } from '../../src/http/serve.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { createHonestShop, type Lie, type SeenRequest, withLie } from './shop.ts'

const PROTOCOL = { name: 'forrst', version: '0.1.0' }

const isPlain = ({ name, extensions }: SeenRequest, wanted: string) =>
  name === wanted && Object.keys(extensions).length === 0
const failed = (id: string, code: string) => ({
  protocol: PROTOCOL,
  id,
  result: null,
  errors: [{ code, message: code }],
})
const isDocument = ({ name, path }: SeenRequest) => path === '/forrst' && name === 'describe'

/** One lie per rule; each must be found, and nothing else. */
const LIES: Readonly<Record<VerifyRule, { readonly where?: string; readonly lie: Lie }>> = {
  'document.invalid': {
    lie: (seen, body) => {
      if (!isDocument(seen) || body?.info === undefined) return undefined
      return { body: { ...body, info: { title: body.info.title } } }
    },
  },
  'name.reserved': {
    where: 'urn:cline:forrst:fn:mine@1.0.0',
    lie: (seen, body) => {
      if (!isDocument(seen) || body?.functions === undefined) return undefined
      const mine = { name: 'urn:cline:forrst:fn:mine', version: '1.0.0', stability: 'stable' }
      return { body: { ...body, functions: [...body.functions, mine] } }
    },
  },
  'example.failed': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.get') && seen.version === '1.0.0' && seen.arguments['id'] === 'a'
        ? { status: 404, body: failed(body.id, 'SHOP_UNKNOWN') }
        : undefined,
  },
  'example.differs': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.get') && body?.result
        ? { body: { ...body, result: { ...body.result, name: 'Pear' } } }
        : undefined,
  },
  'result.schema': {
    where: 'shop.old@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.old') && body?.result
        ? { body: { ...body, result: 'three' } }
        : undefined,
  },
  'call.broken': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.get') && seen.version === '1.0.0' && seen.arguments['id'] !== 'a'
        ? { status: 500, body: failed(body.id, 'INTERNAL_ERROR') }
        : undefined,
  },
  'simulation.differs': {
    where: 'shop.add@1.0.0',
    lie: (seen, body) =>
      seen.extensions['simulation']?.['scenario'] === 'full'
        ? { status: 200, body: { protocol: PROTOCOL, id: body.id, result: null } }
        : undefined,
  },
  'error.undeclared': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.get') && seen.version === '1.0.0' && seen.arguments['id'] !== 'a'
        ? { status: 400, body: failed(body.id, 'SHOP_SURPRISE') }
        : undefined,
  },
  'query.refused': {
    where: 'shop.list@1.0.0',
    lie: (seen, body) =>
      JSON.stringify(seen.extensions['query'] ?? {}).includes('"in"')
        ? { status: 400, body: failed(body.id, 'INVALID_ARGUMENTS') }
        : undefined,
  },
  'query.wrong': {
    where: 'shop.list@1.0.0',
    lie: (seen, body) =>
      JSON.stringify(seen.extensions['query'] ?? {}).includes('desc') && body?.result
        ? { body: { ...body, result: { ...body.result, data: body.result.data.toReversed() } } }
        : undefined,
  },
  'query.undeclared': {
    where: 'shop.list@1.0.0',
    lie: (seen, body) =>
      JSON.stringify(seen.extensions['query']?.['sorts'] ?? {}).includes('waymark_verify')
        ? { status: 200, body: { protocol: PROTOCOL, id: body.id, result: { data: [] } } }
        : undefined,
  },
  'extension.broken': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) => {
      if (seen.extensions['tracing'] === undefined) return undefined
      const [entry] = body.extensions
      const extensions = [{ ...entry, data: { ...entry.data, trace_id: 'another' } }]
      return { body: { ...body, extensions } }
    },
  },
  'extension.unadvertised': {
    where: 'shop.get@1.0.0',
    lie: (seen, body) => {
      if (seen.name !== 'capabilities') return undefined
      const extensions = body.result.extensions.filter(
        ({ urn }: { urn: string }) => !urn.endsWith(':locale'),
      )
      return { body: { ...body, result: { ...body.result, extensions } } }
    },
  },
  'version.uncallable': {
    where: 'shop.list@1.0.0',
    lie: (seen, body) =>
      seen.name === 'describe' && seen.arguments['function'] === 'shop.list'
        ? { status: 404, body: failed(body.id, 'VERSION_NOT_FOUND') }
        : undefined,
  },
  'version.unknown': {
    where: 'shop.list@1.0.0',
    lie: (seen, body) =>
      seen.name === 'shop.list' && seen.version === '999.0.0'
        ? { status: 404, body: failed(body.id, 'FUNCTION_NOT_FOUND') }
        : undefined,
  },
  'deprecation.silent': {
    where: 'shop.old@1.0.0',
    lie: (seen, body) =>
      isPlain(seen, 'shop.old') && body?.meta
        ? { body: { protocol: PROTOCOL, id: body.id, result: body.result } }
        : undefined,
  },
  'limit.bytes': { lie: (seen) => (seen.tooLarge ? { status: 200 } : undefined) },
  'limit.depth': { lie: (seen) => (seen.length > 20_000 ? { status: 200 } : undefined) },
  'system.broken': {
    where: 'urn:cline:forrst:fn:ping',
    lie: (seen, body) =>
      seen.name === 'ping' ? { status: 500, body: failed(body.id, 'INTERNAL_ERROR') } : undefined,
  },
  'system.disagrees': {
    where: 'shop.old',
    lie: (seen, body) => {
      if (seen.name !== 'capabilities') return undefined
      const functions = body.result.functions.filter((name: string) => name !== 'shop.old')
      return { body: { ...body, result: { ...body.result, functions } } }
    },
  },
  'openapi.disagrees': {
    where: 'shop.add',
    lie: (seen, body) => {
      if (seen.path !== '/openapi.json') return undefined
      const kept = Object.entries(body.paths).filter(([path]) => !path.includes('shop.add'))
      return { body: { ...body, paths: Object.fromEntries(kept) } }
    },
  },
  'openrpc.disagrees': {
    where: 'shop.hidden',
    lie: (seen, body) =>
      seen.path === '/openrpc.json'
        ? { body: { ...body, methods: [...body.methods, { name: 'shop.hidden' }] } }
        : undefined,
  },
}

describe('an honest service', () => {
  it('has no findings, and says what was skipped and what nobody could prove', async () => {
    const report = await verifyService(await createHonestShop())
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ ok: true, skipped: ['shop.add@1.0.0'] })
    expect(report.exchanges).toBeGreaterThan(40)
    expect(report.unproven).toContainEqual(
      expect.stringContaining('ext:idempotency (no function with'),
    )
  })

  it('also runs functions with side effects when they are allowed', async () => {
    const report = await assertVerified(await createHonestShop(), { allowEffects: true })
    expect(report.skipped).toEqual([])
    expect(report.unproven.join()).not.toContain('urn:forrst:ext:')
  })

  it('is looked at in part when only some functions matter', async () => {
    const seen = new Set<string>()
    await verifyService(await createHonestShop(), {
      only: ['shop.get'],
      onExchange: ({ function: name }) => seen.add(name),
    })
    expect(seen).toContain('shop.get')
    expect(seen).not.toContain('shop.list')
  })

  it.each([
    ['without a store', {}],
    ['with a store', { store: createMemoryStore() }],
  ])('the events example %s has no findings', async (_, extra) => {
    const report = await verifyService(createEventsService({ database: ':memory:', ...extra }), {
      allowEffects: true,
    })
    expect(report.findings).toEqual([])
  })

  it('is examined over HTTP as it is in the process', async () => {
    const server = await serve(await createHonestShop(), { port: 0 })
    const report = await verifyService(`${server.url}/forrst`)
    await server.close()
    expect(report.findings).toEqual([])
  })
})

describe('a service that lies', () => {
  it.each(Object.entries(LIES))(
    'is caught by %s, and by nothing else',
    async (rule, { lie, where }) => {
      const { findings, ok } = await verifyService(withLie(await createHonestShop(), lie))
      expect(findings.map((finding) => [finding.rule, finding.function])).toEqual([[rule, where]])
      expect(findings[0]).toMatchObject({
        severity: VERIFY_RULES[rule as VerifyRule],
        expected: expect.any(String),
        actual: expect.any(String),
        sentence: expect.any(String),
      })
      expect(ok).toBe(VERIFY_RULES[rule as VerifyRule] === 'warning')
    },
  )

  it('fails a test that asserts it', async () => {
    const app = withLie(await createHonestShop(), LIES['result.schema'].lie)
    await expect(assertVerified(app)).rejects.toThrow('result.schema: the result of shop.old@1.0.0')
  })
})
