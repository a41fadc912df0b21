/** Orders two values: null first, then false, true, numbers, texts; what has no order counts as null. */
export function compareValues(left: unknown, right: unknown): number {
  const kind = rankOf(left)
  if (kind !== rankOf(right)) return kind - rankOf(right)
  if (typeof left === 'string') return compareText(left, right as string)
  if (typeof left === 'number' || typeof left === 'boolean') return Number(left) - Number(right)
  return 0
}

const RANKS: readonly string[] = ['boolean', 'number', 'string']

function rankOf(value: unknown): number {
  return RANKS.indexOf(typeof value)
}

/** Orders texts by code point, as databases do; `<` orders them by halves of code points. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const difference = weight(left.charCodeAt(index)) - weight(right.charCodeAt(index))
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

/** Surrogates stand for code points above all others. */
function weight(unit: number): number {
  const isSurrogate = unit >= FIRST_SURROGATE && unit < AFTER_SURROGATES
  return isSurrogate ? unit + 0x10000 : unit
}
