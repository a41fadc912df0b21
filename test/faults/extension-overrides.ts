import { expect } from 'vitest'
import { dataOf, type TestResponse } from '../support/forrst.ts'
import type { Decides, Interplay } from '../support/interplay.ts'

/** What an extension does while the store is away when it is told the opposite of its default. */
export interface Override {
  readonly option: Decides
  readonly prove: (test: Interplay) => Promise<void>
}

const MINUTE = { value: 1, unit: 'minute' }

/** The overrides, by the name that the page gives to the extension. */
export const OVERRIDES: Readonly<Record<string, Override>> = {
  idempotency: {
    option: 'idempotency',
    async prove({ ask, runs }) {
      const before = runs.length
      for (const _ of ['first', 'second']) {
        const response = await ask('work', {}, { idempotency: { key: 'k' } })
        expectServed(response)
        expect(entryOf(response, 'idempotency')).toMatchObject({ key: 'k', status: 'processed' })
      }
      expect(runs.length).toBe(before + 2)
    },
  },
  'atomic lock': {
    option: 'atomicLock',
    async prove({ ask }) {
      const lock = { 'atomic-lock': { key: 'k', ttl: MINUTE } }
      const both = await Promise.all([ask('work', {}, lock), ask('work', {}, lock)])
      for (const response of both) {
        expectServed(response)
        expect(response.body.result).not.toHaveProperty('token')
        expect(entryOf(response, 'atomic-lock')).toMatchObject({ key: 'k', acquired: false })
      }
    },
  },
  caching: {
    option: 'caching',
    async prove({ ask, runs }) {
      await expectRefused(runs, () => ask('list', {}, { caching: {} }))
      await expectRefused(runs, () => ask('change', {}, {}))
      expectServed(await ask('work', {}, {}))
    },
  },
  'rate limit': {
    option: 'rateLimit',
    async prove({ ask, runs }) {
      await expectRefused(runs, () => ask('limited', {}, {}))
      await expectRefused(runs, () => ask('limited', {}, { 'rate-limit': {} }))
      expectServed(await ask('work', {}, {}))
    },
  },
  quota: {
    option: 'quota',
    async prove({ ask, runs }) {
      await expectRefused(runs, () => ask('work', {}, {}))
      await expectRefused(runs, () => ask('work', {}, { quota: {} }))
    },
  },
  cancellation: {
    option: 'cancellation',
    async prove({ ask, runs }) {
      await expectRefused(runs, () => ask('work', {}, { cancellation: { token: 't' } }))
      expectServed(await ask('work', {}, {}))
    },
  },
  maintenance: {
    option: 'maintenance',
    prove: ({ ask, runs }) => expectRefused(runs, () => ask('work', {}, {})),
  },
}

function entryOf(response: TestResponse, name: string): unknown {
  return dataOf(response, `urn:forrst:ext:${name}`)
}

function expectServed({ status, body }: TestResponse): void {
  expect([status, body.result]).toMatchObject([200, { email: 'alice@example.com' }])
}

/** Nobody whose call was refused finds later that it has run. */
async function expectRefused(
  runs: Interplay['runs'],
  ask: () => Promise<TestResponse>,
): Promise<void> {
  const before = runs.length
  const { status, body } = await ask()
  expect([status, body.errors?.[0]?.code, runs.length]).toEqual([503, 'UNAVAILABLE', before])
}
