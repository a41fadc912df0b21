import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, vi } from 'vitest'
import {
  createMemoryStore,
  createSqliteStore,
  type MachineClock,
  type Store,
} from '../entries/store.ts'

const HOUR = 3_600_000
const folder = mkdtempSync(join(tmpdir(), 'waymark-clock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A machine whose wall clock can be set and which can be started anew. */
function createMachine() {
  const state = { boot: 'first', uptime: 1000, wall: 1_700_000_000_000 }
  return {
    pass(milliseconds: number): void {
      state.uptime += milliseconds
      state.wall += milliseconds
    },
    setWall(milliseconds: number): void {
      state.wall += milliseconds
    },
    reboot(downtime: number): void {
      state.boot = `${state.boot}+`
      state.uptime = 5
      state.wall += downtime
    },
    /** The clock as a process started now reads it. */
    clock: (): MachineClock => ({
      boot: state.boot,
      uptime: () => state.uptime,
      now: () => state.wall,
    }),
  }
}

describe('expiry in a SQLite file', () => {
  async function openMachine(name: string) {
    const machine = createMachine()
    const path = join(folder, `${name}.db`)
    const open = (): Promise<Store> => createSqliteStore(path, { clock: machine.clock() })
    return { machine, open }
  }

  it('does not free a lock early or late when the wall clock jumps an hour', async () => {
    const { machine, open } = await openMachine('jump')
    const holder = await open()
    await holder.put('lock', 1, { ttl: 60_000, owner: 'me' })
    machine.setWall(HOUR)
    const other = await open()
    expect((await other.putIfAbsent('lock', 2, { ttl: 60_000 })).created).toBe(false)
    machine.setWall(-3 * HOUR)
    const third = await open()
    machine.pass(59_999)
    for (const store of [holder, other, third]) {
      expect((await store.putIfAbsent('lock', 2, { ttl: 60_000 })).created).toBe(false)
    }
    machine.pass(1)
    for (const store of [holder, other, third]) expect(await store.get('lock')).toBeUndefined()
    for (const store of [holder, other, third]) await store.close()
  })

  it('goes on counting over a restart of the process', async () => {
    const { machine, open } = await openMachine('restart')
    const first = await open()
    await first.put('a', 1, { ttl: 1000 })
    await first.close()
    machine.pass(400)
    const second = await open()
    expect(await second.get('a')).toMatchObject({ ttl: 600 })
    machine.pass(600)
    expect(await second.get('a')).toBeUndefined()
    await second.close()
  })

  it('counts the time the machine was off, and never goes back', async () => {
    const { machine, open } = await openMachine('reboot')
    const first = await open()
    await first.put('short', 1, { ttl: 60_000 })
    await first.put('long', 1, { ttl: 10 * HOUR })
    await first.close()
    machine.reboot(HOUR)
    const second = await open()
    expect(await second.get('short')).toBeUndefined()
    expect(await second.get('long')).toMatchObject({ ttl: 9 * HOUR })
    await second.close()
    machine.reboot(-5 * HOUR)
    const third = await open()
    expect(await third.get('long')).toMatchObject({ ttl: 9 * HOUR })
    await third.close()
  })
})

describe('expiry in memory', () => {
  it('does not look at the wall clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const store = createMemoryStore()
      await store.put('lock', 1, { ttl: 60_000 })
      vi.setSystemTime(Date.now() + HOUR)
      expect(await store.get('lock')).toBeDefined()
      await store.close()
    } finally {
      vi.useRealTimers()
    }
  })
})
