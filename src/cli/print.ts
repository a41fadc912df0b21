import { createInterface } from 'node:readline/promises'
import { styleText } from 'node:util'
import { toText } from '../values/index.ts'
import { type CommandInput, EXIT, type Io } from './command.ts'

/** Ways to make text stand out; plain when the output is not a terminal. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
}

/** Creates the colours of an output: none unless it is a terminal that wants them. */
export function createPaint({ terminal, env }: Pick<Io, 'terminal' | 'env'>): Paint {
  const colours = terminal && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb'
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    colours ? styleText(format, text) : text
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    good: paint('green'),
    bad: paint('red'),
    warn: paint('yellow'),
  }
}

/** Writes rows as columns; the last column may be as long as it likes. */
export function formatTable(rows: readonly (readonly string[])[], indent = '  '): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => visibleLength(row[column] ?? ''))),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === row.length - 1
            ? cell
            : cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell)),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${indent}${line}\n`)
    .join('')
}

/** Counts things: `1 tool`, `3 tools`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Names the first few of a list and counts the others. */
export function nameFirst(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names.slice(0, most).join(', ')}${more}`
}

/** Makes foreign text safe for one line of a terminal. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim())
}

/** Writes any value as a cell of a table; nothing for one that is absent. */
export function printableCell(value: unknown): string {
  return printable(toText(value ?? ''))
}

/** Writes an answer: as JSON where `--json` asks for it, else as `format` words it; the command is done then. */
export function printAnswer(
  { flags, io }: CommandInput,
  answer: unknown,
  format: (paint: Paint) => string,
): number {
  io.out(flags['json'] ? formatJson(answer) : format(createPaint(io)))
  return EXIT.ok
}

/** Writes a table under a heading; nothing where it has no rows. */
export function formatSection(title: string, rows: readonly string[][], paint: Paint): string {
  return rows.length === 0 ? '' : `\n${paint.bold(title)}\n${formatTable(rows)}`
}

/** Writes a value as JSON for people and machines alike. */
export function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Makes foreign text safe for a terminal: control characters could rewrite what is on the screen. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '�')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences
const COLOUR = /\u001b\[[0-9;]*m/g

function visibleLength(text: string): number {
  return text.replace(COLOUR, '').length
}

/** A line that tells a person what a long command is doing. */
export interface ProgressLine {
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
export function createProgressLine(
  io: Io,
  now: () => number = () => performance.now(),
): ProgressLine {
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

/** Asks the person who runs the command; a closed input gives `otherwise`. */
export async function ask(question: string, io: Io, otherwise: string): Promise<string> {
  if (io.ask) return io.ask(question)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve(otherwise)))
  try {
    return await Promise.race([lines.question(question, { signal: io.signal }), closed])
  } catch {
    return otherwise
  } finally {
    lines.close()
  }
}
