import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { createApp } from '../../http/app.ts'
import { createMemoryStore } from '../../store/memory/memory.ts'
import { rest } from './surface.ts'

const ASYNC = 'urn:forrst:ext:async'
let release: () => void = () => undefined
const held = new Promise<void>((resolve) => {
  release = resolve
})

const build = defineFunction({
  name: 'reports.build',
  version: '1.0.0',
  input: z.object({ pages: z.int().optional(), fail: z.boolean().optional() }),
  errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report' }],
  handler: ({ input, fail }) => {
    if (input.fail) throw fail('REPORTS_EMPTY')
    return { pages: input.pages ?? 1 }
  },
})
const always = defineFunction({
  name: 'reports.year',
  version: '1.0.0',
  http: { method: 'POST', path: '/reports/{year}' },
  extensions: [{ urn: ASYNC, mode: 'always' }],
  input: z.object({ year: z.int() }),
  handler: ({ input }) => ({ year: input.year }),
})
const never = defineFunction({
  name: 'reports.now',
  version: '1.0.0',
  extensions: [{ urn: ASYNC, mode: 'never' }],
  handler: () => 'now',
})
const slow = defineFunction({
  name: 'reports.slow',
  version: '1.0.0',
  handler: async ({ signal }) => {
    await Promise.race([
      held,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
    return 'slow'
  },
})

const store = createMemoryStore()
const service = serviceOf([build, always, never, slow], {
  store,
  authenticate: ({ header }) => ({ id: header('x-user') ?? 'ann' }),
})
const app = createApp(service, { surfaces: [rest()] })
afterAll(async () => {
  release()
  await service.close()
  await store.close()
})

async function ask(line: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', target = ''] = line.split(' ')
  const [path = '', query = ''] = target.split('?')
  const request = toRequest(body ?? '', {
    method,
    path,
    headers: {
      host: 'localhost',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
  const { status, headers: sent, body: text } = await app.handle({ ...request, query })
  return { status, headers: sent, body: JSON.parse(text as string) }
}

const BACKGROUND = { prefer: 'respond-async' }

async function finish(location: unknown) {
  await expect
    .poll(async () => (await ask(`GET ${location}`)).body.status, { timeout: 20_000, interval: 20 })
    .toMatch(/completed|failed/)
  return ask(`GET ${location}`)
}

describe('a call in the background over REST', () => {
  it('is accepted with 202, and its operation has the result', async () => {
    const started = await ask('POST /api/reports.build', { pages: 3 }, BACKGROUND)
    expect(started).toMatchObject({
      status: 202,
      headers: {
        location: expect.stringMatching(/^\/api\/operations\/op_/),
        'retry-after': '5',
        'preference-applied': 'respond-async',
      },
      body: { operation_id: expect.stringMatching(/^op_/), status: 'pending' },
    })
    const ended = await finish(started.headers['location'])
    expect(ended).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: { status: 'completed', function: 'reports.build', result: { pages: 3 } },
    })
    expect(ended.headers['retry-after']).toBeUndefined()
  })

  it('tells of a failure as how the operation stands', async () => {
    const started = await ask('POST /api/reports.build', { fail: true }, BACKGROUND)
    expect((await finish(started.headers['location'])).body).toMatchObject({
      status: 'failed',
      errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report' }],
    })
  })

  it('is refused like any other before it is accepted', async () => {
    const refused = await ask('POST /api/reports.build', { pags: 3 }, BACKGROUND)
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENTS' } })
  })

  it('needs no wish where the function always runs so', async () => {
    const started = await ask('POST /api/reports/2030', {})
    expect(started.status).toBe(202)
    expect((await finish(started.headers['location'])).body.result).toEqual({ year: 2030 })
  })

  it('never is where the function never runs so', async () => {
    expect(await ask('POST /api/reports.now', {}, BACKGROUND)).toMatchObject({
      status: 200,
      body: 'now',
    })
  })

  it('is cancelled with DELETE, once', async () => {
    const { headers } = await ask('POST /api/reports.slow', {}, { prefer: 'wait=5, respond-async' })
    const location = String(headers['location'])
    const open = await ask(`GET ${location}`)
    expect(open).toMatchObject({ status: 200, headers: { 'retry-after': '1' } })
    expect(await ask(`DELETE ${location}`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    })
    expect(await ask(`DELETE ${location}`)).toMatchObject({
      status: 400,
      body: { code: 'ASYNC_CANNOT_CANCEL' },
    })
    expect((await ask(`GET ${location}`)).body.status).toBe('cancelled')
  })

  it('is listed to its caller alone', async () => {
    const { headers } = await ask('POST /api/reports.build', {}, { ...BACKGROUND, 'x-user': 'bob' })
    const list = await ask('GET /api/operations?limit=1&function=reports.build', undefined, {
      'x-user': 'bob',
    })
    expect(list.body.operations).toHaveLength(1)
    const stranger = await ask(`GET ${headers['location']}`, undefined, { 'x-user': 'eve' })
    expect(stranger).toMatchObject({ status: 404, body: { code: 'ASYNC_OPERATION_NOT_FOUND' } })
    expect((await ask('GET /api/operations?limt=1')).status).toBe(400)
  })

  it('answers 405 and 404 where there is nothing to do', async () => {
    expect((await ask('POST /api/operations/op_1', {})).status).toBe(405)
    expect((await ask('GET /api/operations/op_1')).status).toBe(404)
    expect((await ask('GET /api/operations/op_1/more')).status).toBe(404)
  })

  it('takes the path of operations from functions', () => {
    const clash = {
      ...always,
      http: { method: 'GET', path: '/operations' } as const,
      readOnly: true as const,
      input: z.object({}),
    }
    expect(() => createApp(serviceOf([clash as never], { store }), { surfaces: [rest()] })).toThrow(
      '/operations is served already',
    )
  })
})
