import type { CallLogOptions } from '../../observe/index.ts'
import { UsageError } from '../command.ts'

/** Reads `--log`: `calls`, with `sample=0.1` and `arguments` behind it. */
export function parseCallLog(text: string | undefined): CallLogOptions | undefined {
  if (text === undefined) return undefined
  const [first, ...settings] = text.split(',')
  if (first !== 'calls') throw misspelt(first ?? '')
  const options: { -readonly [Name in keyof CallLogOptions]: CallLogOptions[Name] } = {}
  for (const setting of settings) {
    const sample = /^sample=(0|1|0?\.\d{1,6})$/.exec(setting)
    if (sample) options.sample = Number(sample[1])
    else if (setting === 'arguments') options.arguments = true
    else throw misspelt(setting)
  }
  return options
}

function misspelt(setting: string): UsageError {
  return new UsageError(
    `--log must be calls, with sample=0.1 or arguments behind it, such as calls,sample=0.1; got "${setting}"`,
  )
}
