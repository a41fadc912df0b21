import { describe, expect, it } from 'vitest'
import { call, createTestLog } from '../../test/support/forrst.ts'
import type { Extension, Phase } from '../core/extension.ts'
import { defineFunction } from '../core/function.ts'
import { CallError } from '../errors/error.ts'
import { deadlineExtension } from '../extensions/deadline/deadline.ts'
import { createMemoryStore } from '../store/memory/memory.ts'
import { createInProcessQueue } from '../work/in-process.ts'
import { createService, type ServiceOptions } from './create-service.ts'
import { statefulExtensions } from './stateful-extensions.ts'

const ext = (name: string) => `urn:forrst:ext:${name}`

const open = defineFunction({ name: 'doors.open', version: '1.0.0', handler: () => 'open' })

function setUp(options: Partial<ServiceOptions<readonly [typeof open]>> = {}) {
  const info = { title: 'Doors', version: '1.0.0' }
  return createService({ info, functions: [open], log: createTestLog(), ...options })
}

const urnsOf = ({ extensions }: { readonly extensions: readonly Extension[] }) =>
  extensions.map(({ urn }) => urn)

/** Writes down that it was there, and what came of the call. */
function recorder(name: string, seen: string[], place: Partial<Extension> = {}): Extension {
  return {
    urn: `urn:example:${name}`,
    version: '1.0.0',
    joins: (target) => !target.system,
    async around({ call }, next) {
      seen.push(name)
      const outcome = await next(call)
      seen.push(`${name}: ${outcome.ok ? 'done' : outcome.errors[0].code}`)
      return outcome
    },
    ...place,
  }
}

describe('the extensions of a service', () => {
  it('are added to the defaults, with and without a store', async () => {
    const audit = recorder('audit', [])
    expect(urnsOf(setUp({ extensions: [audit] }))).toEqual([...urnsOf(setUp()), audit.urn])
    const store = createMemoryStore()
    const plain = setUp({ store })
    const added = setUp({ store, extensions: [audit] })
    expect(urnsOf(plain)).toEqual(expect.arrayContaining([ext('async'), ext('idempotency')]))
    expect(urnsOf(added)).toEqual([...urnsOf(plain), audit.urn])
    await Promise.all([plain.close(), added.close()])
  })

  it('take the place of a default with the same URN, and the last one counts', () => {
    const first = deadlineExtension()
    const second = deadlineExtension({ default: { value: 1, unit: 'second' } })
    const service = setUp({ extensions: [first, second] })
    expect(urnsOf(service)).toEqual(urnsOf(setUp()))
    expect(service.extensions.filter(({ urn }) => urn === ext('deadline'))).toEqual([second])
  })

  it('lack what is left out by name, or all that are there by default', async () => {
    expect(urnsOf(setUp({ defaults: { discovery: false } }))).not.toContain(ext('discovery'))
    expect(urnsOf(setUp({ defaults: false }))).toEqual([])
    const store = createMemoryStore()
    const service = setUp({ store, stateful: false })
    expect(urnsOf(service)).toEqual(urnsOf(setUp()))
    expect(service.store).toBe(store)
    await service.close()
  })

  it('use no job queue of the service when they bring their own', async () => {
    const store = createMemoryStore()
    const jobs = createInProcessQueue(store)
    const own = statefulExtensions({ store, jobs })
    const service = setUp({ store, extensions: own })
    for (const extension of own) expect(service.extensions).toContain(extension)
    service.start()
    await service.close()
    await jobs.close()
  })

  it.each([
    [{}, 'extensions must be a list of extensions'],
    [[null], 'extensions[0] must be an extension with a urn'],
    [
      [{ urn: 'urn:example:late', version: '1.0.0', phase: 'last' }],
      'extension urn:example:late: phase must be one of observe, keep, admit',
    ],
  ])('are refused at start when they are %j', (extensions, message) => {
    expect(() => setUp({ extensions: extensions as never })).toThrow(message)
  })
})

describe('the phase of an extension', () => {
  it('decides where it stands, then its order, then the list', async () => {
    const seen: string[] = []
    const at = (name: string, place: Partial<Extension>) => recorder(name, seen, place)
    const service = setUp({
      extensions: [
        at('innermost', {}),
        at('shape, outside ours', { order: -100 }),
        at('run', { phase: 'run' }),
        at('limit b', { phase: 'limit' }),
        at('limit c', { phase: 'limit' }),
        at('limit a', { phase: 'limit', order: -1 }),
        at('observe', { phase: 'observe' }),
      ],
    })
    await call(service, { function: 'doors.open' })
    const expected = [
      'observe',
      'limit a',
      'limit b',
      'limit c',
      'run',
      'shape, outside ours',
      'innermost',
    ]
    expect(seen.slice(0, expected.length)).toEqual(expected)
  })

  it.each<[Phase, boolean]>([
    ['observe', true],
    ['keep', true],
    ['admit', false],
    ['shape', false],
  ])('%s: sees what the gates refuse: %s', async (phase, sees) => {
    const seen: string[] = []
    const extensions = [recorder('own', seen, { phase })]
    const forbidding = setUp({
      extensions,
      authorize: () => Promise.reject(new CallError('FORBIDDEN')),
    })
    await call(forbidding, { function: 'doors.open' })
    const closed = setUp({ extensions })
    closed.registry.setHealth('doors.open', { status: 'disabled' })
    await call(closed, { function: 'doors.open' })
    expect(seen).toEqual(sees ? ['own', 'own: FORBIDDEN', 'own', 'own: FUNCTION_DISABLED'] : [])
  })
})

describe('what an extension says about itself', () => {
  const urn = 'urn:example:own'

  it('excludedBy: functions with the preset refuse it', async () => {
    const read = defineFunction({
      name: 'doors.read',
      version: '1.0.0',
      readOnly: true,
      handler: () => 'closed',
    })
    const service = createService({
      info: { title: 'Doors', version: '1.0.0' },
      functions: [open, read],
      extensions: [{ urn, version: '1.0.0', excludedBy: 'readOnly' }],
    })
    const extensions = [{ urn, options: {} }]
    expect((await call(service, { function: 'doors.open', extensions })).status).toBe(200)
    const refused = await call(service, { function: 'doors.read', extensions })
    expect(refused.body.errors?.[0].code).toBe('EXTENSION_NOT_APPLICABLE')
  })

  it('ofOneRun: its answers are not given again with a stored outcome', async () => {
    const answering = (name: string, ofOneRun: boolean): Extension => ({
      urn: `urn:example:${name}`,
      version: '1.0.0',
      ofOneRun,
      joins: (target) => !target.system,
      around({ call, answer }, next) {
        answer({})
        return next(call)
      },
    })
    const service = setUp({
      store: createMemoryStore(),
      extensions: [answering('waited', true), answering('found', false)],
    })
    const extensions = [{ urn: ext('idempotency'), options: { key: 'k' } }]
    const ask = async () =>
      (await call(service, { function: 'doors.open', extensions })).body.extensions?.map(
        (entry) => entry.urn,
      )
    expect(await ask()).toEqual(['urn:example:waited', 'urn:example:found', ext('idempotency')])
    expect(await ask()).toEqual([ext('idempotency'), 'urn:example:found'])
    await service.close()
  })
})
