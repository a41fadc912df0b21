import type { Io } from './command.ts'
import { printable } from './print.ts'

/** A line that tells a person what a long command is doing. */
export interface Progress {
  /** Says what is being done; shown when it takes longer than a moment. */
  readonly show: (text: string) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** What goes faster needs no line: it would only flicker. */
const MOMENT_MS = 150
const TURN_MS = 120
const FRAMES = ['|', '/', '-', '\\']

/** Creates a progress line on standard error; it stays empty unless a person watches a terminal. */
export function createProgress(io: Io, now: () => number = () => performance.now()): Progress {
  if (!isWatched(io)) return { show: () => undefined, end: () => undefined }
  let text = ''
  let width = 0
  let turns = 0
  let drawnAt = now()
  let timer: NodeJS.Timeout | undefined

  function draw(): void {
    // Work that never waits calls show() often; work that waits lets the timer come round.
    if (text === '' || now() - drawnAt < (width === 0 ? MOMENT_MS : TURN_MS - 20)) return
    drawnAt = now()
    const line = `${FRAMES[turns++ % FRAMES.length]} ${text}`
    io.err(`\r${line.padEnd(width)}`)
    width = line.length
  }

  return {
    show(next) {
      text = printable(next).replaceAll('\n', ' ').slice(0, LONGEST)
      draw()
      timer ??= setInterval(draw, TURN_MS).unref()
    },
    end() {
      clearInterval(timer)
      text = ''
      // Blanks instead of an escape sequence: every terminal knows them.
      if (width > 0) io.err(`\r${' '.repeat(width)}\r`)
      width = 0
    },
  }
}

/** A line that wraps could not be taken away again. */
const LONGEST = 76

function isWatched({ terminal, errTerminal = terminal, env }: Io): boolean {
  return errTerminal && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === ''
}
