import type { OverloadOptions } from '../../http/index.ts'
import { toMilliseconds } from '../../values/index.ts'
import { UsageError } from '../command.ts'
import { parseDuration } from '../flags.ts'

/** Reads `--overload`: `off`, or any of `wait=1s,delay=100ms,in-flight=1000`. */
export function parseOverload(text: string | undefined): OverloadOptions | false {
  if (text === 'off') return false
  const options: { -readonly [Name in keyof OverloadOptions]: OverloadOptions[Name] } = {}
  for (const setting of text === undefined ? [] : text.split(',')) {
    const [name = '', value = ''] = setting.split('=', 2)
    if (name === 'wait') options.maxWaitMs = parseTime(value, setting)
    else if (name === 'delay') options.maxEventLoopDelayMs = parseTime(value, setting)
    else if (name === 'in-flight' && /^[1-9]\d{0,6}$/.test(value)) {
      options.maxInFlight = Number(value)
    } else throw misspelt(setting)
  }
  return options
}

function parseTime(text: string, setting: string): number {
  const milliseconds = toMilliseconds(parseDuration(text, `--overload ${setting.split('=')[0]}`))
  if (milliseconds === undefined || milliseconds < 1) throw misspelt(setting)
  return milliseconds
}

function misspelt(setting: string): UsageError {
  return new UsageError(
    `--overload must be off, or settings such as wait=1s,delay=100ms,in-flight=1000; got "${setting}"`,
  )
}
