// One small call: every server against raw node:http.
import { CALLS, RAW } from './catalog.mjs'
import { duel, load, median, open, stop, withSpread } from './harness.mjs'

/** A server is warm after so many requests: on a busy machine three seconds are too few of them. */
const WARM_REQUESTS = 60_000
const MOST_WARM_ROUNDS = 4

async function warm(server) {
  let requests = 0
  for (let round = 0; round < MOST_WARM_ROUNDS && requests < WARM_REQUESTS; round += 1) {
    requests += await load(server, 2)
  }
}

/** Compares all servers and gives a table. */
export async function compareCalls({ rounds, seconds }) {
  const { ONLY = '' } = process.env
  const specs = CALLS.filter(({ name }) => name.toLowerCase().includes(ONLY.toLowerCase()))
  const samples = new Map(specs.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    const raw = await open(RAW)
    await warm(raw)
    // Another order every round: no server always follows the same one.
    const shift = (round * 5) % specs.length
    for (const spec of [...specs.slice(shift), ...specs.slice(0, shift)]) {
      const server = await open(spec)
      await warm(server)
      const [ofRaw, ofServer] = await duel(raw, server, seconds)
      samples.get(spec.name).push({ ratio: ofRaw / ofServer, cpu: ofServer })
      console.log(`round ${round + 1}: ${spec.name} ${(ofRaw / ofServer).toFixed(3)}`)
      await stop(server)
    }
    await stop(raw)
  }
  const rows = [...samples].map(([name, all]) => {
    const ratios = all.map(({ ratio }) => ratio)
    return `| ${name} | ${withSpread(ratios, 3)} | ${median(all.map(({ cpu }) => cpu)).toFixed(1)} |`
  })
  return [
    '## A small call',
    '',
    'One `orders.create` with two lines, checked, over loopback HTTP with keep-alive and 32 connections each.',
    '',
    '| server | ratio to raw node:http | CPU µs per request |',
    '| --- | ---: | ---: |',
    ...rows,
    '',
    'MCP’s messages are longer than those of the raw handler; what that costs is the row of bare MCP messages.',
  ].join('\n')
}
