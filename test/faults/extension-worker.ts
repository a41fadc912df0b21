import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../../src/core/function.ts'
import { openStore } from '../../src/entries/store.ts'
import { advanceFence, holdsLock, toFullKey } from '../../src/extensions/lock/lease.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, createTestLog } from '../support/forrst.ts'

/** What the parent wants done, and what comes back: one line per call. */
export interface ExtensionTask {
  readonly kind: 'idempotency' | 'lock' | 'stall'
  readonly keys: readonly string[]
}

const [url = '', namespace = ''] = process.argv.slice(2)
const store = await openStore(url, namespace === '' ? {} : { namespace })
const LOCK = toFullKey({ function: 'ledger.write', key: 'ledger', scope: 'global' })

const service = createService({
  info: { title: 'Worker', version: '1.0.0' },
  unknownArguments: 'ignore',
  functions: [
    defineFunction({
      name: 'payments.charge',
      version: '1.0.0',
      async handler({ call: { arguments: input } }) {
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
    defineFunction({
      name: 'ledger.stall',
      version: '1.0.0',
      async handler({ call: { facts }, signal }) {
        const token = facts.fencingToken ?? 0
        await advanceFence(store, 'ledger', token)
        process.send?.({ holding: token })
        await once(process, 'message')
        const refused = await advanceFence(store, 'ledger', token).then(
          () => 'written',
          (error: { code: string }) => error.code,
        )
        if (!signal.aborted) await once(signal, 'abort')
        return { token, refused, reason: signal.reason.code }
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

const minute = { value: 1, unit: 'minute' }

async function hold(name: string, ttl: object): Promise<unknown> {
  const options = { key: 'ledger', scope: 'global', ttl, block: minute }
  const extensions = [{ urn: 'urn:forrst:ext:atomic-lock', options }]
  return (await call(service, { function: name, extensions })).body
}

const TASKS: Readonly<Record<ExtensionTask['kind'], (key: string) => Promise<unknown>>> = {
  idempotency: charge,
  lock: () => hold('ledger.write', minute),
  stall: () => hold('ledger.stall', { value: 300, unit: 'millisecond' }),
}

process.on('message', async (task: ExtensionTask | 'resume') => {
  if (task === 'resume') return
  process.send?.({ answers: await Promise.all(task.keys.map(TASKS[task.kind])) })
})
process.once('disconnect', () => void store.close())
process.send?.({ ready: true })
