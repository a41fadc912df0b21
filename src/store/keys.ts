/** Joins parts to a key so that no part can reach into another: `:` and `%` inside a part are escaped. */
export function storeKey(...parts: readonly string[]): string {
  return parts.map(escapePart).join(':')
}

/** Joins parts to a prefix that lists exactly the keys made by `storeKey` with these parts and at least one more. */
export function storePrefix(...parts: readonly string[]): string {
  return parts.map((part) => `${escapePart(part)}:`).join('')
}

/** Writes a moment (milliseconds since the epoch) as a key part that sorts the newest first. */
export function newestFirst(milliseconds: number): string {
  const inverted = Number.MAX_SAFE_INTEGER - Math.floor(milliseconds)
  return String(inverted).padStart(16, '0')
}

function escapePart(part: string): string {
  // A key made from foreign text (an owner, an idempotency key) must not end up under another prefix.
  return /[%:\0]/.test(part)
    ? part.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll('\0', '%00')
    : part
}
