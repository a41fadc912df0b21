import type { Logger } from '../core/service.ts'
import { toReason } from '../core/text.ts'

/** Creates a logger that writes one JSON line per event to stderr. */
export function jsonLogger(
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Logger {
  const log =
    (level: string) =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
      write(`${formatLine({ level, message }, facts)}\n`)
    }
  return { warn: log('warn'), error: log('error') }
}

/** Facts that JSON cannot hold are written as text: a line must not be lost because of what it is about. */
function formatLine(head: object, facts: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify({ ...head, ...facts }, serialiseError)
  } catch {
    const texts = Object.entries(facts).map(([name, fact]) => [name, toReason(fact)])
    return JSON.stringify({ ...head, ...Object.fromEntries(texts) })
  }
}

function serialiseError(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : value
}

/** Makes a logger that never throws: a line that cannot be written must not cost a caller the answer. */
export function toSteadyLogger(log: Logger): Logger {
  const write =
    (level: keyof Logger): Logger['warn'] =>
    (message, facts) => {
      try {
        const written: unknown = log[level](message, facts)
        if (written instanceof Promise) written.catch(() => {})
      } catch {
        // There is nobody left to tell.
      }
    }
  return { warn: write('warn'), error: write('error') }
}
