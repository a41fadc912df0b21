import { randomBytes } from 'node:crypto'
import { afterAll, describe, it } from 'vitest'
import { prepareBackends, type StoreBackend } from '../../../test/faults/store-backends.ts'
import { type StoreProcesses, startProcesses } from '../../../test/faults/store-processes.ts'
import {
  type ConformanceCase,
  type ConformanceTools,
  STORE_CASES,
  type Store,
} from '../../entries/store.ts'

const PROCESSES = 3

const backends = await prepareBackends()

afterAll(() => {
  const counts = backends.map((backend) =>
    'missing' in backend ? `${backend.name} skipped` : `${backend.name} ${select(backend).length}`,
  )
  process.stdout.write(`store suite, cases run: ${counts.join(', ')}\n`)
})

for (const backend of backends) {
  if ('missing' in backend) {
    describe.skip(`store on ${backend.name} (no server and no binary to start one)`, () => {
      for (const { name } of STORE_CASES) it.skip(name, () => {})
    })
    continue
  }
  describe(`store on ${backend.name}`, () => runCases(backend))
}

function runCases(backend: StoreBackend): void {
  let processes: Promise<StoreProcesses> | undefined

  afterAll(async () => {
    await (await processes)?.stop()
    await backend.cleanUp()
  })

  function createTools(store: Store): ConformanceTools {
    const prefix = `${randomBytes(6).toString('hex')}:`
    return {
      prefix,
      open: backend.open,
      passTime: backend.passTime,
      countRecords: () => backend.countRecords(prefix, store),
      async inProcesses(task) {
        processes ??= startProcesses(backend.url ?? '', backend.namespace, PROCESSES)
        return (await processes).run(task)
      },
    }
  }

  for (const entry of select(backend)) {
    it(entry.name, async () => {
      const store = await backend.open()
      try {
        await entry.run(store, createTools(store))
      } finally {
        await store.close()
      }
    })
  }
}

function select({ shared, url }: StoreBackend): readonly ConformanceCase[] {
  return STORE_CASES.filter(({ needs }) => {
    if (needs === 'processes') return url !== undefined
    return needs !== 'shared' || shared
  })
}
