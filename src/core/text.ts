/**
 * Writes any value as text, and never throws. `String` does: a document from outside may hold an object whose
 * `toString` is no function.
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    // oxlint-disable-next-line typescript/no-base-to-string -- no object reaches this line
    if (typeof value !== 'object' || value === null) return String(value)
    return JSON.stringify(value) ?? NAMELESS
  } catch {
    return NAMELESS
  }
}

/** Says why something failed, and never throws: the message of an error, anything else that was thrown as text. */
export function toReason(thrown: unknown): string {
  try {
    return thrown instanceof Error ? toText(thrown.message) || thrown.name : toText(thrown)
  } catch {
    // A getter of an error may throw, and a proxy does not even tell whether it is one.
    return NAMELESS
  }
}

/** Cuts a foreign name before it is repeated in an answer or a log line: it may be as long as a whole request. */
export function toShort(text: string, most = 200): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

const NAMELESS = 'an object that cannot be shown'
