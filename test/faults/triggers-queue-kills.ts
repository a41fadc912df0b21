import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import { OPEN_QUEUE, type TestQueue } from '../support/brokers.ts'
import { waitUntil } from '../support/trigger-source.ts'
import { findRedis } from './store-servers.ts'
import type { QueueWorkerOptions } from './triggers-queue-worker.ts'

const IS_FULL = process.env['WAYMARK_FAULTS'] === 'full'
const MESSAGES = IS_FULL ? 10_000 : 300
const KILLS = IS_FULL ? 5 : 1
const PROCESSES = 2

/** How long a run may take, in milliseconds. */
export const KILLS_LIMIT_MS: number = IS_FULL ? 600_000 : 120_000

/**
 * Sends messages to a queue, some of them twice, kills the processes that receive them, and counts effects: each once,
 * none lost. Deliveries are kept in Redis, where effects are counted too, or in a SQLite file that the processes share.
 * Answers false where the broker or Redis is missing.
 */
export async function runQueueKills(
  kind: TestQueue['kind'],
  store: 'redis' | 'sqlite' = 'redis',
): Promise<boolean> {
  const redis = await findRedis()
  const queue = await OPEN_QUEUE[kind]({ prefetch: 20, takeOverAfter: 5 })
  if (!redis || !queue) return false
  const counter = new Redis(redis.url)
  const effects = `waymark-test-${randomUUID()}`
  const workers: ChildProcess[] = []
  const folder = mkdtempSync(join(tmpdir(), 'waymark-kills-'))
  const worker = {
    queueUrl: queue.url,
    storeUrl: store === 'redis' ? redis.url : `sqlite:${join(folder, 'kills.db')}`,
    counterUrl: redis.url,
    namespace: effects,
    effects,
  }
  const count = () => counter.llen(`${effects}:list`)
  try {
    for (let index = 0; index < PROCESSES; index += 1) workers.push(await start(worker, queue))
    const ids = Array.from({ length: MESSAGES }, (_, index) => `order-${index}`)
    const messages = ids.map((id) => ({ id, body: JSON.stringify({ id }) }))
    const copies = messages.filter((_, index) => index % 20 === 0)
    await queue.send([...messages, ...copies])
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const part = (MESSAGES / (KILLS + 1)) * kill
      await waitUntil(async () => (await count()) >= part, `${part} are done`, KILLS_LIMIT_MS)
      const victim = workers.shift()
      victim?.kill('SIGKILL')
      workers.push(await start(worker, queue))
    }
    const isOver = async () => (await count()) >= MESSAGES && (await queue.left()) === 0
    await waitUntil(isOver, 'the queue is empty', KILLS_LIMIT_MS)
    await report(counter, effects, ids)
    return true
  } finally {
    for (const child of workers) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
    await cleanUp(counter, effects)
    await queue.close()
    await redis.stop()
  }
}

async function report(counter: Redis, effects: string, ids: readonly string[]): Promise<void> {
  const done = await counter.lrange(`${effects}:list`, 0, -1)
  const runs = Number(await counter.get(`${effects}:runs`))
  const distinct = new Set(done)
  const lost = ids.filter((id) => !distinct.has(id)).length
  const duplicates = done.length - distinct.size
  process.stdout.write(
    `messages ${ids.length} kills ${KILLS} duplicates ${duplicates} lost ${lost} (runs repeated after a kill: ${runs - ids.length})\n`,
  )
  expect({ duplicates, lost }).toEqual({ duplicates: 0, lost: 0 })
  // Only what was running at a kill may run again; copies never do.
  expect(runs - ids.length).toBeLessThanOrEqual(KILLS * 20)
}

async function start(options: QueueWorkerOptions, queue: TestQueue): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('triggers-queue-worker.ts', import.meta.url))
  const child = fork(file, [JSON.stringify(options)], {
    execArgv: ['--conditions=waymark-source', '--import', 'tsx'],
    env: { ...process.env, ...queue.env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}

async function cleanUp(counter: Redis, effects: string): Promise<void> {
  for await (const keys of counter.scanStream({ match: `${effects}*`, count: 1000 })) {
    if (keys.length > 0) await counter.unlink(...keys)
  }
  counter.disconnect()
}
