import { describe, expect, it, onTestFinished } from 'vitest'
import { parseOverload } from '../../src/cli/serve/overload.ts'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { createTriggers } from '../../src/entries/triggers.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type App, type AppOptions, createApp } from '../../src/http/app.ts'
import { createOverload, type Load, type OverloadOptions } from '../../src/http/overload.ts'
import { overload } from '../../src/http/overload-guard.ts'
import { serve } from '../../src/http/serve.ts'
import { toRequest } from '../support/forrst.ts'
import { sendRaw } from '../support/raw-http.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

function burn(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** A function whose calls end when the test says so. */
function createHanging() {
  const ends: (() => void)[] = []
  const hang = defineFunction({
    name: 'tests.hang',
    version: '1.0.0',
    handler: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))),
  })
  const end = () => {
    for (const finish of ends.splice(0)) finish()
  }
  return { hang, end }
}

const busy = defineFunction({
  name: 'tests.busy',
  version: '1.0.0',
  handler() {
    burn(10)
    return 'done'
  },
})

async function listen(
  limits: OverloadOptions | false,
  functions: readonly FunctionDefinition[] = [busy],
) {
  const server = await serve(serviceOf(functions), {
    port: 0,
    overload: limits && overload(limits),
  })
  onTestFinished(() => server.close())
  const post = (name: string) =>
    fetch(`${server.url}/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  return { server, post }
}

const ask = async (app: App, path: string, document: unknown = {}) => {
  const headers = { host: 'localhost', accept: 'application/json, text/event-stream' }
  const response = await app.handle(toRequest(document, { path, headers }))
  return { ...response, json: JSON.parse(String(response.body)) as Record<string, unknown> }
}

describe('as reported', () => {
  it('refuses with 503 and Retry-After what would wait too long, and does the rest', async () => {
    const { post } = await listen({ maxWaitMs: 100, retryAfterSeconds: 3 })
    const answers = await Promise.all(Array.from({ length: 200 }, () => post('tests.busy')))
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200 - refused.length)
    expect(refused.length).toBeLessThan(200)
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('3')
  })

  it('refuses at once what cannot have its turn in time, by the pace of those before it', async () => {
    const turns = createOverload({ maxWaitMs: 500, maxInFlight: 10_000 })
    const answers: (string | Promise<string>)[] = []
    let calls = 0
    let load: Load | undefined
    const run = (count: number) => {
      for (let sent = 0; sent < count; sent += 1) answers.push(turns.run(work, () => 'refused'))
    }
    const work = () => {
      burn(5)
      calls += 1
      if (calls === 10) {
        run(1_000)
        load = turns.load()
      }
      return 'done'
    }
    run(30)
    await expect.poll(() => load, { timeout: 10_000 }).toBeDefined()
    // No call takes less than 5 ms, so that no more than a hundred can have their turn.
    expect(load?.waiting).toBeLessThanOrEqual(101)
    expect(load?.refused).toBeGreaterThanOrEqual(919)
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['done', 'refused']))
  }, 20_000)

  it('answers a probe before the calls that came earlier are done', async () => {
    const { server, post } = await listen({ maxWaitMs: 60_000 })
    let done = 0
    const calls = Array.from({ length: 40 }, async () => {
      await post('tests.busy')
      done += 1
    })
    const probe = await fetch(`${server.url}/health/live`)
    expect(probe.status).toBe(200)
    expect(done).toBeLessThan(40)
    await Promise.all(calls)
  })

  it('answers probes while every other request is refused', async () => {
    const { hang, end } = createHanging()
    const { server, post } = await listen({ maxInFlight: 1 }, [hang])
    const first = post('tests.hang')
    await expect.poll(async () => (await post('tests.hang')).status).toBe(503)
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    expect((await fetch(`${server.url}/explorer/`)).status).toBe(503)
    end()
    expect((await first).status).toBe(200)
  })
})

describe('beside it', () => {
  const createFull = () => {
    const { hang, end } = createHanging()
    const log = createTestLogger()
    const service = serviceOf([hang], { log })
    const triggers = createTriggers({
      service,
      triggers: [
        {
          type: 'webhook',
          name: 'told',
          description: 'Somebody tells',
          path: '/webhooks/told',
          tool: 'tests.hang',
        },
      ],
    })
    const app = createApp(service, {
      overload: overload({ maxInFlight: 1, retryAfterSeconds: 7 }),
      mounts: [...triggers.mounts, { path: '/own', match: 'exact', handler: () => OWN }],
      surfaces: allSurfaces({ explorer: { allowExecute: true } }),
    })
    const first = ask(app, '/api/tests.hang')
    return { app, end, first, log }
  }
  const OWN = { status: 200, headers: {}, body: '{}' }

  it.each([
    ['/forrst', { result: null, errors: [{ code: 'UNAVAILABLE' }] }],
    ['/api/tests.hang', { status: 503, code: 'UNAVAILABLE' }],
    ['/mcp', { jsonrpc: '2.0', error: { data: { errors: [{ code: 'UNAVAILABLE' }] } } }],
    ['/explorer/tools/tests.hang/call', { error: expect.stringContaining('overloaded') }],
    ['/webhooks/told', { status: 'refused', reason: 'unavailable' }],
    ['/own', { status: 503, title: 'Service Unavailable' }],
    ['/nowhere', { status: 503, title: 'Service Unavailable' }],
  ])('refuses in the form of the surface at %s', async (path, shape) => {
    const { app, end, first } = createFull()
    const answer = await ask(app, path)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '7' } })
    expect(answer.json).toMatchObject(shape)
    end()
    expect((await first).status).toBe(200)
  })

  it('says in the log that calls are refused, once for many of them', async () => {
    const { app, end, first, log } = createFull()
    for (let count = 0; count < 50; count += 1) await ask(app, '/api/tests.hang')
    expect(log.lines.filter(({ message }) => message.startsWith('calls are refused'))).toHaveLength(
      1,
    )
    expect(app.load?.()).toMatchObject({ running: 1, waiting: 0, refused: 50 })
    end()
    await first
  })

  it('takes calls again when one has ended', async () => {
    const { app, end, first } = createFull()
    expect((await ask(app, '/api/tests.hang')).status).toBe(503)
    end()
    await first
    const next = ask(app, '/api/tests.hang')
    await expect.poll(() => app.load?.().running).toBe(1)
    await new Promise((resolve) => setImmediate(resolve))
    end()
    expect((await next).status).toBe(200)
  })

  it('refuses before the body has come', async () => {
    const { hang, end } = createHanging()
    const { server, post } = await listen({ maxInFlight: 1 }, [hang])
    const first = post('tests.hang')
    await expect.poll(async () => (await post('tests.hang')).status).toBe(503)
    const head = 'POST /forrst HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n'
    expect((await sendRaw(server.port, head)).status).toBe(503)
    end()
    await first
  })

  it('refuses a waiting call when its time is over, though nothing else happens', async () => {
    const { hang, end } = createHanging()
    const app = createApp(serviceOf([hang]), {
      overload: overload({ maxWaitMs: 30 }),
      surfaces: allSurfaces(),
    })
    const calls = Array.from({ length: 65 }, () => ask(app, '/api/tests.hang'))
    expect(app.load?.()).toMatchObject({ running: 64, waiting: 1 })
    expect((await calls[64])?.status).toBe(503)
    end()
    const answers = await Promise.all(calls.slice(0, 64))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
  })

  it('runs what waits in the order in which it came', async () => {
    const order: number[] = []
    const note = defineFunction({
      name: 'tests.note',
      version: '1.0.0',
      input: { type: 'object', properties: { n: { type: 'integer' } } },
      handler({ input }) {
        burn(5)
        order.push((input as { readonly n: number }).n)
        return null
      },
    })
    const app = createApp(serviceOf([note]), {
      overload: overload({ maxWaitMs: 60_000 }),
      surfaces: allSurfaces(),
    })
    const numbers = Array.from({ length: 40 }, (_, n) => n)
    await Promise.all(numbers.map((n) => ask(app, '/api/tests.note', { n })))
    expect(order).toEqual(numbers)
  })

  it('lets fewer calls run at once while they keep the event loop busy after waiting', async () => {
    let most = 0
    let running = 0
    const later = defineFunction({
      name: 'tests.later',
      version: '1.0.0',
      async handler() {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        burn(5)
        running -= 1
        return null
      },
    })
    const guard = overload({ maxWaitMs: 60_000, maxEventLoopDelayMs: 15 })
    const app = createApp(serviceOf([later]), { overload: guard, surfaces: allSurfaces() })
    await Promise.all(Array.from({ length: 150 }, () => ask(app, '/api/tests.later')))
    expect(most).toBeLessThan(100)
    most = 0
    await Promise.all(Array.from({ length: 50 }, () => ask(app, '/api/tests.later')))
    expect(most).toBeLessThan(50)
  })

  it('is off in an app that does not ask for it', async () => {
    const { hang, end } = createHanging()
    const app = createApp(serviceOf([hang]), { surfaces: allSurfaces() })
    const calls = Array.from({ length: 1_100 }, () => ask(app, '/api/tests.hang'))
    expect(app.load).toBeUndefined()
    expect(app.refuseEarly).toBeUndefined()
    await new Promise((resolve) => setImmediate(resolve))
    end()
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true)
  })

  it.each([
    [{ maxInFlight: 0 }, 'maxInFlight'],
    [{ maxWaitMs: Number.NaN }, 'maxWaitMs'],
    [{ maxEventLoopDelayMs: 0 }, 'maxEventLoopDelayMs'],
    [{ retryAfterSeconds: -1 }, 'retryAfterSeconds'],
  ])('refuses the option %o', (limits, name) => {
    const options = { overload: overload(limits), surfaces: allSurfaces() }
    expect(() => createApp(serviceOf([busy]), options)).toThrow(name)
  })

  it('refuses limits where the guard stands', () => {
    const options: unknown = { overload: { maxInFlight: 1 }, surfaces: allSurfaces() }
    expect(() => createApp(serviceOf([busy]), options as AppOptions)).toThrow(
      'createApp: overload is made by overload(); write overload: overload({ … })',
    )
  })

  it('reads --overload', () => {
    expect(parseOverload(undefined)).toEqual({})
    expect(parseOverload('off')).toBe(false)
    expect(parseOverload('wait=2s,delay=50ms,in-flight=10')).toEqual({
      maxWaitMs: 2_000,
      maxEventLoopDelayMs: 50,
      maxInFlight: 10,
    })
    for (const text of ['on', 'wait', 'wait=5', 'in-flight=0', 'in-flight=x', 'wait=1s,']) {
      expect(() => parseOverload(text), text).toThrow('--overload')
    }
  })
})
