import { afterEach, describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import type { Store } from '../../src/entries/store.ts'
import { CallError } from '../../src/errors/error.ts'
import type { AtomicLockExtensionOptions } from '../../src/extensions/lock/lock.ts'
import { createService, type ServiceOptions } from '../../src/system/create-service.ts'
import { call, dataOf, type TestResponse } from '../support/forrst.ts'
import { createTestLogger } from '../support/service.ts'
import { listAllStores, type TestStore } from '../support/stores.ts'

const URN = 'urn:forrst:ext:atomic-lock'
const FN = 'urn:cline:forrst:ext:atomic-lock:fn:'
const KEY = 'forrst_lock:payments.charge:k'
const HOLD = { key: 'k', ttl: { value: 30, unit: 'second' }, auto_release: false }

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Hooks = Pick<ServiceOptions<[]>, 'authenticate' | 'authorize'>

/** Callers say their name as the whole credential; without one nobody knows them. */
const KNOWN: Hooks = {
  authenticate: ({ header }) => {
    const id = header('authorization')
    return id === undefined ? undefined : { id }
  },
}

function setUp(store: Store, hooks: Hooks, lock: Omit<AtomicLockExtensionOptions, 'store'> = {}) {
  const service = createService({
    info: { title: 'Payments', version: '1.0.0' },
    functions: [
      defineFunction({ name: 'payments.charge', version: '1.0.0', handler: () => 'charged' }),
    ],
    store,
    stateful: { atomicLock: lock },
    log: createTestLogger(),
    ...hooks,
  })
  open.push(() => service.close())
  const headers = (who: string | undefined) => (who === undefined ? {} : { authorization: who })
  return {
    take: (who: string | undefined, more: object = {}) =>
      call(
        service,
        { function: 'payments.charge', extensions: [{ urn: URN, options: { ...HOLD, ...more } }] },
        { headers: headers(who) },
      ),
    manage: (who: string | undefined, name: string, more: object = {}) =>
      call(
        service,
        { function: `${FN}${name}`, version: '1.0.0', arguments: { key: KEY, ...more } },
        { headers: headers(who) },
      ),
  }
}

const codeOf = ({ body }: TestResponse) => body.errors?.[0].code ?? 'ok'

describe.each(await listAllStores())('locks on %s', (_name, openStore) => {
  const openTest = async (): Promise<TestStore> => {
    const opened = await openStore()
    open.push(() => opened.close())
    return opened
  }

  /** A lock that ada holds, with the owner token that everybody can read. */
  async function held(hooks: Hooks = KNOWN, lock: Omit<AtomicLockExtensionOptions, 'store'> = {}) {
    const locks = setUp((await openTest()).store, hooks, lock)
    await locks.take('ada')
    const { owner } = (await locks.manage('bob', 'status')).body.result as { owner: string }
    return { ...locks, owner }
  }

  describe('as reported', () => {
    it('the owner that status shows does not let another principal release', async () => {
      const { manage, owner } = await held()
      const refused = await manage('bob', 'release', { owner })
      expect(codeOf(refused)).toBe('LOCK_OWNERSHIP_MISMATCH')
      expect((await manage('bob', 'status')).body.result).toMatchObject({ locked: true, owner })
      expect(codeOf(await manage('ada', 'release', { owner }))).toBe('ok')
    })

    it('force-release needs an authorize hook where callers are authenticated', async () => {
      const { manage } = await held(KNOWN, { authorizeForceRelease: () => true })
      const refused = await manage('bob', 'force-release')
      expect(codeOf(refused)).toBe('FORBIDDEN')
      expect(refused.body.errors?.[0].message).toContain('authorize hook')
      expect((await manage('bob', 'status')).body.result).toMatchObject({ locked: true })
    })

    it('force-release is for those whom authorize lets', async () => {
      const hooks: Hooks = {
        ...KNOWN,
        authorize({ principal }, target) {
          if (target.name.endsWith(':force-release') && principal?.id !== 'admin') {
            throw new CallError('FORBIDDEN')
          }
        },
      }
      const { manage } = await held(hooks, { authorizeForceRelease: () => true })
      expect(codeOf(await manage('bob', 'force-release'))).toBe('FORBIDDEN')
      expect(codeOf(await manage('ada', 'force-release'))).toBe('FORBIDDEN')
      expect((await manage('admin', 'force-release')).body.result).toMatchObject({ forced: true })
    })
  })

  describe('beside it', () => {
    it('a caller whom nobody knows cannot release the lock of a principal, nor the other way round', async () => {
      const { manage, take, owner } = await held()
      expect(codeOf(await manage(undefined, 'release', { owner }))).toBe('LOCK_OWNERSHIP_MISMATCH')
      await manage('ada', 'release', { owner })
      await take(undefined, { owner: 'shared' })
      const stolen = await manage('ada', 'release', { owner: 'shared' })
      expect(codeOf(stolen)).toBe('LOCK_OWNERSHIP_MISMATCH')
      expect(codeOf(await manage(undefined, 'release', { owner: 'shared' }))).toBe('ok')
    })

    it('the same owner token of another principal does not enter a lock that is held', async () => {
      const { take, manage, owner } = await held()
      const entered = await take('bob', { owner })
      expect(codeOf(entered)).toBe('LOCK_ACQUISITION_FAILED')
      expect(dataOf(entered, URN)).toMatchObject({ acquired: false })
      // What bob tried changes nothing about who holds it.
      expect(codeOf(await manage('bob', 'release', { owner }))).toBe('LOCK_OWNERSHIP_MISMATCH')
      expect(codeOf(await manage('ada', 'release', { owner }))).toBe('ok')
    })

    it('the end of a call that did not get the lock releases nothing', async () => {
      const { take, manage, owner } = await held()
      await take('bob', { owner, auto_release: true })
      expect((await manage('ada', 'status')).body.result).toMatchObject({ locked: true, owner })
    })

    it('a wrong owner and a wrong principal are told apart by nobody', async () => {
      const { manage, owner } = await held()
      const byToken = await manage('ada', 'release', { owner: 'guess' })
      const byPrincipal = await manage('bob', 'release', { owner })
      expect(byPrincipal.body.errors).toEqual(byToken.body.errors)
    })

    it('a lock that changed hands belongs to its new holder alone', async () => {
      const { take, manage } = await held()
      const { owner } = (await manage('ada', 'status')).body.result as { owner: string }
      await manage('ada', 'release', { owner })
      await take('bob', { owner })
      expect(codeOf(await manage('ada', 'release', { owner }))).toBe('LOCK_OWNERSHIP_MISMATCH')
      expect(codeOf(await manage('bob', 'release', { owner }))).toBe('ok')
    })

    it('authorize alone does not open force-release: the switch says what is missing', async () => {
      const { manage } = await held({ ...KNOWN, authorize: () => {} })
      const refused = await manage('bob', 'force-release')
      expect(codeOf(refused)).toBe('FORBIDDEN')
      expect(refused.body.errors?.[0].message).toContain('authorizeForceRelease')
    })

    it('where nobody is authenticated, the owner token is the proof, as before', async () => {
      const { take, manage } = setUp((await openTest()).store, {})
      await take(undefined, { owner: 'me' })
      expect(codeOf(await manage(undefined, 'release', { owner: 'other' }))).toBe(
        'LOCK_OWNERSHIP_MISMATCH',
      )
      expect(codeOf(await manage(undefined, 'release', { owner: 'me' }))).toBe('ok')
    })

    it('a lock that an earlier version took, without a principal, is released by its owner token', async () => {
      const { store } = await openTest()
      const { manage } = setUp(store, KNOWN)
      await store.putIfAbsent(
        `lock:${KEY}`,
        { owner: 'me', acquired: 0 },
        { ttl: 30_000, owner: 'h' },
      )
      expect(codeOf(await manage('ada', 'release', { owner: 'me' }))).toBe('ok')
    })
  })
})
