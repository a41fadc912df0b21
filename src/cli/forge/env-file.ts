import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { CommandInput, Io } from '../command.ts'
import { readTextFlag as readFlag } from '../flags.ts'

/** Reads the variables of a file; none when it is not there. */
export function readEnvFile(path: string): Io['env'] {
  return parseEnv(readText(path))
}

/** Reads the variables a command runs with: those of `--env-file`, and over them the environment; an empty one says nothing. */
export function readEnvironment(input: CommandInput): Io['env'] {
  const { env, cwd } = input.io
  const file = readFlag(input, 'env-file')
  if (file === undefined) return env
  const own = Object.entries(env).filter(([, value]) => value !== '')
  return { ...readEnvFile(resolve(cwd, file)), ...Object.fromEntries(own) }
}

/** Sets one variable in a file; everything else in it stays as it is. */
export function writeEnvVariable(path: string, name: string, value: string): void {
  const text = readText(path)
  const line = `${name}=${quoteEnvValue(value)}`
  const known = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, 'm')
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  const changed = known.test(text) ? text.replace(known, () => line) : `${text}${gap}${line}\n`
  // A new file is for its owner only; one that exists keeps the rights it has.
  writeFileSync(path, changed, { mode: 0o600 })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw thrown
  }
}

/** Writes a value so that a reader of such files gets it back as it is. */
export function quoteEnvValue(value: string): string {
  if (/^[\w.~+/=:@%-]*$/.test(value)) return value
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? "'"
  return `${mark}${value.replace(/[\r\n]+/g, '')}${mark}`
}
