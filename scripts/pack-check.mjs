// Checks the package as its users get it: entries, types, size, dependencies, bundles, and what an import costs.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'

/** What the package may cost. Raising a number is a decision, and shows up in review. */
const BUDGET = {
  packedKb: 1_800,
  files: 750,
  installedMb: 45,
  direct: 10,
  packages: 20,
  // To become 250 and 12. Of the server, 20 kB are meta-schemas of TypeBox, which almost nobody refers to.
  serverKb: 270,
  clientGzipKb: 15.5,
  importVersusFastify: 1,
}

const SERVER = `
import { createServer } from 'node:http'
import { createApp, createBareService, defineFunction, forrst, rest, toNodeListener } from 'waymark'
const ping = defineFunction({ name: 'orders.ping', version: '1.0.0', handler: () => ({ ok: true }) })
const service = createBareService({ info: { title: 'Orders', version: '1.0.0' }, functions: [ping] })
createServer(toNodeListener(createApp(service, { surfaces: [forrst(), rest()] }))).listen(0)
`
const CLIENT = `export { createClient } from 'waymark/client'`

run('node', ['scripts/build.mjs'])
run('npx', ['publint', '--strict'])
run('npx', ['attw', '--pack', '.', '--profile', 'esm-only'])

const folder = mkdtempSync(join(tmpdir(), 'waymark-pack-'))
try {
  const destination = ['--pack-destination', folder]
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--ignore-scripts', ...destination], {
      encoding: 'utf8',
    }),
  )
  const [{ filename, size, entryCount }] = Array.isArray(packed) ? packed : Object.values(packed)
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const install = ['install', '--silent', '--no-audit', '--no-fund']
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  run('npm', [...install, join(folder, filename)], folder)
  const modules = join(folder, 'node_modules')
  const found = {
    packedKb: Math.round(size / 1024),
    files: entryCount,
    installedMb: Math.round(sizeOf(modules) / 1024 / 1024),
    direct: Object.keys(dependencies).length,
    packages: countPackages(modules),
    serverKb: Math.round(bundle(SERVER, 'node').byteLength / 1024),
    clientGzipKb: Math.ceil((gzipSync(bundle(CLIENT, 'browser')).byteLength / 1024) * 10) / 10,
  }
  run('npm', [...install, `fastify@${devDependencies.fastify}`], folder)
  const [own, other] = measureImports(['waymark', 'fastify'])
  console.log(`import CPU: waymark ${own} ms, fastify ${other} ms, medians of 9 starts`)
  found.importVersusFastify = Math.round((own / other) * 100) / 100
  for (const [name, limit] of Object.entries(BUDGET)) {
    console.log(`${name.padEnd(20)} ${String(found[name]).padStart(6)}  (at most ${limit})`)
  }
  const over = Object.keys(BUDGET).filter((key) => !(found[key] <= BUDGET[key]))
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

/** Bundles a program beside the installed package, minified, without further flags. */
function bundle(contents, platform) {
  const stdin = { contents, resolveDir: folder }
  const options = { bundle: true, minify: true, format: 'esm', platform, write: false }
  return buildSync({ stdin, ...options }).outputFiles[0].contents
}

/** CPU time of a process that imports a package, in turns, so that a busy machine is busy for all of them. */
function measureImports(names) {
  const rounds = Array.from({ length: 9 }, () =>
    names.map((name) => {
      const code = `await import('${name}'); const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`
      const args = ['--input-type=module', '-e', code]
      return Number(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }))
    }),
  )
  return names.map((_, index) => {
    const times = rounds.map((round) => round[index]).toSorted((a, b) => a - b)
    return Math.round(times[4])
  })
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
