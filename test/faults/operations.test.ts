import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Entry, openStore, type Store } from '../../src/entries/store.ts'
import { type BuiltWorker, buildWorker } from './built-worker.ts'
import { type LedgerProcesses, startLedger } from './operations-processes.ts'
import {
  canStartPostgres,
  canStartRedis,
  type PrivateServer,
  startPostgres,
  startRedis,
} from './store-servers.ts'

// `npm run test:faults` asks for 10,000; the ordinary run is short.
const FULL = process.env['WAYMARK_FAULTS'] === 'full'
const OPERATIONS = FULL ? 10_000 : 300
/** About how many operations there are between two faults. */
const EVERY = FULL ? 100 : 20
const PROCESSES = 3
const CALLERS = 24
const ACCOUNTS = 40
// Generous: on a machine that is busy with other tests, starting a process alone takes half a minute.
const TIME_LIMIT = 300_000 + OPERATIONS * 200
const CALL_LIMIT = 180_000
const TIDY_LIMIT = 60_000

// The short run mostly waits, for what the killed leave behind to end: both servers at a time.
describe('operations', { concurrent: !FULL }, () => {
  let worker: BuiltWorker
  beforeAll(async () => {
    worker = await buildWorker('operations-worker')
  }, 120_000)
  afterAll(() => worker.remove())
  const file = () => worker.file

  describe.skipIf(!canStartRedis())('on Redis (append only, synced before each answer)', () => {
    runCase('redis', startRedis, file)
  })
  describe('on SQLite, a file that the processes share', () => {
    runCase('sqlite', openFile, file)
  })
  describe.skipIf(!canStartPostgres())('on PostgreSQL', () => {
    runCase('postgres', startPostgres, file)
  })
})

function runCase(kind: string, start: () => Promise<Restarted>, worker: () => string): void {
  const title = `end exactly once, ${OPERATIONS} of them, while processes are killed and the server restarts`
  it(title, { timeout: TIME_LIMIT }, async ({ expect }) => {
    const server = await start()
    const ledger = await startLedger(worker(), server.url, PROCESSES)
    const store = await openStore(server.url)
    try {
      const progress = { done: 0 }
      const ended = new AbortController()
      const faults = causeFaults({ ledger, server, progress, ended: ended.signal })
      const failures = await callAll(ledger, progress)
      ended.abort()
      const { restarts } = await faults
      await untilTidied(store)
      const found = await judge(store, ledger)
      const kills = ledger.killed.size
      process.stdout.write(
        `${kind.padEnd(9)} operations ${OPERATIONS}  kills ${kills}  server restarts ${restarts}` +
          `  duplicates ${found.duplicates.length}  lost ${failures.length}` +
          `  (runs ${found.runs}, two holders ${found.intruders.length}, open ${found.open})\n`,
      )
      expect({ ...found, failures }).toMatchObject({ duplicates: [], intruders: [], failures: [] })
      expect(found.effects).toBe(OPERATIONS)
      expect(found.open).toBe(0)
      expect([restarts, kills > 1]).toEqual([1, true])
      expect(ledger.died).toEqual([])
    } finally {
      await store.close()
      await ledger.stop()
      await server.stop()
    }
  })
}

/** What is taken away in the middle and comes back. */
type Restarted = Omit<PrivateServer, 'freeze'>

