import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../test/support/forrst.ts'
import { type AcceptedExtensions, defineFunction } from '../core/function.ts'
import { createService } from './create-service.ts'
import { defaultExtensions } from './default-extensions.ts'

const ext = (name: string) => `urn:forrst:ext:${name}`

function setUp(accepts?: AcceptedExtensions) {
  return createService({
    info: { title: 'Orders', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'orders.get',
        version: '1.0.0',
        ...(accepts && { accepts }),
        simulations: [{ name: 'default', input: {}, output: { email: 'simulated@b.com' } }],
        query: {},
        handler: () => ({ email: 'a@b.com' }),
        resources: () => ({ data: [] }),
      }),
    ],
    log: createTestLog(),
  })
}

const ask = (service: ReturnType<typeof setUp>, extensions?: readonly unknown[]) =>
  call(service, { function: 'orders.get', ...(extensions && { extensions }) })

describe('the extension mechanism', () => {
  it('[F-78] needs a urn in every entry and no options', async () => {
    expect((await ask(setUp(), [{ urn: ext('redact') }])).status).toBe(200)
    const response = await ask(setUp(), [{ options: {} }])
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_REQUEST',
      source: { pointer: '/extensions/0/urn' },
    })
  })

  it.each(['urn:forrst:ext:redact', 'urn:cline:forrst:ext:redact'])(
    '[F-79] echoes the spelling %s',
    async (urn) => {
      const response = await ask(setUp(), [{ urn }])
      expect(response.body.extensions).toEqual([
        { urn, data: { mode: 'full', redacted_fields: ['email'], policy: 'default' } },
      ])
    },
  )

  it('takes two spellings of one extension for the same entry', async () => {
    const response = await ask(setUp(), [
      { urn: ext('redact') },
      { urn: 'urn:cline:forrst:ext:redact' },
    ])
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_REQUEST',
      source: { pointer: '/extensions/1/urn' },
    })
  })

  it('[F-80] answers EXTENSION_NOT_SUPPORTED and lists what it knows', async () => {
    const response = await ask(setUp(), [{ urn: ext('redact') }, { urn: ext('example:unknown') }])
    expect(response.status).toBe(400)
    expect(response.body.result).toBeNull()
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'EXTENSION_NOT_SUPPORTED',
      source: { pointer: '/extensions/1' },
      details: {
        unsupported: [ext('example:unknown')],
        supported: expect.arrayContaining([ext('redact'), ext('deadline')]),
      },
    })
  })

  it('passes over an unknown extension that is not required', async () => {
    const response = await ask(setUp(), [{ urn: ext('example:unknown'), required: false }])
    expect(response.status).toBe(200)
  })

  it('[F-81][F-82] answers EXTENSION_NOT_APPLICABLE with pointer, extension and function', async () => {
    const response = await ask(setUp({ excluded: [ext('redact')] }), [
      { urn: ext('tracing'), options: { trace_id: 't' } },
      { urn: 'urn:cline:forrst:ext:redact' },
    ])
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'EXTENSION_NOT_APPLICABLE',
      source: { pointer: '/extensions/1' },
      details: { extension: 'urn:cline:forrst:ext:redact', function: 'orders.get' },
    })
  })

  it('[F-83] accepts every extension of the service when a function says nothing', async () => {
    const service = setUp()
    for (const { urn } of service.extensions) {
      // A query refuses options it does not know: a misspelt filter would list everything.
      const options = urn.endsWith(':query')
        ? {}
        : { enabled: false, accept: false, value: 1, unit: 'hour', language: 'en' }
      expect((await ask(service, [{ urn, options }])).status, urn).toBe(200)
    }
  })

  it('[F-84] accepts only what a function lists as supported', async () => {
    const service = setUp({ supported: [ext('redact')] })
    expect((await ask(service, [{ urn: ext('redact') }])).status).toBe(200)
    const refused = await ask(service, [{ urn: ext('retry') }])
    expect(refused.body.errors?.[0].code).toBe('EXTENSION_NOT_APPLICABLE')
  })

  it('[F-85] accepts everything but what a function lists as excluded', async () => {
    const service = setUp({ excluded: [ext('redact')] })
    expect((await ask(service, [{ urn: ext('retry') }])).status).toBe(200)
    const refused = await ask(service, [{ urn: ext('redact') }])
    expect(refused.body.errors?.[0].code).toBe('EXTENSION_NOT_APPLICABLE')
  })

  it('[F-86] refuses a function that lists both', () => {
    const both = { supported: [ext('redact')], excluded: [ext('retry')] }
    expect(() => setUp(both as unknown as AcceptedExtensions)).toThrow(/orders\.get/)
  })

  it('[F-90] lets several extensions of one request all take effect', async () => {
    const response = await ask(setUp(), [
      { urn: ext('deadline'), options: { value: 1, unit: 'minute' } },
      { urn: ext('tracing'), options: { trace_id: 'tr_1', span_id: 'sp_1' } },
      { urn: ext('redact'), options: { mode: 'partial' } },
      { urn: ext('simulation'), options: { enabled: true } },
      { urn: ext('locale'), options: { language: 'en' } },
      { urn: ext('deprecation') },
    ])
    expect(response.body.result).toEqual({ email: 's***@***.com' })
    expect(dataOf(response, ext('deadline'))).toMatchObject({
      specified: { value: 1, unit: 'minute' },
    })
    expect(dataOf(response, ext('tracing'))).toMatchObject({ trace_id: 'tr_1' })
    expect(dataOf(response, ext('redact'))).toMatchObject({ redacted_fields: ['email'] })
    expect(dataOf(response, ext('simulation'))).toMatchObject({ simulated: true })
    expect(dataOf(response, ext('locale'))).toMatchObject({ language: 'en' })
    expect(dataOf(response, ext('deprecation'))).toEqual({ warnings: [] })
  })

  it('wraps a call in a fixed order, however a caller lists the entries', async () => {
    const entries = [
      { urn: ext('simulation'), options: { enabled: true, scenario: 'missing' } },
      { urn: ext('retry') },
      { urn: ext('deadline'), options: { value: 1, unit: 'minute' } },
      { urn: ext('tracing'), options: { trace_id: 'tr_1' } },
      { urn: ext('locale'), options: { language: 'en' } },
    ]
    const service = setUp()
    const inner = ['simulation', 'deadline', 'retry', 'locale', 'tracing'].map(ext)
    for (const extensions of [entries, entries.toReversed()]) {
      const response = await ask(service, extensions)
      expect(response.body.errors?.[0].code).toBe('SIMULATION_SCENARIO_NOT_FOUND')
      expect(response.body.extensions?.map(({ urn }) => urn)).toEqual(inner)
    }
  })

  it('reports bad options of an inner extension through those outside it', async () => {
    const response = await ask(setUp(), [
      { urn: ext('tracing'), options: { trace_id: 'tr_1' } },
      { urn: ext('retry') },
      { urn: ext('deadline'), options: { value: 1, unit: 'eon' } },
    ])
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: '/extensions/2/options/unit' },
    })
    expect(dataOf(response, ext('tracing'))).toMatchObject({ trace_id: 'tr_1' })
    expect(dataOf(response, ext('retry'))).toEqual({ allowed: false })
  })

  it('lets the outer extensions see what the gates refuse, and the inner ones not', async () => {
    const service = setUp()
    service.registry.setHealth('orders.get', { status: 'maintenance' })
    const response = await ask(service, [
      { urn: ext('tracing'), options: { trace_id: 'tr_1' } },
      { urn: ext('retry') },
      { urn: ext('simulation'), options: { enabled: true } },
    ])
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBe('60')
    expect(dataOf(response, ext('tracing'))).toMatchObject({ trace_id: 'tr_1' })
    expect(dataOf(response, ext('retry'))).toEqual({
      allowed: true,
      strategy: 'fixed',
      after: { value: 60, unit: 'second' },
      max_attempts: 1,
    })
    expect(dataOf(response, ext('simulation'))).toBeUndefined()
    const unknown = await ask(service, [{ urn: ext('example:unknown') }])
    expect(unknown.body.errors?.[0].code).toBe('FUNCTION_MAINTENANCE')
  })

  it('asks nothing of a call that declares nothing', async () => {
    const service = setUp()
    const entry = service.registry.find('orders.get')
    expect(entry?.latest?.joining).toEqual([])
    const response = await ask(service)
    expect(response.body).not.toHaveProperty('extensions')
    expect(Object.keys(response.headers).sort()).toEqual([
      'content-type',
      'x-forrst-duration-ms',
      'x-forrst-request-id',
    ])
  })

  it('is configured in one place, and leaves out what is switched off', () => {
    const urns = (extensions: ReturnType<typeof defaultExtensions>) =>
      extensions.map(({ urn }) => urn.replace('urn:forrst:ext:', ''))
    expect(urns(defaultExtensions())).toEqual([
      'discovery',
      'diagnostics',
      'tracing',
      'locale',
      'retry',
      'deprecation',
      'redact',
      'deadline',
      'simulation',
      'dry-run',
      'query',
      'stream',
    ])
    const chosen = defaultExtensions({
      discovery: false,
      redact: false,
      dryRun: false,
      query: false,
      locale: { defaultLanguage: 'de' },
    })
    expect(urns(chosen)).not.toContain('redact')
    expect(chosen).toHaveLength(8)
    expect(chosen.find(({ urn }) => urn === ext('locale'))?.details).toMatchObject({
      default_language: 'de',
    })
  })
})
