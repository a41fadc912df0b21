import { toReason } from '../../values/index.ts'

/** One thing that was looked at. */
export interface Diagnosis {
  /** What was looked at, such as `redis eviction`. */
  readonly check: string
  readonly level: 'ok' | 'warn' | 'fail'
  /** What was found. */
  readonly found: string
  /** What to do next; absent where nothing has to be done. */
  readonly next?: string
}

/** Makes the findings of one check: `diagnose.fail('clock', 'it is 90 s ahead', 'run an NTP client')`. */
export const diagnose = {
  ok: (check: string, found: string): Diagnosis => ({ check, level: 'ok', found }),
  warn: (check: string, found: string, next: string): Diagnosis => ({
    ...{ check, level: 'warn', found, next },
  }),
  fail: (check: string, found: string, next: string): Diagnosis => ({
    ...{ check, level: 'fail', found, next },
  }),
}

/** A clock that differs by this much makes logs hard to read, and by this much more tokens and signatures fail. */
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 30_000

/** Judges how far another clock is from the one of this machine. */
export function judgeClock(check: string, skewMs: number): Diagnosis {
  const away = Math.abs(skewMs)
  const seconds = (away / 1_000).toFixed(away < 10_000 ? 1 : 0)
  const found = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine`
  const next = 'run an NTP client (chrony, systemd-timesyncd) on both machines'
  if (away > SKEW_FAIL_MS) return diagnose.fail(check, found, next)
  if (away > SKEW_WARN_MS) return diagnose.warn(check, found, next)
  return diagnose.ok(check, `within ${SKEW_WARN_MS / 1_000} s of this machine`)
}

/** Runs a check that may not be allowed or may not exist on this server: that is a warning, not the end. */
export async function tryCheck(
  check: string,
  next: string,
  look: () => Promise<Diagnosis | readonly Diagnosis[]>,
): Promise<readonly Diagnosis[]> {
  try {
    return [await look()].flat()
  } catch (thrown) {
    return [diagnose.warn(check, `cannot be read: ${toReason(thrown)}`, next)]
  }
}
