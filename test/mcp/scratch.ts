import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Installs packages into a folder of their own and gives that folder; kept between runs. Undefined when nothing can
 * be downloaded, except on CI, where that is a failure. Never dependencies of the project: one of them brings its own
 * `node`, which would shadow the machine's.
 */
export async function installScratch(
  name: string,
  packages: readonly string[],
): Promise<string | undefined> {
  const folder = join(tmpdir(), `waymark-${name}`)
  const done = join(folder, 'installed.txt')
  const wanted = packages.join('\n')
  const release = await lock(`${folder}.lock`)
  try {
    if (existsSync(done) && readFileSync(done, 'utf8') === wanted) return folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    await run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...packages],
      { cwd: folder, timeout: 300_000 },
    )
    writeFileSync(done, wanted)
    return folder
  } catch (thrown) {
    if (process.env['CI'] && thrown instanceof Error) throw thrown
    return undefined
  } finally {
    release()
  }
}

/** Gives the package that holds a newer Node for this machine. */
export function nodePackage(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return `node-${platform}-${process.arch}`
}

/** Gives the newer Node of a scratch folder. */
export function scratchNode(folder: string): string {
  return join(folder, 'node_modules', nodePackage(), 'bin', 'node')
}

/** Tells whether the newer Node of a scratch folder runs here. */
export function runs(node: string): boolean {
  return spawnSync(node, ['--version']).status === 0
}

const STALE_MS = 600_000

async function lock(folder: string): Promise<() => void> {
  for (;;) {
    try {
      mkdirSync(folder)
      return () => rmSync(folder, { recursive: true, force: true })
    } catch {
      // Whoever held the lock may have been killed.
      const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (age > STALE_MS) rmSync(folder, { recursive: true, force: true })
      await delay(200)
    }
  }
}
