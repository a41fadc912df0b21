import { execFile } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Builds the package into a folder inside the project, laid out as npm would install it, without its declarations. */
export async function buildPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const part of ['package.json', 'bin']) {
    cpSync(`${ROOT}${part}`, `${folder}${part}`, { recursive: true })
  }
  const build = [`${ROOT}scripts/build.mjs`, '--out', `${folder}dist`, '--no-types']
  await promisify(execFile)(process.execPath, build)
}
