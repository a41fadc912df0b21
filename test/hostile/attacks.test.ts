import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'
import { listAttacks, listPatternAttacks } from './attacks.ts'
import { runAttacks, runOverload, startPatternApi } from './run-attacks.ts'

/** The short form of `npm run test:hostile`. */
describe('waymark serve under attack', () => {
  let served: WaymarkProcess
  let api: Awaited<ReturnType<typeof startPatternApi>>
  beforeAll(async () => {
    api = await startPatternApi()
    const sources = ['test/hostile/hostile-service.ts', api.document]
    served = await startWaymark([...sources, '--allow-execute'])
  }, 60_000)
  afterAll(async () => {
    await served.stop()
    api.close()
  })

  it('answers or refuses every hostile request, and each probe in between', async () => {
    const attacks = listAttacks()
    expect(attacks.length).toBeGreaterThanOrEqual(100)
    expect((await runAttacks(served, attacks)).faults).toEqual([])
  }, 60_000)

  it('compares hostile texts with hostile patterns on every surface', async () => {
    expect((await runAttacks(served, listPatternAttacks())).faults).toEqual([])
  }, 60_000)

  it('refuses what it cannot do, and answers every probe', async () => {
    const { faults, counts } = await runOverload(served, { seconds: 1, burst: 20 })
    expect(faults, JSON.stringify(counts)).toEqual([])
  }, 60_000)
})
