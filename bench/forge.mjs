// Import plus generate of three large API descriptions, against openapi-typescript and @hey-api/openapi-ts on the same
// files in one run; and picking four operations out of Stripe's, against parsing its YAML alone. Every sample is a
// process of its own, rounds interleaved, so that a busy moment hits all alike. Only ratios mean anything.
// Run: node bench/forge.mjs [rounds]. The two peers are installed into a scratch folder, not into the project.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const CORPUS = fileURLToPath(new URL('../../shared/corpus/openapi/', import.meta.url))
const DOCUMENTS = {
  Stripe: 'stripe.com__2022-11-15__openapi.yaml',
  Kubernetes: 'kubernetes.io__v1.10.0__swagger.yaml',
  DocuSign: 'docusign.net__v2.1__openapi.yaml',
}
const PICKED = ['get_account', 'get_customers', 'post_customers', 'get_charges']
// The newest that run on Node 20; the compiler is the one both were made for.
const PEERS = {
  'openapi-typescript': '7.13.0',
  '@hey-api/openapi-ts': '0.95.0',
  typescript: '5.9.3',
}
const PEER_FOLDER = join(tmpdir(), 'waymark-bench-peers')
// What the package ships: a loader that compiles on the fly would slow our own code down.
const BUILT = fileURLToPath(new URL('../node_modules/.cache/waymark-bench/', import.meta.url))

/** What each contestant does with a file: read it, and write TypeScript into a folder. */
const JOBS = {
  'waymark forge': async () => {
    const { importOpenApi, loadOpenApi } = await importBuilt('openapi/index.js')
    const { generateCode } = await importBuilt('codegen/generate.js')
    const { formatToolSpec } = await importBuilt('spec/index.js')
    return (file, out) => {
      const { spec } = importFile({ importOpenApi, loadOpenApi }, file)
      for (const { path, text } of generateCode(spec)) writeFileSync(join(out, path), text)
      writeFileSync(join(out, 'tool-spec.yaml'), formatToolSpec(spec))
    }
  },
  'openapi-typescript': async () => {
    const { default: openapiTS, astToString } = await importPeer('openapi-typescript')
    return async (file, out) => {
      writeFileSync(join(out, 'types.ts'), astToString(await openapiTS(pathToFileURL(file))))
    }
  },
  '@hey-api/openapi-ts': async () => {
    const { createClient } = await importPeer('@hey-api/openapi-ts')
    return (file, out) => createClient({ input: file, output: out, logs: { level: 'silent' } })
  },
  'parse alone': async () => {
    const { loadOpenApi } = await importBuilt('openapi/index.js')
    return (file) => {
      if (!loadOpenApi(readFileSync(file, 'utf8')).ok)
        throw new Error('the document does not parse')
    }
  },
  'pick four': async () => {
    const { importOpenApi, loadOpenApi } = await importBuilt('openapi/index.js')
    const { generateCode } = await importBuilt('codegen/generate.js')
    return (file, out) => {
      const { spec } = importFile({ importOpenApi, loadOpenApi }, file, { pick: PICKED })
      if (spec.tools.length !== PICKED.length) throw new Error('not four operations')
      for (const { path, text } of generateCode(spec)) writeFileSync(join(out, path), text)
    }
  },
}

if (process.argv[2] === '--sample') await runSample(process.argv[3], process.argv[4])
else await compare(Number(process.argv[2] ?? 5))

async function compare(rounds) {
  if (!existsSync(CORPUS)) {
    console.log('skipped: ../shared/corpus/openapi is not there')
    return
  }
  installPeers()
  build()
  console.log(`${rounds} rounds, one process per sample; median wall time, CPU time, peak memory\n`)
  const ours = 'waymark forge'
  const contestants = [ours, 'openapi-typescript', '@hey-api/openapi-ts']
  for (const [title, file] of Object.entries(DOCUMENTS)) {
    const results = await sampleAll(contestants, file, rounds)
    console.log(title)
    for (const name of contestants) printRow(name, results.get(name), results.get(ours))
  }
  const pick = await sampleAll(['parse alone', 'pick four'], DOCUMENTS.Stripe, rounds)
  console.log('Stripe, four operations picked')
  printRow('parse alone', pick.get('parse alone'))
  printRow('pick four', pick.get('pick four'))
  const [parse, picked] = [pick.get('parse alone'), pick.get('pick four')]
  console.log(`  ${formatRatio(picked, parse)} times the parse   goal: at most 1.3`)
}

