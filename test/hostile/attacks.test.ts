import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'
import { listAttacks } from './attacks.ts'
import { runAttacks, runOverload } from './run-attacks.ts'

/** The short form of `npm run test:hostile`. */
describe('waymark serve under attack', () => {
  let served: WaymarkProcess
  beforeAll(async () => {
    served = await startWaymark(['test/hostile/hostile-service.ts', '--allow-execute'])
  }, 60_000)
  afterAll(() => served.stop())

  it('answers or refuses every hostile request, and each probe in between', async () => {
    const attacks = listAttacks()
    expect(attacks.length).toBeGreaterThanOrEqual(100)
    expect((await runAttacks(served, attacks)).faults).toEqual([])
  }, 60_000)

  it('refuses what it cannot do, and answers every probe', async () => {
    const { faults, counts } = await runOverload(served, { seconds: 2, burst: 20 })
    expect(faults, JSON.stringify(counts)).toEqual([])
  }, 60_000)
})
