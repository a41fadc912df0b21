/**
 * Starts `waymark serve` in a process of its own and attacks it: hostile requests, patterns that take for ever, more calls
 * than it can do. Only 127.0.0.1, bounded in number and time. Prints what came of each phase; exits 1 when one failed.
 *
 *   npm run test:hostile -- --seconds 60 --probe-p99 1000 --skip patterns
 */
import { parseArgs } from 'node:util'
import { listAttacks, listPatternAttacks } from '../test/hostile/attacks.ts'
import {
  type Phase,
  quantile,
  runAttacks,
  runOverload,
  startPatternApi,
} from '../test/hostile/run-attacks.ts'
import { startWaymark, type WaymarkProcess } from '../test/support/waymark-process.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'probe-p99': { type: 'string', default: '1000' },
    skip: { type: 'string', multiple: true, default: [] },
  },
})
const SERVICE = 'test/hostile/hostile-service.ts'
const mostProbe = Number(values['probe-p99'])
let failed = false

async function phase(
  name: string,
  args: readonly string[],
  run: (served: WaymarkProcess) => Promise<Phase>,
): Promise<void> {
  if (values.skip.includes(name)) {
    process.stdout.write(`${name}: left out\n`)
    return
  }
  const served = await startWaymark([...args, '--allow-execute'])
  const { counts, faults, probes, idle = [] } = await run(served)
  const p99 = quantile(probes, 0.99)
  const late = p99 > mostProbe ? [`the probe took ${p99.toFixed(0)} ms at the 99th percentile`] : []
  const died = served.child.exitCode === null ? [] : ['the process ended']
  await served.stop()
  const statuses = Object.entries(counts).map(([status, count]) => `${status}: ${count}`)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  process.stdout.write(
    `${name}: ${total} requests (${statuses.join(', ')}); ${probes.length} probes, p50 ${quantile(probes, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms\n`,
  )
  if (idle.length > 0) {
    const idleP99 = quantile(idle, 0.99)
    process.stdout.write(
      `  an idle server at the same time: p50 ${quantile(idle, 0.5).toFixed(1)} ms, p99 ${idleP99.toFixed(1)} ms; ratio of the p99 ${(p99 / idleP99).toFixed(1)}\n`,
    )
  }
  for (const fault of [...faults, ...late, ...died].slice(0, 50)) {
    failed = true
    process.stdout.write(`  FAILED ${fault}\n`)
  }
}

await phase('requests', [SERVICE], (served) => runAttacks(served, listAttacks()))
const api = await startPatternApi()
await phase('patterns', [api.document], (served) => runAttacks(served, listPatternAttacks()))
api.close()
await phase('overload', [SERVICE], async (served) => {
  const idle = await startWaymark([SERVICE])
  try {
    return await runOverload(served, { seconds: Number(values.seconds), idle })
  } finally {
    await idle.stop()
  }
})
process.exitCode = failed ? 1 : 0