async function sampleAll(names, file, rounds) {
  const samples = new Map(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const earlier = samples.get(name)
      if (earlier[0]?.refused) continue
      earlier.push(await sample(name, file))
    }
  }
  return new Map(
    names.map((name) => {
      const list = samples.get(name)
      const median = (key) => list.map((one) => one[key]).sort((a, b) => a - b)[list.length >> 1]
      if (list[0].refused) return [name, list[0]]
      return [name, { wall: median('wall'), cpu: median('cpu'), peak: median('peak') }]
    }),
  )
}

async function sample(name, file) {
  const args = [fileURLToPath(import.meta.url), '--sample', name, file]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 })
    return JSON.parse(stdout.trim().split('\n').at(-1))
  } catch (thrown) {
    const reason =
      /^(?:\w*Error): (.*)$/m.exec(String(thrown.stderr))?.[1] ?? String(thrown.message)
    return { refused: reason.slice(0, 100) }
  }
}

async function runSample(name, file) {
  const job = await JOBS[name]()
  const out = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
  const cpu = process.cpuUsage()
  const start = performance.now()
  await job(join(CORPUS, file), out)
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  rmSync(out, { recursive: true })
  const peak = process.resourceUsage().maxRSS / 1024
  console.log(JSON.stringify({ wall, cpu: (user + system) / 1000, peak }))
}

function importFile({ importOpenApi, loadOpenApi }, file, options = {}) {
  const loaded = loadOpenApi(readFileSync(file, 'utf8'), { file })
  const result = loaded.ok ? importOpenApi(loaded.document, { file, ...options }) : loaded
  if (!result.ok) throw new Error(result.problems.map((problem) => problem.message).join('; '))
  return result
}

function printRow(name, result, ours) {
  const label = `  ${name.padEnd(22)}`
  if (result.refused) {
    console.log(`${label} refuses: ${result.refused}`)
    return
  }
  const { wall, cpu, peak } = result
  const ratio = ours && result !== ours ? `   ${formatRatio(result, ours)} times ours` : ''
  const times = `${wall.toFixed(0).padStart(7)} ms  ${cpu.toFixed(0).padStart(7)} ms CPU`
  console.log(`${label}${times}  ${peak.toFixed(0).padStart(5)} MiB${ratio}`)
}

function formatRatio(one, other) {
  return `${(one.wall / other.wall).toFixed(2)} (CPU ${(one.cpu / other.cpu).toFixed(2)})`
}

function installPeers() {
  const manifest = join(PEER_FOLDER, 'package.json')
  const wanted = JSON.stringify({ private: true, dependencies: PEERS })
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') === wanted) return
  mkdirSync(PEER_FOLDER, { recursive: true })
  writeFileSync(manifest, wanted)
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--silent']
  execFileSync('npm', args, { cwd: PEER_FOLDER, stdio: 'inherit' })
}

// An error in an unrelated file must not stop the bench: the compiler writes what it can.
function build() {
  rmSync(BUILT, { recursive: true, force: true })
  const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
  const project = fileURLToPath(new URL('../tsconfig.build.json', import.meta.url))
  spawnSync(process.execPath, [tsc, '-p', project, '--outDir', BUILT, '--declaration', 'false'])
  writeFileSync(join(BUILT, 'package.json'), '{ "type": "module" }')
}

function importBuilt(path) {
  return import(pathToFileURL(join(BUILT, path)).href)
}

async function importPeer(name) {
  const require = createRequire(join(PEER_FOLDER, 'package.json'))
  const root = join(PEER_FOLDER, 'node_modules', name)
  const { exports, module, main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entry = exports?.['.']?.import ?? exports?.['.'] ?? module ?? main
  const path = typeof entry === 'string' ? entry : (entry.default ?? require.resolve(name))
  return import(pathToFileURL(join(dirname(join(root, 'package.json')), path)).href)
}
