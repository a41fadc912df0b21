import { afterAll, describe, it } from 'vitest'
import { runJobCase } from '../jobs-cases.ts'
import { prepareBackends } from '../store-backends.ts'
import { JOB_CASES } from './cases.ts'

// The cases of several processes run in test/faults/jobs.test.ts.
const CASES = JOB_CASES.filter(({ needs }) => !needs)

describe.concurrent('job queue on memory', () => {
  for (const entry of CASES) it(entry.name, { timeout: 30_000 }, () => runJobCase(entry))
})

for (const backend of await prepareBackends(['sqlite', 'redis', 'postgres'])) {
  if ('missing' in backend) {
    describe.skip(`job queue on ${backend.name} (no server and no binary to start one)`, () => {
      for (const { name } of CASES) it.skip(name, () => {})
    })
    continue
  }
  describe.concurrent(`job queue on ${backend.name}`, () => {
    afterAll(() => backend.cleanUp())
    for (const entry of CASES) it(entry.name, { timeout: 60_000 }, () => runJobCase(entry, backend))
  })
}
