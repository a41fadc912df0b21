import { describe, expect, it } from 'vitest'
// @ts-expect-error the benchmarks are plain JavaScript
import { simulate } from '../bench/scale/simulate.mjs'

const STEPS = [
  { at: 'process', ms: 1 },
  { at: 'engine', ms: 0.25 },
]
const play = (options: object) =>
  simulate({
    processes: 1,
    callers: 1,
    steps: STEPS,
    delayMs: 0,
    engine: { shards: 1, servers: 1 },
    calls: 5_000,
    ...options,
  })

describe('the model behind docs/guides/scale.md', () => {
  it('lets one caller wait for the sum of what a call does', () => {
    const { callsPerSecond, p50 } = play({ delayMs: 0.75 })
    expect(p50).toBeCloseTo(2, 0)
    expect(callsPerSecond).toBeCloseTo(500, -1.5)
  })

  it('is bound by the process while the engine has time, and then by the engine', () => {
    expect(play({ callers: 32 }).callsPerSecond).toBeCloseTo(1_000, -1.7)
    const full = play({ processes: 16, callers: 8 })
    expect(full.callsPerSecond).toBeCloseTo(4_000, -2.3)
    expect(full.engineUse).toBeGreaterThan(0.95)
  })

  it('spreads over shards, and shares the cores of one machine', () => {
    expect(
      play({ processes: 16, callers: 32, engine: { shards: 4, servers: 1 } }).callsPerSecond,
    ).toBeGreaterThan(12_000)
    expect(play({ processes: 16, callers: 8, cores: 2 }).callsPerSecond).toBeCloseTo(1_600, -2.3)
  })

  it('is the same for the same seed', () => {
    expect(play({ seed: 7 })).toEqual(play({ seed: 7 }))
    expect(play({ seed: 7 })).not.toEqual(play({ seed: 8 }))
  })
})
