import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { prepareBackends } from '../../test/faults/store-backends.ts'
import { fc } from '../../test/support/property.ts'
import { createMemoryStore, createSqliteStore, type Store } from '../entries/store.ts'
import type { Json } from '../values/json.ts'

type Step =
  | { readonly do: 'get' | 'delete'; readonly key: string }
  | {
      readonly do: 'put' | 'putIfAbsent'
      readonly key: string
      readonly value: Json
      readonly ttl: number | null
      readonly owner: string | null
    }
  | {
      readonly do: 'compareAndSet'
      readonly key: string
      readonly value: Json
      readonly ttl: number | null | 'keep'
      readonly stale: boolean
    }
  | { readonly do: 'deleteIfOwner'; readonly key: string; readonly owner: string }
  | {
      readonly do: 'increment'
      readonly key: string
      readonly by: number
      readonly ttl: number | null
    }
  | { readonly do: 'list'; readonly prefix: string; readonly limit: number }
  | { readonly do: 'pass'; readonly milliseconds: number }

const key = fc.constantFrom('a', 'a:1', 'a:2', 'a%', 'b', '😀', '\uffff')
const value = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom('x', null, true, { n: [1] }),
)
const owner = fc.constantFrom(null, 'me', 'you')
const ttl = fc.constantFrom(null, 100, 1000)

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('get' as const, 'delete' as const), key }),
  fc.record({
    do: fc.constantFrom('put' as const, 'putIfAbsent' as const),
    key,
    value,
    ttl,
    owner,
  }),
  fc.record({
    do: fc.constant('compareAndSet' as const),
    key,
    value,
    ttl: fc.oneof(ttl, fc.constant('keep' as const)),
    stale: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('deleteIfOwner' as const),
    key,
    owner: fc.constantFrom('me', 'you'),
  }),
  fc.record({
    do: fc.constant('increment' as const),
    key,
    by: fc.integer({ min: -3, max: 3 }),
    ttl,
  }),
  fc.record({
    do: fc.constant('list' as const),
    prefix: fc.constantFrom('', 'a', 'a:', 'a%', 'c'),
    limit: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ do: fc.constant('pass' as const), milliseconds: fc.constantFrom(1, 60, 500) }),
)

interface Known {
  readonly value: Json
  readonly owner: string | null
  readonly ends: number
  readonly revision: number
}

/** A store as one would explain it: a map, and a clock that only moves when told. */
function createModel() {
  const entries = new Map<string, Known>()
  const used = new Map<string, Set<number>>()
  let now = 0

  function find(name: string): Known | undefined {
    const known = entries.get(name)
    return known && known.ends > now ? known : undefined
  }

  return {
    find,
    pass(milliseconds: number): void {
      now += milliseconds
    },
    ends: (time: number | null) => (time === null ? Number.POSITIVE_INFINITY : now + time),
    left: (ends: number) => (ends === Number.POSITIVE_INFINITY ? null : ends - now),
    set(name: string, known: Known): void {
      const revisions = used.get(name) ?? new Set()
      expect(revisions.has(known.revision), 'a revision came back').toBe(false)
      used.set(name, revisions.add(known.revision))
      entries.set(name, known)
    },
    remove: (name: string) => void entries.delete(name),
    list: (prefix: string) =>
      [...entries.keys()]
        .filter((name) => name.startsWith(prefix) && find(name))
        .sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  }
}

interface Subject {
  readonly store: Store
  /** Starts every key; a store that cannot be emptied gets another one for each run. */
  readonly prefix: string
  /** Moves the store's clock; a store on a server's clock is only given times that do not matter. */
  readonly pass?: (milliseconds: number) => void
}

