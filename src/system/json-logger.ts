import type { Logger } from '../core/service.ts'

/** Creates a logger that writes one JSON line per event to stderr. */
export function jsonLogger(
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Logger {
  const log =
    (level: string) =>
    (message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
      write(`${JSON.stringify({ level, message, ...facts }, serialiseError)}\n`)
    }
  return { warn: log('warn'), error: log('error') }
}

function serialiseError(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : value
}
