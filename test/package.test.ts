import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

describe('the package', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'))

  it('points every entry at a source file, at types and at code in dist', () => {
    for (const entry of entries) {
      const { 'waymark-source': source, types, default: code } = manifest.exports[entry]
      expect([types, code]).toEqual([
        source.replace('./src/', './dist/').replace('.ts', '.d.ts'),
        source.replace('./src/', './dist/').replace('.ts', '.js'),
      ])
    }
  })
})

/** A server that calls itself, says what it heard, and ends. */
const SERVER = `
import { createApp, createBareService, defineFunction, forrst, rest, toFetchHandler } from 'waymark'
import { openStore } from 'waymark/store'
const ping = defineFunction({ name: 'orders.ping', version: '1.0.0', handler: () => ({ ok: true }) })
const service = createBareService({ info: { title: 'Orders', version: '1.0.0' }, functions: [ping] })
const handle = toFetchHandler(createApp(service, { surfaces: [forrst(), rest()] }))
const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
const answer = await handle(new Request('http://localhost/api/orders.ping', init))
const memory = await openStore('memory:')
const sqlite = await openStore('sqlite::memory:').catch((error) => error.message)
console.log(JSON.stringify([answer.status, await answer.json(), memory.kind, sqlite]))
await memory.close()
`

/** What may not happen before somebody asks for it; each throws with the name of what was done. */
const FORBID = `
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
const forbid = (owner, names) => {
  for (const name of names) owner[name] = () => { throw new Error('called at import: ' + name) }
}
forbid(globalThis, ['setTimeout', 'setInterval', 'setImmediate', 'AbortController'])
forbid(Math, ['random'])
forbid(globalThis.crypto, ['randomUUID', 'getRandomValues'])
forbid(crypto, ['randomUUID', 'randomBytes', 'randomInt'])
syncBuiltinESMExports()
const { allSurfaces, createApp, createService, defineFunction } = await import('waymark')
const { createMemoryStore } = await import('waymark/store')
const ping = defineFunction({ name: 'orders.ping', version: '1.0.0', handler: () => ({ ok: true }) })
const info = { title: 'Orders', version: '1.0.0' }
const service = createService({ info, functions: [ping], store: createMemoryStore() })
createApp(service, { surfaces: allSurfaces() })
console.log('quiet')
process.exit(0)
`

describe('a program that imports the package', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-bundle-'))
    mkdirSync(folder, { recursive: true })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function bundleAndRun(contents: string): Promise<string> {
    const outfile = join(folder, `${Math.random()}.mjs`)
    await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['waymark-source'],
      outfile,
    })
    return (await run(process.execPath, [outfile], { cwd: folder })).stdout
  }

  it('is bundled by esbuild without flags, answers, and names libsql where it is missing', async () => {
    expect(JSON.parse(await bundleAndRun(SERVER))).toEqual([
      200,
      { ok: true },
      'memory',
      'A sqlite: store needs the package "libsql": run npm install libsql',
    ])
  })

  it('starts no timer, and takes no random number, before the first request', async () => {
    expect(await bundleAndRun(FORBID)).toBe('quiet\n')
  })
})
