import type { ImportProgress } from '../../openapi/index.ts'
import type { Io } from '../command.ts'

/** A line that tells how far a long import is. */
export interface Progress {
  readonly show: (progress: ImportProgress) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** Short imports are over before a line could be read. */
const WORTH_SHOWING = 50
const STEPS = 50

/** Creates a progress line; it stays empty unless a person sits at a terminal. */
export function createProgress({ terminal, err }: Io, label: string): Progress {
  let isShown = false
  return {
    show: ({ done, total }) => {
      if (!terminal || total < WORTH_SHOWING) return
      if (done % Math.ceil(total / STEPS) !== 0 && done !== total) return
      isShown = true
      err(`\r${label}: ${done} of ${total} operations`)
    },
    end: () => {
      if (isShown) err('\r\u001b[2K')
    },
  }
}
