/** Seeded chance: the same seed gives the same choices on every machine. */
export interface Chance {
  /** A whole number from 0 up to, but not including, the limit. */
  readonly below: (limit: number) => number
  /** One of the list, which must not be empty. */
  readonly pick: <Value>(list: readonly Value[]) => Value
  /** True in that share of the cases. */
  readonly flip: (share: number) => boolean
}

/** Creates a source of chance (mulberry32). */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: <Value>(list: readonly Value[]) => list[below(list.length)] as Value,
    flip: (share) => next() < share,
  }
}
