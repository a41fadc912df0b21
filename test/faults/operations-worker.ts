import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../../src/core/function.ts'
import { openStore, type Store } from '../../src/entries/store.ts'
import { advanceFence } from '../../src/extensions/lock/lease.ts'
import { serve } from '../../src/http/serve.ts'
import { createService } from '../../src/system/create-service.ts'
import { statefulExtensions } from '../../src/system/stateful-extensions.ts'
import { createJobQueue } from '../../src/work/open.ts'
import { createTestLog } from '../support/forrst.ts'

const [url = '', port = '0', boot = ''] = process.argv.slice(2)

/** One of several processes of a ledger: each operation takes the lock of its account and writes under its token. */
async function main(): Promise<void> {
  const store = await openUntilThere()
  const log = createTestLog()
  const jobs = createJobQueue(store, { leaseMs: 4000, timeout: 2000 })
  const write = defineFunction({
    name: 'ledger.write',
    version: '1.0.0',
    async handler({ call: { id, arguments: input, facts } }) {
      const { account, key } = input as { account: string; key: string }
      return writeLedger(store, { request: id, account, key, token: facts.fencingToken ?? 0 })
    },
  })
  const service = createService({
    info: { title: 'Ledger', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [write],
    extensions: [
      ...statefulExtensions({
        store,
        jobs,
        async: { attempts: 100, concurrency: 20 },
        idempotency: { lease: { value: 3, unit: 'second' } },
      }),
    ],
    log,
  })
  const server = await serve(service, { port: Number(port) })
  process.once('disconnect', () => process.exit())
  process.send?.({ port: server.port })
}

interface Write {
  readonly request: string
  readonly account: string
  readonly key: string
  readonly token: number
}

async function writeLedger(store: Store, { request, account, key, token }: Write) {
  const holder = `holder:${account}`
  const mine = { boot, token }
  try {
    const entered = await store.putIfAbsent(holder, mine, { ttl: null, owner: `${token}` })
    if (!entered.created) {
      await store.put(`conflict:${account}:${token}`, { other: entered.entry.value }, { ttl: null })
      await store.put(holder, mine, { ttl: null, owner: `${token}` })
    }
    await advanceFence(store, account, token)
    await store.put(`run:${key}:${request}`, token, { ttl: null })
    await store.putIfAbsent(`effect:${key}`, { token, request }, { ttl: null })
    await store.increment(`writes:${account}`, { ttl: null })
    // Refused when anybody with a newer token has written meanwhile.
    await advanceFence(store, account, token)
    await store.deleteIfOwner(holder, `${token}`)
    return { account, key, token, by: boot }
  } catch (thrown) {
    // It goes out without taking its name off the door: whoever comes next has not found two inside.
    process.send?.({ left: token })
    throw thrown
  }
}

/** A process may be started while the server is being restarted. */
async function openUntilThere(): Promise<Store> {
  for (;;) {
    try {
      return await openStore(url, { timeout: 2000 })
    } catch {
      await sleep(200)
    }
  }
}

await main()
