import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const PREVIOUS = '5.9.3'

/**
 * The compilers that users have: the one of this project, and the last of the line before it. As a dependency the second
 * one would take the command `tsc` from the first, so it is installed in a folder of its own, once.
 */
export function listCompilers() {
  return [
    { name: 'TypeScript 5.9', tsc: installPrevious() },
    { name: 'TypeScript 7', tsc: join(ROOT, 'node_modules/typescript/bin/tsc') },
  ]
}

function installPrevious() {
  const folder = join(ROOT, 'node_modules/.cache', `typescript-${PREVIOUS}`)
  const tsc = join(folder, 'node_modules/typescript/bin/tsc')
  if (existsSync(tsc)) return tsc
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const args = ['install', '--no-audit', '--no-fund', `typescript@${PREVIOUS}`]
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`typescript@${PREVIOUS} could not be installed: ${stderr}`)
  return tsc
}
