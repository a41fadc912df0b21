// Checks the package as its users get it: entries, types, size, dependencies, bundles, and what an import costs.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { buildSync } from 'esbuild'
import { rolldown } from 'rolldown'

/** What the package may cost. Raising a number is a decision, and shows up in review. */
const BUDGET = {
  packedKb: 1_800,
  files: 750,
  installedMb: 45,
  direct: 10,
  packages: 20,
  // To become 250 again: it was 248 before files on every surface (src/files, multipart, schemas of files) and scopes came.
  serverKb: 280,
  // What a bundler that splits code loads at first; the rest of the client comes with the first call that needs it.
  clientFirstGzipKb: 12,
  // The same in one file, as esbuild writes it when it is not asked to split.
  clientWholeGzipKb: 18,
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
    clientFirstGzipKb: toGzipKb(await bundleFirst(CLIENT)),
    clientWholeGzipKb: toGzipKb(bundle(CLIENT, 'browser')),
  }
  const others = ['fastify', 'hono', '@orpc/server']
  run('npm', [...install, ...others.map((name) => `${name}@${devDependencies[name]}`)], folder)
  const imports = measureImports(['waymark', ...others])
  console.log('import CPU in ms, medians of 9 starts with the lowest and highest:')
  for (const { name, median, lowest, highest } of imports) {
    console.log(`  ${name.padEnd(18)} ${median} (${lowest}–${highest})`)
  }
  const [own, fastify] = imports
  found.importVersusFastify = Math.round((own.median / fastify.median) * 100) / 100
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
  await checkWithoutLibsql(modules)
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

/** Bundles a program in pieces and gives those that it loads before anything is called, one after the other. */
async function bundleFirst(contents) {
  const input = join(folder, 'first.js')
  writeFileSync(input, contents)
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const first = new Set(output.filter(({ isEntry }) => isEntry))
  for (const { imports } of first) for (const name of imports) first.add(chunks.get(name))
  return [...first].map(({ code }) => code).join('\n')
}

function toGzipKb(code) {
  return Math.ceil((gzipSync(code).byteLength / 1024) * 10) / 10
}

/** Without the native part of libsql, as on a platform that has none: only a SQLite store needs it, and names it. */
async function checkWithoutLibsql(modules) {
  rmSync(join(modules, '@libsql'), { recursive: true, force: true })
  const cli = [join(modules, 'waymark/bin/waymark.js'), 'serve', 'service.js', '--port', '0']
  writeFileSync(
    join(folder, 'service.js'),
    `import { createService } from 'waymark'
export default ({ store }) =>
  createService({ store, info: { title: 'Empty', version: '1.0.0' }, functions: [] })`,
  )
  const sqlite = spawnSync(process.execPath, [...cli, '--store', 'sqlite:state.db'], {
    cwd: folder,
    encoding: 'utf8',
  })
  console.log(`sqlite: without libsql: exit ${sqlite.status}, ${sqlite.stderr.trim()}`)
  const isOneLine = sqlite.stderr.trim().split('\n').length === 1
  if (sqlite.status !== 2 || !isOneLine || !sqlite.stderr.includes('libsql')) process.exitCode = 1
  const served = spawn(process.execPath, [...cli, '--store', 'memory:'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    for await (const line of createInterface({ input: served.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
      if (url === undefined) continue
      const { status } = await fetch(`${url}/health/ready`)
      console.log(`memory: without libsql: /health/ready answers ${status}`)
      if (status === 200) return
    }
    process.exitCode = 1
  } finally {
    served.kill()
  }
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
  return names.map((name, index) => {
    const times = rounds.map((round) => Math.round(round[index])).toSorted((a, b) => a - b)
    return { name, lowest: times[0], median: times[4], highest: times[8] }
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
