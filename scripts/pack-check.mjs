// Checks the package as its users get it: entries, types, size and number of dependencies.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the package may cost. Raising a number is a decision, and shows up in review. */
const BUDGET = { packedKb: 2_600, installedMb: 50, direct: 13, packages: 24 }

run('node', ['scripts/build.mjs'])
run('npx', ['publint', '--strict'])
run('npx', ['attw', '--pack', '.', '--profile', 'esm-only'])

const folder = mkdtempSync(join(tmpdir(), 'waymark-pack-'))
try {
  const packed = JSON.parse(
    execFileSync(
      'npm',
      ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder],
      {
        encoding: 'utf8',
      },
    ),
  )
  const [{ filename, size, entryCount }] = Array.isArray(packed) ? packed : Object.values(packed)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', join(folder, filename)], folder)
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const found = {
    packedKb: Math.round(size / 1024),
    installedMb: Math.round(sizeOf(join(folder, 'node_modules')) / 1024 / 1024),
    direct: Object.keys(dependencies).length,
    packages: countPackages(join(folder, 'node_modules')),
  }
  console.log(
    `packed      ${found.packedKb} kB in ${entryCount} files (at most ${BUDGET.packedKb})`,
  )
  console.log(`installed   ${found.installedMb} MB (at most ${BUDGET.installedMb})`)
  console.log(
    `dependencies ${found.direct} direct (at most ${BUDGET.direct}), ${found.packages} packages in all (at most ${BUDGET.packages})`,
  )
  const over = Object.keys(BUDGET).filter((key) => found[key] > BUDGET[key])
  if (over.length > 0) {
    console.error(
      `over budget: ${over.join(', ')}; take something out, or raise BUDGET in scripts/pack-check.mjs and say why`,
    )
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function run(command, args, cwd = process.cwd()) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function sizeOf(path) {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry === undefined) return 0
  if (!entry.isDirectory()) return entry.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

function countPackages(modules) {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)) : [name])).length
}
