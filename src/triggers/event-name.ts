const MAX_LENGTH = 200
// What would end or widen the subject of a message, or be lost in a header.
const PART = /^[^\s.*>:\p{Cc}]+$/u

/** Refuses the name of an event that cannot travel. */
export function assertEventName(event: string): void {
  if (isName(event, false)) return
  throw new TypeError(
    `event must be parts joined by dots, such as "orders.created"; got ${JSON.stringify(event)}`,
  )
}

/** Refuses a name to listen to that could never match. */
export function assertEventPattern(trigger: string, event: string): void {
  if (isName(event, true)) return
  throw new TypeError(
    `trigger ${trigger}: event must be parts joined by dots, such as "orders.created" or "orders.*"; got ${JSON.stringify(event)}`,
  )
}

/** Tells whether a name to listen to means an event; `*` stands for exactly one part. */
export function matchesEvent(pattern: string, event: string): boolean {
  if (pattern === event) return true
  if (!pattern.includes('*')) return false
  const wanted = pattern.split('.')
  const parts = event.split('.')
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  )
}

function isName(event: unknown, wildcards: boolean): boolean {
  return (
    typeof event === 'string' &&
    event.length <= MAX_LENGTH &&
    event.split('.').every((part) => PART.test(part) || (wildcards && part === '*'))
  )
}
