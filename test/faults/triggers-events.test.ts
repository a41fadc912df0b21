import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openBusPlace } from '../support/event-buses.ts'

const WORKER = fileURLToPath(new URL('triggers-events-worker.ts', import.meta.url))

let folder: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-triggers-'))
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  rmSync(folder, { recursive: true, force: true })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Starts a process with triggers and waits for its first word. */
async function startProcess(
  env: Readonly<Record<string, string>> = {},
  word = 'ready',
): Promise<ChildProcess> {
  const child = fork(WORKER, {
    execArgv: ['--conditions=waymark-source', '--import', 'tsx'],
    env: {
      ...process.env,
      STORE: `sqlite:${join(folder, 'state.db')}`,
      RUNS: join(folder, 'runs.txt'),
      ...env,
    },
  })
  children.push(child)
  const [message] = await once(child, 'message')
  expect(message).toBe(word)
  return child
}

function readRuns(): readonly string[] {
  const file = join(folder, 'runs.txt')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

const soon = (check: () => void) => vi.waitFor(check, { timeout: 25_000, interval: 50 })

describe('a schedule in several processes', () => {
  it('fires once per tick', async () => {
    const waits = { WAITS: '1' }
    const both = await Promise.all([startProcess(waits, 'loaded'), startProcess(waits, 'loaded')])
    // Both clocks stand shortly before a minute.
    const shift = Date.parse('2027-01-01T11:59:56Z') - Date.now()
    for (const child of both) child.send(shift)
    await soon(() => expect(readRuns()).toEqual(['minutely@2027-01-01T12:00:00.000Z']))
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(readRuns()).toHaveLength(1)
  }, 60_000)
})

describe.each(['nats', 'redis'] as const)('events over %s', (kind) => {
  it('run once each although the process that received them is killed before it acknowledges', async (context) => {
    const place = await openBusPlace(kind)
    if (place === undefined) return context.skip(`${kind} is not installed`)
    const env = { BUS: place.url, NAMESPACE: place.namespace }
    try {
      const doomed = await startProcess({ ...env, HANG: '1' })
      const bus = await place.open()
      const ids = Array.from({ length: 20 }, (_, index) => `e${index}`)
      const held = once(doomed, 'message')
      // Each is emitted twice, as by a handler that was tried again.
      for (const id of [...ids, ...ids]) await bus.emit('runs.made', { id }, { id })
      expect((await held)[0]).toBe('holding')
      await kill(doomed)
      expect(readRuns()).toEqual([])
      await startProcess(env)
      await soon(() => expect([...readRuns()].sort()).toEqual([...ids].sort()))
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      expect(readRuns()).toHaveLength(ids.length)
    } finally {
      await Promise.all(children.splice(0).map(kill))
      await place.close()
    }
  }, 60_000)
})

describe('SIGTERM', () => {
  it('ends a process with triggers cleanly', async () => {
    const child = await startProcess()
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }, 30_000)
})
