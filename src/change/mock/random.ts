/** Chance that can be repeated: the same seed gives the same choices. */
export interface Random {
  /** A number from 0 up to 1. */
  readonly next: () => number
  /** A whole number from `low` to `high`, both included. */
  readonly whole: (low: number, high: number) => number
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item
  readonly shuffle: <Item>(items: readonly Item[]) => readonly Item[]
}

/** Creates a source of chance from any text. */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  // Mulberry32: small, fast and even enough for made-up values; never for secrets.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    whole,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
    shuffle: (items) =>
      items
        .map((item) => ({ item, key: next() }))
        .sort((left, right) => left.key - right.key)
        .map(({ item }) => item),
  }
}

/** FNV-1a, spread a little further so that seeds 1 and 2 have nothing in common. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return Math.imul(value ^ (value >>> 13), 0x5bd1e995) ^ (value >>> 15)
}

/** Reads a number of a schema. */
export function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}
