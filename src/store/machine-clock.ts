import { readFileSync } from 'node:fs'

/** The clocks that all processes of one machine share. */
export interface MachineClock {
  /** Names this run of the machine: another value means that it was started anew. */
  readonly boot: string
  /** Milliseconds on a clock that never jumps and that all processes of this machine read alike. */
  uptime(): number
  /** Milliseconds since the epoch; may be set by hand. */
  now(): number
}

/** Creates the clock of this machine. */
export function createMachineClock(): MachineClock {
  return {
    boot: readBoot(),
    // process.hrtime counts from the start of the machine, performance.now from the start of the process.
    uptime: () => Number(process.hrtime.bigint() / 1_000_000n),
    now: () => Date.now(),
  }
}

/** What is remembered of a clock: at this uptime of that boot, the store's time was `at` and the wall said `wall`. */
export interface ClockMark {
  readonly boot: string
  readonly uptime: number
  readonly at: number
  readonly wall: number
}

/**
 * Continues the time of a store from a mark. Within one boot only the uptime counts, so setting the wall
 * clock changes nothing; across a boot the wall clock bridges the gap, and the time never goes back.
 */
export function continueTime(clock: MachineClock, mark: ClockMark | undefined): ClockMark {
  const { boot } = clock
  const uptime = clock.uptime()
  const wall = clock.now()
  if (!mark) return { boot, uptime, at: wall, wall }
  const sameBoot = mark.boot === boot && uptime >= mark.uptime
  const passed = sameBoot ? uptime - mark.uptime : Math.max(0, wall - mark.wall)
  return { boot, uptime, at: mark.at + passed, wall }
}

function readBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Without a boot id a reboot shows as an uptime that went back; a missed one only lets entries live longer.
    return 'unknown'
  }
}
