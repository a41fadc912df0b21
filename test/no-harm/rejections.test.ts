import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createSuspects } from '../../src/core/suspects.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { overload } from '../../src/http/overload-guard.ts'
import { toRequest } from '../support/forrst.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'

const SERVICE = 'test/no-harm/faulty-service.ts'

const call = async ({ url }: WaymarkProcess, name: string) => {
  const response = await fetch(`${url}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  return response.json() as Promise<unknown>
}

/** The lines of the log with some message. */
function linesOf({ errors }: WaymarkProcess, message: string): Record<string, unknown>[] {
  return errors()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(message))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const REJECTED = 'unhandled promise rejection'

describe('waymark serve whose log nobody reads any more', () => {
  it('goes on answering, and ends when it is asked to', async () => {
    const served = await startWaymark([SERVICE])
    try {
      served.child.stderr?.destroy()
      served.child.stdout?.destroy()
      expect(await call(served, 'tests.rejects')).toBe('left')
      expect(await call(served, 'tests.rejects')).toBe('left')
      expect(await call(served, 'tests.fine')).toBe('fine')
      served.child.kill('SIGTERM')
      expect(await served.ended).toBe(0)
    } finally {
      served.child.kill('SIGKILL')
    }
  })
})

describe('waymark serve', () => {
  let served: WaymarkProcess
  beforeAll(async () => {
    served = await startWaymark([SERVICE])
  }, 60_000)
  afterAll(() => served.stop())

  describe('as reported', () => {
    it('logs a rejection on the side with its function, counts it, and finishes calls', async () => {
      const slow = call(served, 'tests.slow')
      expect(await call(served, 'tests.rejects')).toBe('left')
      await expect.poll(() => linesOf(served, REJECTED), { timeout: 10_000 }).toHaveLength(1)
      const [line] = linesOf(served, REJECTED)
      expect(line).toMatchObject({ level: 'error', count: 1 })
      expect(line?.['function']).toContain('tests.rejects')
      expect(await slow).toBe('slow')
      expect(await call(served, 'tests.fine')).toBe('fine')
    })
  })

  describe('beside it', () => {
    it('names exactly one function from the second time on, also when the call has ended', async () => {
      const others = Array.from({ length: 5 }, () => call(served, 'tests.fine'))
      expect(await call(served, 'tests.rejects_later')).toBe('left')
      await Promise.all(others)
      await expect.poll(() => linesOf(served, REJECTED), { timeout: 10_000 }).toHaveLength(2)
      expect(linesOf(served, REJECTED)[1]).toMatchObject({
        function: 'tests.rejects_later',
        count: 2,
      })
    })

    it('logs a reason that has no text', async () => {
      expect(await call(served, 'tests.rejects_oddly')).toBe('left')
      await expect.poll(() => linesOf(served, REJECTED), { timeout: 10_000 }).toHaveLength(3)
      expect(linesOf(served, REJECTED)[2]).toMatchObject({ function: 'tests.rejects_oddly' })
    })

    it('knows the function though middleware left the promise behind', async () => {
      expect(await call(served, 'tests.in_middleware')).toBe('left')
      await expect.poll(() => linesOf(served, REJECTED), { timeout: 10_000 }).toHaveLength(4)
      expect(linesOf(served, REJECTED)[3]).toMatchObject({ function: 'tests.in_middleware' })
    })

    it('outlives a stream that fails after its reader left', async () => {
      const leave = new AbortController()
      const response = await fetch(`${served.url}/api/tests.streams`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: '{}',
        signal: leave.signal,
      })
      await response.body?.getReader().read()
      leave.abort()
      await expect.poll(() => linesOf(served, REJECTED), { timeout: 10_000 }).toHaveLength(5)
      expect(linesOf(served, REJECTED)[4]).toMatchObject({ function: 'tests.streams' })
      expect(await call(served, 'tests.fine')).toBe('fine')
    })

    it('names the function that a webhook or an event ran, and goes on', async () => {
      const before = linesOf(served, REJECTED).length
      const tell = () =>
        fetch(`${served.url}/webhooks/told`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        }).then((answer) => answer.json())
      const names = () =>
        linesOf(served, REJECTED)
          .slice(before)
          .map((line) => line['function'])
      expect(await tell()).toMatchObject({ status: 'done' })
      await expect.poll(names, { timeout: 10_000 }).toEqual(['tests.by_webhook'])
      expect(await call(served, 'tests.emits')).toBe('emitted')
      await expect.poll(names, { timeout: 10_000 }).toEqual(['tests.by_webhook', 'tests.by_event'])
      expect(await tell()).toMatchObject({ status: 'done' })
      await expect.poll(names, { timeout: 10_000 }).toHaveLength(3)
      expect(linesOf(served, REJECTED).at(-1)).toMatchObject({
        function: 'tests.by_webhook',
        count: before + 3,
      })
      expect(await call(served, 'tests.fine')).toBe('fine')
    })

    // The process is gone after it.
    it('stops after an exception that nobody caught: calls in flight finish, the exit code is not 0', async () => {
      const slow = call(served, 'tests.slow')
      expect(await call(served, 'tests.throws_in_timer')).toBe('left')
      expect(await slow).toBe('slow')
      expect(await served.ended).toBe(1)
      const [line] = linesOf(served, 'uncaught exception')
      expect(line).toMatchObject({ level: 'error' })
      expect(line?.['function']).toContain('tests.throws_in_timer')
      expect(JSON.stringify(line)).toContain('thrown in a timer')
    })
  })
})

describe('beside it', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('my own secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('my own secret'))],
    [
      'rejects late',
      async () => {
        await new Promise((resolve) => setImmediate(resolve))
        throw new Error('my own secret')
      },
    ],
  ] as const)('logs what a mount of the user %s, and tells nobody else', async (_, handler) => {
    const log = createTestLogger()
    const mounts = [{ path: '/own', match: 'prefix' as const, handler }]
    for (const guard of [false, overload()] as const) {
      const options = { mounts, overload: guard, surfaces: allSurfaces() }
      const app = createApp(serviceOf([], { log }), options)
      const request = toRequest({}, { path: '/own/page', headers: { host: 'localhost' } })
      const answer = await app.handle(request)
      expect(answer.status).toBe(500)
      expect(String(answer.body)).not.toContain('secret')
      expect(log.lines.at(-1)).toMatchObject({
        message: 'a request failed unexpectedly',
        facts: { path: '/own/page', error: expect.objectContaining({ message: 'my own secret' }) },
      })
    }
    expect(log.lines).toHaveLength(2)
  })

  it('answers though the logger throws', async () => {
    const broken = () => {
      throw new Error('the disk is full')
    }
    const fails = defineFunction({
      name: 'tests.fails',
      version: '1.0.0',
      handler() {
        throw new Error('unexpected')
      },
    })
    const service = serviceOf([fails], { log: { warn: broken, error: broken } })
    const app = createApp(service, { surfaces: allSurfaces({ explorer: { allowExecute: true } }) })
    const headers = { host: 'localhost' }
    for (const path of ['/api/tests.fails', '/explorer/tools/tests.fails/call']) {
      expect((await app.handle(toRequest({}, { path, headers }))).status, path).toBe(500)
    }
    const document = {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'one',
      call: { function: 'tests.fails', arguments: {} },
    }
    expect((await app.handle(toRequest(document, { headers }))).status).toBe(500)
  })

  it('installs nothing in the process of somebody who serves from code', () => {
    const before = process.listenerCount('unhandledRejection')
    createApp(serviceOf([]), { surfaces: allSurfaces() })
    expect(process.listenerCount('unhandledRejection')).toBe(before)
  })

  it('names what runs and what began last, the latest first', () => {
    const suspects = createSuspects()
    const [first, second] = [suspects.seat('a.first'), suspects.seat('b.second')]
    expect(suspects.accuse()).toEqual([])
    first.running = 1
    suspects.run(first, () => {}, undefined)
    for (let count = 0; count < 30; count += 1) suspects.run(second, () => {}, undefined)
    expect(suspects.accuse()).toEqual(['b.second', 'a.first'])
    first.running = 0
    expect(suspects.accuse()).toEqual(['b.second'])
    expect(suspects.run(first, () => suspects.accuse(), undefined)).toEqual(['a.first'])
  })
})
