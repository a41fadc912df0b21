import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'
import { listAttacks, listPatternAttacks } from './attacks.ts'
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

  it('compares hostile texts with hostile patterns on every surface', async () => {
    const document = 'test/hostile/hostile-patterns.openapi.json'
    const patterns = await startWaymark([document, '--allow-execute'])
    onTestFinished(() => patterns.stop())
    expect((await runAttacks(patterns, listPatternAttacks())).faults).toEqual([])
  }, 60_000)

  it('refuses what it cannot do, and answers every probe', async () => {
    const { faults, counts } = await runOverload(served, { seconds: 2, burst: 20 })
    expect(faults, JSON.stringify(counts)).toEqual([])
  }, 60_000)
})
