import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFixture } from './fixture-service.ts'
import { type Listening, listen } from './listen.ts'
import { installScratch, nodePackage, runs, scratchNode } from './scratch.ts'

const SUITE = '@modelcontextprotocol/conformance'
const BASELINE = fileURLToPath(new URL('./expected-failures.yml', import.meta.url))
const folder = await installScratch('conformance', [
  `${SUITE}@0.2.0-alpha.12`,
  `${nodePackage()}@24.21.0`,
])
const ready = folder !== undefined && runs(scratchNode(folder))

const CLIENT_SOURCE = fileURLToPath(new URL('./conformance-client.ts', import.meta.url))
// Where the packages that it imports are found.
const CLIENT = fileURLToPath(
  new URL('../../node_modules/.waymark-conformance/client.mjs', import.meta.url),
)

/** The suite starts all clients at once; on two cores the last one needs longer than its 30 s. */
const CLIENT_TIMEOUT_MS = '120000'

/** Extensions that Waymark as a client does not offer; docs/guides/mcp.md gives the reasons. */
const NOT_OFFERED = [
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
]

/** Runs the suite and gives what it printed. */
function conform(
  side: readonly string[],
  revision: string,
): Promise<{ code: number; output: string }> {
  const suite = join(folder ?? '', 'node_modules', SUITE, 'dist/index.js')
  const args = [suite, ...side, '--requirements', revision]
  return new Promise((resolve) => {
    execFile(
      scratchNode(folder ?? ''),
      [...args, '--expected-failures', BASELINE],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1)
        resolve({ code, output: stdout + stderr })
      },
    )
  })
}

describe.skipIf(!ready)('official MCP conformance suite (needs the package registry once)', () => {
  let server: Listening
  beforeAll(async () => {
    const { service, options } = createFixture()
    server = await listen(service, options)
    // One file for all of them: otherwise each client compiles the whole source, at the same moment.
    await build({
      entryPoints: [CLIENT_SOURCE],
      outfile: CLIENT,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      conditions: ['waymark-source'],
      logLevel: 'error',
    })
  })
  afterAll(() => server.close())

  it.each([
    ['2025-11-25', 33, 83],
    ['2026-07-28', 50, 196],
  ])(
    'passes every scenario of %s, scored or not',
    { timeout: 180_000 },
    async (revision, scenarios, checks) => {
      const { code, output } = await conform(['server', '--url', server.url], revision)
      const summary = output.slice(output.indexOf('=== SUMMARY ==='))
      console.log(`conformance ${revision}\n${summary}`)
      expect(code).toBe(0)
      expect(summary).not.toContain('✗')
      expect(summary.match(/^✓ /gm)).toHaveLength(scenarios)
      expect(summary).toContain(`Total: ${checks} passed, 0 failed`)
    },
  )

  it.each([
    ['2025-11-25', 21],
    ['2026-07-28', 35],
  ])(
    'passes every client scenario of %s but those of extensions it does not offer',
    { timeout: 180_000 },
    async (revision, scenarios) => {
      const command = `"${process.execPath}" "${CLIENT}"`
      const side = ['client', '--command', command, '--timeout', CLIENT_TIMEOUT_MS]
      const { code, output } = await conform(side, revision)
      const all = output.slice(output.indexOf('=== SUITE SUMMARY ==='))
      const summary = all.slice(0, all.indexOf('Total:'))
      console.log(`client conformance ${revision}\n${all}`)
      expect(code).toBe(0)
      const failed = [...summary.matchAll(/^✗ ([^:]+):/gm)].map(([, name]) => name)
      expect(failed).toEqual(NOT_OFFERED)
      expect(summary.match(/^✓ /gm)).toHaveLength(scenarios)
    },
  )
})
