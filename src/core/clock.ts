/** Where time comes from; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds on a clock that never jumps; only differences mean something. */
  elapsed(): number
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
}

/** Writes a moment as RFC 3339 without fractions of a second, as the seeds print it. */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`
}
