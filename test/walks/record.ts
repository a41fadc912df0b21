// Runs one walk and prints the files of src/ whose functions ran in each of several rounds, as JSON. Started by walks.test.ts in a process of its own.
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { WALKS, type Walk } from './walks.ts'

const name = process.argv[2] ?? ''
const walk: Walk | undefined = WALKS[name]
if (walk === undefined) throw new Error(`no walk is called ${name}`)

const SRC = new URL('../../src/', import.meta.url).href
const ROUNDS = 8
const session = new Session()
session.connect()
const prepared = await walk.prepare()
await session.post('Profiler.enable')
// The first round compiles schemas and fills caches: what it enters belongs to the start, not to the walk.
await prepared.step()
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
// What runs by a timer or once for many calls is not in every round, and so not on the way.
let files = await recordRound()
for (let round = 1; round < ROUNDS; round += 1) {
  const others = await recordRound()
  files = files.filter((file) => others.includes(file))
}
await prepared.close()
console.log(JSON.stringify(files.sort()))

async function recordRound(): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage')
  await prepared.step()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url, functions }) => url.startsWith(SRC) && functions.some(ran))
    .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(SRC).length))
}

/** Functions without a name are arrows that stand in the way of a call as well; the module itself ran at the start. */
function ran({ ranges }: { readonly ranges: readonly { readonly count: number }[] }): boolean {
  return (ranges[0]?.count ?? 0) > 0
}
