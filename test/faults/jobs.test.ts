import { afterAll, describe, it } from 'vitest'
import { runJobCase } from './jobs-cases.ts'
import { JOB_CASES } from './jobs-conformance/cases.ts'
import { prepareBackends } from './store-backends.ts'

const CASES = JOB_CASES.filter(({ needs }) => needs === 'processes')

for (const backend of await prepareBackends(['sqlite', 'redis', 'postgres'])) {
  if ('missing' in backend) {
    describe.skip(`jobs in several processes on ${backend.name} (no server and no binary)`, () => {
      for (const { name } of CASES) it.skip(name, () => {})
    })
    continue
  }
  describe(`jobs in several processes on ${backend.name}`, () => {
    afterAll(() => backend.cleanUp())
    for (const entry of CASES)
      it(entry.name, { timeout: 120_000 }, () => runJobCase(entry, backend))
  })
}
