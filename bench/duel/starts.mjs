// From the start of a process to its first right answer, or to its end.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CALLS, RAW } from './catalog.mjs'
import { cpuOf, open, peakOf, startProgram, stop, withSpread } from './harness.mjs'

const CLI = fileURLToPath(new URL('../../bin/waymark.js', import.meta.url))
const STRIPE = fileURLToPath(
  new URL('../../../shared/corpus/openapi/stripe.com__2022-11-15__openapi.yaml', import.meta.url),
)

const named = (name) => CALLS.find((spec) => spec.name.startsWith(name))
const server = (spec) => async () => {
  const opened = await open({ ...spec, name: 'start' })
  const cost = { cpu: cpuOf(opened) * 1000, peak: peakOf(opened) }
  await stop(opened)
  return cost
}
const command = (args) => async () => {
  const { stderr, status } = spawnSync('bash', [
    '-c',
    `TIMEFORMAT='%U %S'; time ${process.execPath} ${CLI} ${args} >/dev/null`,
  ])
  const [user, system] = stderr.toString().trim().split('\n').at(-1).split(' ').map(Number)
  if (status !== 0) throw new Error(`waymark ${args} failed: ${stderr}`)
  return { cpu: (user + system) * 1000, peak: Number.NaN }
}
const serveStripe = async () => {
  const running = await startProgram([CLI, 'serve', STRIPE, '--port', '0'], {}, /http:\/\//)
  const cost = { cpu: cpuOf(running) * 1000, peak: peakOf(running) }
  await stop(running)
  return cost
}

const STARTS = {
  'raw node:http': server(RAW),
  Waymark: server(named('Waymark, Forrst')),
  'Waymark, 10,000 functions': server(named('Waymark, Forrst, 10,000')),
  Fastify: server(named('Fastify')),
  oRPC: server(named('oRPC')),
  'official MCP server 2.x': server(named('official')),
  ...(existsSync(STRIPE) && { 'waymark serve stripe.yaml (3.4 MB)': serveStripe }),
  'waymark --help': command('--help'),
  'waymark --version': command('--version'),
}

/** Measures what a start costs and gives a table. */
export async function compareStarts({ rounds }) {
  const samples = new Map(Object.keys(STARTS).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of Object.entries(STARTS)) samples.get(name).push(await start())
  }
  const rows = [...samples].map(([name, all]) => {
    const peaks = all.map(({ peak }) => peak)
    const memory = Number.isNaN(peaks[0]) ? '' : withSpread(peaks, 0)
    return `| ${name} | ${withSpread(
      all.map(({ cpu }) => cpu),
      0,
    )} | ${memory} |`
  })
  return [
    '## Start',
    '',
    'CPU until the first answers are right (seven requests), until `serve` tells its address, or until the command ends.',
    '',
    '| | CPU ms | peak MiB |',
    '| --- | ---: | ---: |',
    ...rows,
  ].join('\n')
}
