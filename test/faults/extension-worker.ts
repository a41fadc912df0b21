import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../../src/core/function.ts'
import { advanceFence, holdsLock } from '../../src/extensions/fencing.ts'
import { toFullKey } from '../../src/extensions/lock-record.ts'
import { openStore } from '../../src/store/index.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, createTestLog } from '../support/forrst.ts'

/** What the parent wants done, and what comes back: one line per call. */
export interface ExtensionTask {
  readonly kind: 'idempotency' | 'lock'
  readonly keys: readonly string[]
}

const [url = '', namespace = ''] = process.argv.slice(2)
const store = await openStore(url, namespace === '' ? {} : { namespace })
const LOCK = toFullKey({ function: 'ledger.write', key: 'ledger' })

const service = createService({
  info: { title: 'Worker', version: '1.0.0' },
  functions: [
    defineFunction({
      name: 'payments.charge',
      version: '1.0.0',
      async handler({ input }) {
        const { value } = await store.increment(`effect:${input['key']}`, { ttl: null })
        await sleep(2)
        return { effect: value, by: process.pid }
      },
    }),
    defineFunction({
      name: 'ledger.write',
      version: '1.0.0',
      async handler({ call: { facts } }) {
        const token = facts.fencingToken ?? 0
        const { value: inside } = await store.increment('inside', { ttl: null })
        await advanceFence(store, 'ledger', token)
        const current = await holdsLock(store, LOCK, token)
        // Refused when anybody with a newer token has written meanwhile.
        await advanceFence(store, 'ledger', token)
        await store.increment('inside', { ttl: null, by: -1 })
        return { token, inside, current }
      },
    }),
  ],
  store,
  log: createTestLog(),
})

async function charge(key: string): Promise<unknown> {
  for (;;) {
    const { body } = await call(service, {
      function: 'payments.charge',
      arguments: { key },
      extensions: [{ urn: 'urn:forrst:ext:idempotency', options: { key } }],
    })
    if (body.errors?.[0].code !== 'IDEMPOTENCY_PROCESSING') return { key, ...body }
    await sleep(3)
  }
}

async function write(): Promise<unknown> {
  const minute = { value: 1, unit: 'minute' }
  const { body } = await call(service, {
    function: 'ledger.write',
    extensions: [
      {
        urn: 'urn:forrst:ext:atomic-lock',
        options: { key: 'ledger', ttl: minute, block: minute },
      },
    ],
  })
  return body
}

process.on('message', async ({ kind, keys }: ExtensionTask) => {
  const calls = keys.map((key) => (kind === 'idempotency' ? charge(key) : write()))
  process.send?.({ answers: await Promise.all(calls) })
})
process.once('disconnect', () => void store.close())
process.send?.({ ready: true })