/** Does the steps on a store and on the model, and compares every answer. */
async function compare({ store, prefix, pass }: Subject, steps: readonly Step[]): Promise<void> {
  const model = createModel()
  const scale = pass ? 1 : 100_000

  function expected(name: string) {
    const known = model.find(name)
    if (!known) return undefined
    const { value, owner, revision, ends } = known
    const exact = model.left(ends)
    const left = exact === null || pass ? exact : expect.any(Number)
    return { key: prefix + name, value, owner, revision, ttl: left }
  }

  for (const action of steps) {
    if (action.do === 'pass') {
      if (pass) model.pass(action.milliseconds)
      pass?.(action.milliseconds)
    } else if (action.do === 'list') {
      const names = model.list(action.prefix)
      const page = await store.listByPrefix(prefix + action.prefix, { limit: action.limit })
      expect(page.entries).toEqual(names.slice(0, action.limit).map(expected))
      expect(page.cursor !== undefined).toBe(names.length > action.limit)
    } else await compareOne(action)
  }

  async function compareOne(action: Exclude<Step, { do: 'pass' | 'list' }>): Promise<void> {
    const name = action.key
    const full = prefix + name
    const before = model.find(name)
    switch (action.do) {
      case 'get':
        expect(await store.get(full)).toEqual(expected(name))
        return
      case 'delete':
        expect(await store.delete(full)).toBe(before !== undefined)
        model.remove(name)
        return
      case 'deleteIfOwner': {
        const answer = await store.deleteIfOwner(full, action.owner)
        const own = before?.owner === action.owner
        expect(answer).toBe(before ? (own ? 'deleted' : 'foreign') : 'absent')
        if (own) model.remove(name)
        return
      }
      case 'put':
      case 'putIfAbsent': {
        const time = action.ttl === null ? null : action.ttl * scale
        const options = { ttl: time, ...(action.owner !== null && { owner: action.owner }) }
        const { value, owner } = action
        if (action.do === 'put') {
          const { revision } = await store.put(full, value, options)
          model.set(name, { value, owner, revision, ends: model.ends(time) })
          return
        }
        const answer = await store.putIfAbsent(full, value, options)
        expect(answer.created).toBe(before === undefined)
        if (answer.created) {
          model.set(name, { value, owner, revision: answer.revision, ends: model.ends(time) })
        } else expect(answer.entry).toEqual(expected(name))
        return
      }
      case 'compareAndSet': {
        const time = typeof action.ttl === 'number' ? action.ttl * scale : action.ttl
        const revision = (before?.revision ?? 1) + (action.stale ? 1_000_000 : 0)
        const answer = await store.compareAndSet(full, action.value, { revision, ttl: time })
        expect(answer.swapped).toBe(before !== undefined && !action.stale)
        if (answer.swapped && before) {
          const ends = time === 'keep' ? before.ends : model.ends(time)
          const { owner } = before
          model.set(name, { value: action.value, owner, revision: answer.revision, ends })
        } else if (!answer.swapped) expect(answer.entry).toEqual(expected(name))
        return
      }
      case 'increment': {
        const time = action.ttl === null ? null : action.ttl * scale
        const counting = store.increment(full, { by: action.by, ttl: time })
        if (before && !Number.isInteger(before.value)) {
          await expect(counting).rejects.toMatchObject({ code: 'CONFLICT' })
          return
        }
        const count = await counting
        const value = Number(before?.value ?? 0) + action.by
        const ends = before?.ends ?? model.ends(time)
        model.set(name, { value, owner: before?.owner ?? null, revision: count.revision, ends })
        const { revision } = count
        expect(count).toEqual({ value, revision, ttl: expected(name)?.ttl ?? null })
      }
    }
  }
}

const steps = fc.array(step, { minLength: 1, maxLength: 60, size: 'max' })

describe('a store answers like a map with a clock', () => {
  it('in memory', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        let elapsed = 0
        const store = createMemoryStore({ clock: { elapsed: () => elapsed } })
        const pass = (milliseconds: number): void => {
          elapsed += milliseconds
        }
        await compare({ store, prefix: '', pass }, sequence)
        await store.close()
      }),
      { numRuns: 200 },
    )
  })

  it('in SQLite', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        let uptime = 0
        const clock = { boot: 'one', uptime: () => uptime, now: () => 1_700_000_000_000 }
        const store = await createSqliteStore(':memory:', { clock })
        const pass = (milliseconds: number): void => {
          uptime += milliseconds
        }
        await compare({ store, prefix: '', pass }, sequence)
        await store.close()
      }),
      { numRuns: 40 },
    )
  })
})

for (const backend of await prepareBackends(['redis', 'postgres'])) {
  describe.skipIf('missing' in backend)('a store answers like a map', () => {
    if ('missing' in backend) {
      it.skip(`in ${backend.name} (no server and no binary to start one)`, () => {})
      return
    }
    afterAll(() => backend.cleanUp())

    it(`in ${backend.name}`, async () => {
      const store = await backend.open()
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const prefix = `${randomBytes(6).toString('hex')}:`
          await compare({ store, prefix }, sequence)
        }),
        { numRuns: 30 },
      )
      await store.close()
    })
  })
}
