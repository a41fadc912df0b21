import { execFile } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TSC = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
// What `npm pack` would take, less what only people and editors read.
const PARTS = ['package.json', 'bin', 'src/sources/tool-spec/tool-spec.schema.json']

/** Builds the package into a folder inside the project, laid out as npm would install it; starts three times as fast. */
export async function buildPackage(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const part of PARTS) cpSync(`${ROOT}${part}`, `${folder}${part}`, { recursive: true })
  const emit = [
    '--outDir',
    `${folder}dist`,
    '--declaration',
    'false',
    '--isolatedDeclarations',
    'false',
    '--sourceMap',
    'false',
  ]
  await promisify(execFile)(TSC, ['-p', `${ROOT}tsconfig.build.json`, ...emit])
}
