import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

// Runs the property tests with new seeds: node scripts/fuzz.mjs [--rounds 10] [--seed first] [folder or file ...]
const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, seed: { type: 'string' } },
  allowPositionals: true,
})
const rounds = Number(values.rounds)
const first = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds needs a whole number')
if (!Number.isInteger(first)) throw new TypeError('--seed needs a whole number')

const files = ['src', 'test']
  .flatMap((root) => readdirSync(root, { recursive: true }).map((path) => `${root}/${path}`))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.startsWith(part)))
  .filter((path) => readFileSync(path, 'utf8').includes('support/property.ts'))
if (files.length === 0) throw new TypeError('there is no property test under what was named')

const failed = []
for (let round = 0; round < rounds; round++) {
  const seed = (first + round) % 2 ** 31
  const { status, stdout, stderr } = spawnSync('npx', ['vitest', 'run', ...files], {
    env: { ...process.env, WAYMARK_SEED: String(seed) },
    encoding: 'utf8',
  })
  console.log(`round ${round + 1} of ${rounds}, seed ${seed}: ${status === 0 ? 'fine' : 'FAILED'}`)
  if (status === 0) continue
  failed.push(seed)
  console.log(`${stdout}${stderr}`)
}
if (failed.length > 0) {
  console.log(
    `failed with WAYMARK_SEED=${failed.join(', ')}; each fails again with: WAYMARK_SEED=${failed[0]} npx vitest run`,
  )
  process.exitCode = 1
}
