import { describe, expect, it } from 'vitest'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import type { Middleware } from '../../src/core/middleware.ts'
import { CallError } from '../../src/errors/error.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { jsonLogger } from '../../src/observe/logger.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { createService } from '../../src/system/create-service.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { toReason } from '../../src/values/json.ts'
import { createTestClock, toRequest } from '../support/forrst.ts'
import { createManualJobs } from '../support/manual-jobs.ts'
import { TEXTLESS } from '../support/property.ts'

const CIRCLE: Record<string, unknown> = {}
CIRCLE['self'] = CIRCLE

/** What code of others may throw, made anew each time. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'an object without a text': () => TEXTLESS,
  'a frozen object': () => Object.freeze({}),
  'a frozen error': () => Object.freeze(new Error('frozen')),
  'an error whose message throws': () => withGetter('message'),
  'an error whose stack throws': () => withGetter('stack'),
  'an error whose code throws': () => withGetter('code'),
  'an error whose message is not text': () => Object.assign(new Error('x'), { message: TEXTLESS }),
  'an error with a circle': () => Object.assign(new Error('circle'), { cause: CIRCLE }),
  'a circle': () => CIRCLE,
  'a symbol': () => Symbol('thrown'),
  'a big integer': () => 10n,
  'an object without a prototype': () => Object.create(null) as object,
  'a proxy that is revoked': revoked,
  'a call error with a circle': () => new CallError('NOT_FOUND', { details: CIRCLE as never }),
  'a call error with a status that is none': () => new CallError('NOT_FOUND', { status: 99_999 }),
}

type Door = readonly [path: string, document: unknown]

const envelope = (...extensions: readonly unknown[]): Door => [
  '/forrst',
  {
    protocol: { name: 'forrst', version: '0.1.0' },
    id: 'req_1',
    call: { function: 'trees.find', version: '1.0.0', arguments: {} },
    extensions,
  },
]

const DOORS: readonly Door[] = [
  envelope(),
  envelope({ urn: 'urn:forrst:ext:idempotency', options: { key: 'once' } }),
  envelope({
    urn: 'urn:forrst:ext:atomic-lock',
    options: { key: 'one', ttl: { value: 1, unit: 'second' } },
  }),
  envelope({ urn: 'urn:forrst:ext:caching' }),
  ['/api/trees.find', {}],
  ['/explorer/tools/trees.find/call', {}],
  [
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'trees__find', arguments: {} } },
  ],
]

describe.each(Object.entries(THROWN))('%s', (_name, make) => {
  const fail = () => {
    throw make()
  }

  it.each<[string, Parts]>([
    ['a handler', { handler: fail }],
    ['a handler that waits', { handler: async () => fail() }],
    ['middleware', { middleware: fail }],
    ['a store', { store: { ...createMemoryStore(), get: fail, put: fail, putIfAbsent: fail } }],
    ['a result', { handler: make }],
  ])('thrown or given by %s is answered with an error or a result', async (_from, parts) => {
    const { handle, lines } = createTestApp(parts)
    for (const [path, document] of DOORS) {
      const { status, body } = await handle(path, document)
      expect([200, 400, 404, 500, 503], path).toContain(status)
      expect(() => JSON.parse(body) as unknown, path).not.toThrow()
    }
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level')
  })

  it('ends an operation in the background as failed, after one run', async () => {
    let runs = 0
    const { handle, jobs } = createTestApp({
      handler: () => {
        runs += 1
        return fail()
      },
    })
    const [path, document] = envelope({ urn: 'urn:forrst:ext:async', options: PREFERRED })
    const started = JSON.parse((await handle(path, document)).body) as Answer
    await jobs.runDue()
    const operation = started.extensions[0]?.data['operation_id']
    const asked = {
      ...ENVELOPE_HEAD,
      call: { function: STATUS, arguments: { operation_id: operation } },
    }
    expect(JSON.parse((await handle('/forrst', asked)).body)).toMatchObject({
      errors: [{ code: 'ASYNC_OPERATION_FAILED' }],
    })
    expect(runs).toBe(1)
  })

  it('is said in words', () => {
    expect(typeof toReason(make())).toBe('string')
  })
})

const ENVELOPE_HEAD = { protocol: { name: 'forrst', version: '0.1.0' }, id: 'req_2' }
const STATUS = 'urn:cline:forrst:ext:async:fn:status'
const PREFERRED = { preferred: true }

interface Answer {
  readonly extensions: readonly { readonly data: Readonly<Record<string, unknown>> }[]
}

interface Parts {
  readonly handler?: FunctionDefinition['handler']
  readonly middleware?: Middleware
  readonly store?: Store
}

function withGetter(member: string): Error {
  return Object.defineProperty(new Error('x'), member, {
    get() {
      throw new Error('a getter')
    },
  })
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function createTestApp({ handler = () => 1, middleware, store = createMemoryStore() }: Parts) {
  const lines: string[] = []
  const jobs = createManualJobs(createTestClock(Date.now()))
  const service = createService({
    info: { title: 'Orchard', version: '1.0.0' },
    log: jsonLogger({ write: (line) => void lines.push(line) }),
    store,
    functions: [defineFunction({ name: 'trees.find', version: '1.0.0', handler })],
    ...(middleware && { middleware: [middleware] }),
    extensions: statefulExtensions({ store, jobs }),
  })
  const app = createApp(service, { surfaces: allSurfaces({ explorer: { allowExecute: true } }) })
  const headers = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  }
  const handle = async (path: string, document: unknown) => {
    const { status, body } = await app.handle(toRequest(document, { path, headers }))
    if (typeof body !== 'string') throw new TypeError('expected a text body')
    return { status, body }
  }
  return { handle, jobs, lines }
}
