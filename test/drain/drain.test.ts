import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { serve } from '../../src/http/index.ts'
import type { Triggers } from '../../src/triggers/index.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'
import { startProgram, startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-drain-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

type Start = (pauseMs: number, graceMs: number) => Promise<WaymarkProcess>

const WAYS: readonly (readonly [string, Start])[] = [
  [
    'waymark serve',
    (pauseMs, graceMs) =>
      startWaymark([
        'test/drain/service.mjs',
        ...['--drain-pause', `${pauseMs}ms`, '--grace', `${graceMs}ms`],
      ]),
  ],
  [
    'serve() in code',
    (pauseMs, graceMs) =>
      startProgram([
        ...['--conditions=waymark-source', '--import', 'tsx'],
        ...['test/drain/in-code.mjs', String(pauseMs), String(graceMs)],
      ]),
  ],
]

async function start(way: Start, pauseMs: number, graceMs: number): Promise<WaymarkProcess> {
  const served = await way(pauseMs, graceMs)
  onTestFinished(() => void served.child.kill('SIGKILL'))
  return served
}

/** Begins a call that runs until it is released. */
async function beginCall({ url, errors }: WaymarkProcess) {
  files += 1
  const file = join(folder, String(files))
  const answer = fetch(`${url}/api/slow.wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ file }),
  })
  answer.catch(() => {})
  await expect.poll(errors, { timeout: 20_000 }).toContain('begun')
  return { answer, release: () => writeFileSync(file, '') }
}

describe.each(WAYS)('%s', (_name, way) => {
  it('says 503 to readiness first, closes connections after answers, and ends at once when asked twice', async () => {
    const served = await start(way, 600_000, 600_000)
    const { answer, release } = await beginCall(served)
    expect((await fetch(`${served.url}/health/ready`)).status).toBe(200)
    served.child.kill('SIGTERM')
    const ready = () => fetch(`${served.url}/health/ready`)
    await expect.poll(async () => (await ready()).status, { timeout: 20_000 }).toBe(503)
    expect((await ready()).headers.get('connection')).toBe('close')
    expect((await fetch(`${served.url}/health/live`)).status).toBe(200)
    release()
    const response = await answer
    expect([response.headers.get('connection'), await response.json()]).toEqual(['close', 'done'])
    served.child.kill('SIGTERM')
    expect(await served.ended).toBe(130)
  }, 60_000)

  it('lets a running call finish, takes no more connections, and ends with 0', async () => {
    const served = await start(way, 0, 600_000)
    const { answer, release } = await beginCall(served)
    served.child.kill('SIGTERM')
    const refused = () =>
      fetch(`${served.url}/health/live`).then(
        () => false,
        () => true,
      )
    await expect.poll(refused, { timeout: 20_000 }).toBe(true)
    release()
    expect(await (await answer).json()).toBe('done')
    expect(await served.ended).toBe(0)
  }, 60_000)

  it('cuts calls after the grace, logs how many, and ends with 4', async () => {
    const served = await start(way, 0, 1)
    const { answer } = await beginCall(served)
    served.child.kill('SIGINT')
    await expect(answer).rejects.toThrow()
    expect(await served.ended).toBe(4)
    expect(served.errors()).toMatch(/"level":"warn","message":"calls were cut[^\n]*"cutCalls":1/)
  }, 60_000)
})

describe('serve', () => {
  it('logs where it listens, and leaves log and signals alone when it does not own the process', async () => {
    const before = process.listenerCount('SIGTERM')
    const log = { ...createTestLogger(), info: (...line: unknown[]) => void lines.push(line) }
    const lines: unknown[] = []
    const own = await serve(serviceOf([], { log }), { port: 0 })
    const other = await serve(serviceOf([], { log }), { port: 0, ownsProcess: false })
    expect(lines).toEqual([['listening', { url: own.url, service: 'orders-api' }]])
    expect(process.listenerCount('SIGTERM')).toBe(before + 1)
    await Promise.all([own.close(), other.close()])
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })

  it('stops triggers while it still answers, and says what was cut', async () => {
    const seen: number[] = []
    const triggers: Pick<Triggers, 'mounts' | 'start' | 'stop'> = {
      mounts: [],
      start: async () => {},
      stop: async () => {
        for (const probe of ['live', 'ready']) {
          seen.push((await fetch(`${server.url}/health/${probe}`)).status)
        }
      },
    }
    const server = await serve(serviceOf([]), { port: 0, triggers: triggers as Triggers })
    expect(await server.drain()).toEqual({ cutCalls: 0 })
    expect(seen).toEqual([200, 503])
  })
})
