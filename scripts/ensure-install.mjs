// Runs before `npm start` and `npm test`: installs from the lock file when node_modules is missing or older than the lock.
// Plain Node on purpose: nothing is installed yet when this runs.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`waymark needs Node 20.19 or later; this is ${process.version}.`)
  process.exit(2)
}

if (!isInstalled()) {
  console.log('waymark: dependencies are missing or out of date, installing from the lock file …')
  // `npm ci` refuses a lock file without the optional packages of other platforms, which some registries do not carry;
  // `npm install` takes the same versions from the lock file and passes over those.
  if (runNpm('ci', 'pipe') !== 0) {
    const status = runNpm('install', 'inherit')
    if (status !== 0) process.exit(status)
  }
  console.log('waymark: dependencies installed.')
}

function runNpm(verb, output) {
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, verb]] : ['npm', [verb]]
  const { status } = spawnSync(command, [...args, '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', output, output],
  })
  return status ?? 1
}

/** Compares what npm recorded about the last install with the lock file. */
function isInstalled() {
  const recorded = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(recorded)) return false
  const installed = JSON.parse(readFileSync(recorded, 'utf8')).packages
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  // An optional peer that tests use is `devOptional` in the lock file, and installed all the same.
  const named = new Set(
    Object.keys(wanted[''].devDependencies).map((name) => `node_modules/${name}`),
  )
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      ((entry.peer || entry.devOptional) && !named.has(path)) ||
      installed[path]?.version === entry.version,
  )
}
