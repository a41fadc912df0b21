// What a call costs beside other servers, with little noise: two servers do the same work on one core at the same time, one
// wrk each on the other core, and CPU per request is compared. Both see the same machine at the same moment, so the ratio
// holds to within 2 or 3 % where requests per second, taken one after the other, move by 20 %.
//   npm run bench [-- calls payloads start clients …]; ROUNDS, SECONDS, ONLY (part of a name) for less
// WAYMARK_DIST names a built package; without it, dist/ is built. All sections together write bench/RESULTS.md.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { compareCalls } from './duel/calls.mjs'
import { compareClients } from './duel/clients.mjs'
import { assertPrograms } from './duel/harness.mjs'
import { comparePayloads } from './duel/payloads.mjs'
import { compareStarts } from './duel/starts.mjs'

const SECTIONS = {
  calls: compareCalls,
  payloads: comparePayloads,
  start: compareStarts,
  clients: compareClients,
}
const rounds = Number(process.env.ROUNDS ?? 3)
const seconds = Number(process.env.SECONDS ?? 5)
const wanted = process.argv.slice(2)

assertPrograms()
if (process.env.WAYMARK_DIST === undefined) {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' })
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim()
const [cpu] = cpus()
const parts = [
  `# What a call costs

\`npm run bench\`, ${rounds} rounds of ${seconds} s; medians, with the lowest and highest round. Two servers share one core at the same time and
are loaded by one wrk each from another core; the ratio is the CPU time per request of raw node:http divided by that of the
server. Logs and metrics are off, everything else is the default of \`createApp\`.

${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node ${process.versions.node}, ${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB.`,
]
for (const [name, compare] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const section = await compare({ rounds, seconds })
  console.log(`\n${section}\n`)
  parts.push(section)
}
if (parts.length === Object.keys(SECTIONS).length + 1 && process.env.ONLY === undefined) {
  writeFileSync(new URL('./RESULTS.md', import.meta.url), `${parts.join('\n\n')}\n`)
  console.log('written to bench/RESULTS.md')
}
