/**
 * Writes any value as text, and never throws. `String` does: a document from outside may hold an object whose
 * `toString` is no function.
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  // oxlint-disable-next-line typescript/no-base-to-string -- no object reaches this line
  if (typeof value !== 'object' || value === null) return String(value)
  try {
    return JSON.stringify(value) ?? NAMELESS
  } catch {
    return NAMELESS
  }
}

/** Says why something failed: the message of an error, anything else that was thrown as text. */
export function toReason(thrown: unknown): string {
  return thrown instanceof Error ? toText(thrown.message) || thrown.name : toText(thrown)
}

const NAMELESS = 'an object that cannot be shown'
