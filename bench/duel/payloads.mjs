// Large bodies in and out, and a stream of many items.
import { listPayloads, RAW } from './catalog.mjs'
import { cpuOf, duel, load, median, open, peakOf, readAll, stop, withSpread } from './harness.mjs'

const ITEMS = 100_000
const CONNECTIONS = 4

/** Compares large bodies and streams with raw node:http and gives a table. */
export async function comparePayloads({ rounds, seconds }) {
  const rows = []
  for (const { name, raw, ours } of listPayloads()) {
    const ratios = []
    const peaks = []
    for (let round = 0; round < rounds; round += 1) {
      const [left, right] = [await open(raw), await open({ name, ...ours })]
      await load(right, 2, CONNECTIONS)
      await load(left, 1, CONNECTIONS)
      const [ofRaw, ofOurs] = await duel(left, right, seconds, CONNECTIONS)
      ratios.push(ofRaw / ofOurs)
      peaks.push([peakOf(left), peakOf(right)])
      await Promise.all([stop(left), stop(right)])
    }
    console.log(`${name} ${withSpread(ratios, 3)}`)
    rows.push(toRow(name, ratios, peaks))
  }
  rows.push(await compareStreams(rounds))
  return [
    '## Large bodies and streams',
    '',
    `${CONNECTIONS} connections each; in: Forrst, an order of many lines; out: REST, a list of orders; the stream: REST, JSON lines, one`,
    'reader. Peak memory of raw node:http and of Waymark.',
    '',
    '| body | ratio to raw node:http | raw MiB | Waymark MiB |',
    '| --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n')
}

async function compareStreams(rounds) {
  const body = JSON.stringify({ count: ITEMS })
  const headers = { 'content-type': 'application/json', accept: 'application/jsonl' }
  const ratios = []
  const peaks = []
  for (let round = 0; round < rounds; round += 1) {
    const costs = []
    const peak = []
    for (const [spec, path] of [
      [{ ...RAW, bodies: 1 }, '/items'],
      [{ ...RAW, file: 'waymark', bodies: 1 }, '/api/orders.items'],
    ]) {
      const server = await open(spec)
      await readAll(server.base + path, headers, body)
      const before = cpuOf(server)
      for (let time = 0; time < 3; time += 1) {
        const bytes = await readAll(server.base + path, headers, body)
        if (bytes < ITEMS * 30) throw new Error(`${spec.file}: the stream is not whole`)
      }
      costs.push(cpuOf(server) - before)
      peak.push(peakOf(server))
      await stop(server)
    }
    ratios.push(costs[0] / costs[1])
    peaks.push(peak)
  }
  return toRow('a stream of 100,000 items', ratios, peaks)
}

function toRow(name, ratios, peaks) {
  const of = (index) => median(peaks.map((pair) => pair[index])).toFixed(0)
  return `| ${name} | ${withSpread(ratios, 3)} | ${of(0)} | ${of(1)} |`
}
