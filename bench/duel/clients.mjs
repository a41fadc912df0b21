// What a call costs its caller: CPU of the client's process per call, each client against the server it is made for.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CALLS } from './catalog.mjs'
import { open, stop, withSpread } from './harness.mjs'

const HERE = fileURLToPath(new URL('./client-process.mjs', import.meta.url))
const named = (name) => CALLS.find((spec) => spec.name.startsWith(name))
const CLIENTS = {
  fetch: named('Waymark, REST'),
  waymark: named('Waymark, Forrst'),
  ofetch: named('Waymark, REST'),
  orpc: named('oRPC'),
  mcp: named('Waymark, MCP'),
}
const NAMES = {
  fetch: 'fetch and JSON by hand (REST)',
  waymark: 'waymark/client (Forrst)',
  ofetch: 'ofetch (REST)',
  orpc: 'oRPC client',
  mcp: 'official MCP client 2.x',
}

/** Measures every client and gives a table. */
export async function compareClients({ rounds }) {
  const samples = new Map()
  for (let round = 0; round < rounds; round += 1) {
    for (const [client, spec] of Object.entries(CLIENTS)) {
      const server = await open(spec)
      const { stdout, stderr, status } = spawnSync('taskset', [
        '-c',
        '1',
        process.execPath,
        HERE,
        client,
        server.base,
      ])
      await stop(server)
      if (status === 3) continue
      if (status !== 0) throw new Error(`${client}: ${stderr}`)
      const known = samples.get(client) ?? []
      samples.set(client, [...known, JSON.parse(stdout.toString())])
    }
  }
  const rows = [...samples].map(
    ([client, all]) =>
      `| ${NAMES[client]} | ${withSpread(
        all.map(({ cpu }) => cpu),
        0,
      )} | ${withSpread(
        all.map(({ perSecond }) => perSecond),
        0,
      )} |`,
  )
  return [
    '## Clients',
    '',
    'Sixteen callers in one process, 5,000 calls after a warm-up; each against the server it is made for. A client that is not',
    'installed is left out.',
    '',
    '| client | CPU µs per call | calls per second |',
    '| --- | ---: | ---: |',
    ...rows,
  ].join('\n')
}