/** A file in place of a server: while the server would be away, somebody holds its write lock. */
async function openFile(): Promise<Restarted> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-operations-'))
  const path = join(folder, 'state.db')
  let holder: InstanceType<typeof Database> | undefined
  return {
    url: `sqlite:${path}`,
    async kill() {
      holder = new Database(path, { timeout: 20_000 })
      holder.exec('BEGIN IMMEDIATE')
    },
    async start() {
      holder?.exec('ROLLBACK')
      holder?.close()
    },
    async stop() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Faults {
  readonly ledger: LedgerProcesses
  readonly server: Restarted
  readonly progress: { readonly done: number }
  readonly ended: AbortSignal
}

/**
 * Kills a process after every so many operations, and the server once, when a third of the work is done. Not by the
 * clock: a slow server would then spend its time waiting for the leases of the dead, and the more so the slower it is.
 */
async function causeFaults({ ledger, server, progress, ended }: Faults) {
  let restarts = 0
  for (let next = EVERY; !ended.aborted; ) {
    await sleep(50)
    if (ended.aborted || progress.done < next) continue
    next = progress.done + EVERY / 2 + Math.random() * EVERY
    if (restarts === 0 && progress.done > OPERATIONS / 3) {
      await server.kill()
      await sleep(500)
      await server.start()
      restarts++
    } else await ledger.crash()
  }
  return { restarts }
}

/** Makes every call, follows each to its end and answers those that never came to a good one. */
async function callAll(ledger: LedgerProcesses, progress: { done: number }) {
  const failures: string[] = []
  let next = 0
  async function caller(): Promise<void> {
    while (next < OPERATIONS) {
      const index = next++
      const failure = await callOnce(ledger, index)
      if (failure === undefined) progress.done++
      else failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return failures
}

const PASSING = /^(CLIENT_|UNAVAILABLE|IDEMPOTENCY_PROCESSING|INTERNAL_ERROR|DEADLINE_EXCEEDED)/

async function callOnce(ledger: LedgerProcesses, index: number): Promise<string | undefined> {
  const key = `key-${index}`
  const account = `account-${index % ACCOUNTS}`
  const lock = {
    urn: 'urn:forrst:ext:atomic-lock',
    options: {
      key: account,
      scope: 'global',
      ttl: { value: 5, unit: 'second' },
      block: { value: 2, unit: 'minute' },
    },
  }
  const end = performance.now() + CALL_LIMIT
  let last = 'never accepted'
  while (performance.now() < end) {
    try {
      const options = { idempotencyKey: key, extensions: [lock] }
      const { id } = await ledger.pick().start('ledger.write', { account, key }, options)
      // Without an id the answer was there already: an earlier attempt under the key has ended.
      const outcome = id === undefined ? 'completed' : await follow(ledger, id, end)
      if (outcome === 'completed') return undefined
      last = outcome
    } catch (thrown) {
      last = (thrown as { code?: string }).code ?? String(thrown)
    }
    if (!PASSING.test(last)) break
    await sleep(100)
  }
  return `${key}: ${last}`
}

/** Asks any of the processes until one knows the end. */
async function follow(ledger: LedgerProcesses, id: string, end: number): Promise<string> {
  while (performance.now() < end) {
    const outcome = await ledger.pick().operation(id).result({ pollMs: 150 })
    if (outcome.ok) return 'completed'
    const { code } = outcome.error
    if (!code.startsWith('CLIENT_')) return code
    await sleep(100)
  }
  return 'no end'
}

/** Waits for the living to tidy up after a process that was killed between an end and the note of it. */
async function untilTidied(store: Store): Promise<void> {
  const end = performance.now() + TIDY_LIMIT
  do await sleep(1000)
  while ((await count(store, 'operation-call:')) > 0 && performance.now() < end)
}

/** Reads what the store knows when everything is over. */
async function judge(store: Store, { killed, left }: LedgerProcesses) {
  const completed = new Map<string, string>()
  for await (const { value } of list(store, 'operation:')) {
    const { status, request, id, accepted, ended } = value as Record<string, string>
    const facts = `${id} of ${request}, accepted ${accepted}, ended ${ended}`
    if (status === 'completed') completed.set(request ?? '', facts)
  }
  const ends = new Map<string, string[]>()
  let runs = 0
  for await (const { key } of list(store, 'run:')) {
    const [, name = '', request = ''] = key.split(':')
    runs++
    const end = completed.get(request)
    if (end !== undefined) ends.set(name, [...(ends.get(name) ?? []), end])
  }
  const intruders: string[] = []
  for await (const { key, value } of list(store, 'conflict:')) {
    const { other } = value as { other: { boot: string; token: number } }
    if (!killed.has(other.boot) && !left.has(other.token)) intruders.push(`${key} ${other.boot}`)
  }
  return {
    runs,
    duplicates: [...ends]
      .filter(([, found]) => found.length > 1)
      .map(([name, found]) => `${name}: ${found.join('; ')}`),
    intruders,
    effects: await count(store, 'effect:'),
    open: await count(store, 'operation-call:'),
  }
}

async function* list(store: Store, prefix: string): AsyncGenerator<Entry> {
  let cursor: string | undefined
  do {
    const page = await store.listByPrefix(prefix, {
      limit: 1000,
      ...(cursor !== undefined && { cursor }),
    })
    yield* page.entries
    cursor = page.cursor
  } while (cursor !== undefined)
}

async function count(store: Store, prefix: string): Promise<number> {
  let found = 0
  for await (const _ of list(store, prefix)) found++
  return found
}
