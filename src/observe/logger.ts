import type { Logger } from '../core/index.ts'
import { formatTimestamp, isRecord, toReason } from '../values/index.ts'

type Facts = Readonly<Record<string, unknown>>

/** How lines are written. */
export interface LoggerOptions {
  /** Standard error when absent. */
  readonly write?: (line: string) => void
  /** Milliseconds since the epoch; the clock of the machine when absent. */
  readonly now?: () => number
}

/** What lines are made of before any fact: a fact with one of these names is written as `_message`, and never instead. */
const RESERVED: ReadonlySet<string> = new Set(['time', 'level', 'message'])

/**
 * Creates a logger that writes one JSON line per event: `time`, `level`, `message`, then the facts.
 *
 * @example
 * createService({ info, functions, log: jsonLogger() })
 */
export function jsonLogger(options: LoggerOptions = {}): Logger {
  return createLogger(options, (level, message, time, facts) => {
    const head = { time: new Date(time).toISOString(), level, message }
    // Facts that JSON cannot hold are written as text: a line must not be lost because of what it is about.
    try {
      return JSON.stringify({ ...head, ...toFacts(facts) }, serialiseError)
    } catch {
      const texts = Object.entries(toFacts(facts)).map(([name, fact]) => [name, toReason(fact)])
      return JSON.stringify({ ...head, ...Object.fromEntries(texts) })
    }
  })
}

const COLOURS: Readonly<Record<string, number>> = { info: 36, warn: 33, error: 31 }

/** Creates a logger for a person at a terminal: time of day, level, message and facts on one line, stacks below it. */
export function prettyLogger(options: LoggerOptions & { readonly colour?: boolean } = {}): Logger {
  const { colour = false } = options
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text)
  return createLogger(options, (level, message, time, facts) => {
    const stacks: string[] = []
    const words = Object.entries(facts).map(([name, fact]) => {
      if (fact instanceof Error && fact.stack !== undefined) stacks.push(fact.stack)
      return `${paint(2, `${name}=`)}${toWord(fact)}`
    })
    const head = `${paint(2, formatTimestamp(time).slice(11, 19))} ${paint(COLOURS[level] ?? 0, level.toUpperCase().padEnd(5))} ${toPlain(message)}`
    const lines = stacks.map(
      (stack) => `\n${stack.replaceAll(CONTROL, '?').replace(/^/gm, '    ')}`,
    )
    return `${[head, ...words].join(' ')}${lines.join('')}`
  })
}

/** The logger of a service that names none: for a person where standard error is a terminal, JSON lines elsewhere. */
export function defaultLogger(): Logger {
  const { stderr, env } = process
  const isPretty = env['WAYMARK_LOG'] ? env['WAYMARK_LOG'] === 'pretty' : stderr?.isTTY === true
  return isPretty ? prettyLogger({ colour: stderr?.isTTY && !env['NO_COLOR'] }) : jsonLogger()
}

function createLogger(
  { write = (line) => void process.stderr.write(line), now = () => Date.now() }: LoggerOptions,
  format: (level: string, message: string, time: number, facts: Facts) => string,
): Logger {
  const log =
    (level: string): Logger['warn'] =>
    (message, facts = {}) =>
      write(`${format(level, message, now(), facts)}\n`)
  return { info: log('info'), warn: log('warn'), error: log('error') }
}

function toFacts(facts: Facts): Facts {
  if (!Object.keys(facts).some((name) => RESERVED.has(name))) return facts
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [RESERVED.has(name) ? `_${name}` : name, fact]),
  )
}

function serialiseError(_key: string, value: unknown): unknown {
  return value instanceof Error
    ? { name: value.name, message: value.message, stack: value.stack }
    : value
}

/** What a caller sends must not move the cursor or begin a line of its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

function toPlain(text: string): string {
  return text.replaceAll('\n', ' ').replaceAll('\t', ' ').replaceAll(CONTROL, '?')
}

function toWord(fact: unknown): string {
  if (typeof fact === 'string')
    return /^[\w.:/@-]+$/.test(fact) ? fact : toPlain(JSON.stringify(fact))
  if (fact instanceof Error) return toPlain(JSON.stringify(fact.message))
  try {
    return toPlain(JSON.stringify(fact) ?? toReason(fact))
  } catch {
    return toPlain(toReason(fact))
  }
}

/** A pino logger, or one that takes its facts first as pino does. */
export interface PinoLogger {
  readonly bindings: () => object
  readonly info: (facts: object, message: string) => void
  readonly warn: (facts: object, message: string) => void
  readonly error: (facts: object, message: string) => void
}

/** Makes one kind of logger of both. pino writes an error as such only under the name `err`. */
export function toLogger(log: Logger | PinoLogger): Logger {
  if (!isPino(log)) return log
  const write =
    (level: 'info' | 'warn' | 'error'): Logger['warn'] =>
    (message, { error, ...facts } = {}) => {
      const named: readonly (readonly [string, unknown])[] = Object.entries(facts).map(
        ([name, fact]) => [PINO_OWN.has(name) ? `_${name}` : name, fact],
      )
      log[level](
        Object.fromEntries(error === undefined ? named : [...named, ['err', error]]),
        message,
      )
    }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}

const PINO_OWN: ReadonlySet<string> = new Set(['time', 'level', 'msg'])

function isPino(log: Logger | PinoLogger): log is PinoLogger {
  return isRecord(log) && typeof (log as Partial<PinoLogger>).bindings === 'function'
}

/** Makes a logger that never throws: a line that cannot be written must not cost a caller the answer. */
export function toSteadyLogger(log: Logger): Logger {
  const write =
    (level: keyof Logger): Logger['warn'] =>
    (message, facts) => {
      try {
        const written: unknown = log[level]?.(message, facts)
        if (written instanceof Promise) written.catch(() => {})
      } catch {
        // There is nobody left to tell.
      }
    }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}
