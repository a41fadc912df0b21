import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMemoryStore, openStore, type Store } from '../../src/entries/store.ts'
import { CallError } from '../../src/errors/error.ts'
import { type BackendName, prepareBackends } from '../faults/store-backends.ts'

/** A store for a test, with what a test does to it. */
export interface TestStore {
  readonly store: Store
  /** Lets the time of the store pass. */
  readonly passTime: (milliseconds: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** The stores that every stateful extension is tested on, within one process. */
export const TEST_STORES: readonly (readonly [string, () => Promise<TestStore>])[] = [
  ['memory', openMemory],
  ['sqlite', openSqlite],
]

/** Those, and the servers that are there; every store is empty when it is opened and removed when it is closed. */
export async function listAllStores(): Promise<typeof TEST_STORES> {
  const found = await prepareBackends(['redis', 'postgres'])
  const servers = found.flatMap((backend) => ('missing' in backend ? [] : [backend]))
  await Promise.all(servers.map((server) => server.cleanUp()))
  return [
    ...TEST_STORES,
    ...servers.map(({ name }) => [name, () => openServer(name as BackendName)] as const),
  ]
}

async function openServer(name: BackendName): Promise<TestStore> {
  const [backend] = await prepareBackends([name])
  if (backend === undefined || 'missing' in backend) throw new Error(`${name} has gone`)
  const store = await backend.open()
  return {
    store,
    passTime: backend.passTime,
    async close() {
      await store.close()
      await backend.cleanUp()
    },
  }
}

async function openMemory(): Promise<TestStore> {
  let elapsed = 0
  const store = createMemoryStore({ clock: { elapsed: () => elapsed } })
  return {
    store,
    async passTime(milliseconds) {
      elapsed += milliseconds
    },
    close: () => store.close(),
  }
}

async function openSqlite(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-extensions-'))
  const store = await openStore(`sqlite:${join(folder, 'state.db')}`)
  return {
    store,
    // The clock of the machine cannot be moved; tests keep times short.
    passTime: (milliseconds) => sleep(milliseconds),
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A store that can be made to fail. */
export interface FailingStore {
  readonly store: Store
  /** From now on operations whose name is listed fail; all of them without a list, none after `false`. */
  readonly fail: (which: boolean | readonly string[]) => void
  /** Names of the operations that were asked for, in order. */
  readonly asked: string[]
}

/** Wraps a store so that it can go away and come back. */
export function createFailingStore(inner: Store = createMemoryStore()): FailingStore {
  let failing: boolean | readonly string[] = false
  const asked: string[] = []
  const isFailing = (name: string) =>
    typeof failing === 'boolean' ? failing : failing.includes(name)
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return async (...args: never[]) => {
        asked.push(name)
        if (isFailing(name)) {
          throw new CallError('UNAVAILABLE', { message: 'The test store is unavailable' })
        }
        return (member as (...args: never[]) => unknown).apply(target, args)
      }
    },
  })
  return {
    store,
    asked,
    fail(which) {
      failing = which
    },
  }
}
