import { styleText } from 'node:util'
import type { Io } from './command.ts'

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
