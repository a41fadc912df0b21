import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import picomatch from 'picomatch'
import { expandEnvText } from '../spec/env-text.ts'
import type { FileTrigger } from '../spec/types.ts'

/** Where to look, and which of the files below count; paths are relative to the base and use `/`. */
export interface WatchedFiles {
  readonly base: string
  readonly matches: (relativePath: string) => boolean
}

/** Splits `watch_path` into the folder to watch and the pattern of its files. */
export function readWatchPath(
  trigger: FileTrigger,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): WatchedFiles {
  const field = `file ${trigger.name}: watch_path`
  const expanded = expandEnvText(trigger.watch_path, (name) => env[name])
  if (!expanded.ok) {
    throw new TypeError(`${field}: set the environment variable ${expanded.missing.join(' and ')}`)
  }
  const { base, glob, isGlob } = picomatch.scan(expanded.text)
  const folder = resolve(cwd, isGlob ? base : expanded.text)
  if (!isGlob && isFile(folder)) {
    const name = basename(folder)
    return { base: toReal(dirname(folder)), matches: (path) => path === name }
  }
  if (folder === resolve(folder, '..')) throw new TypeError(`${field}: must not be ${folder}`)
  return { base: toReal(folder), matches: isGlob ? picomatch(glob) : () => true }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** The folder itself may be a link; below it links are not followed. */
function toReal(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
