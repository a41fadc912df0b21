import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatTable } from '../../src/cli/print.ts'
import { buildPackage } from '../support/built-package.ts'

// Counts do not depend on the machine; CPU time is printed for people and judged by nobody.
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HOOK = `${ROOT}test/support/count-modules.mjs`

interface Load {
  readonly out: string
  /** Addresses, those of this package from its root on. */
  readonly modules: readonly string[]
  readonly cpuMs: number
}

const API = `openapi: 3.1.0
info: { title: Trees, version: 1.0.0 }
paths:
  /trees: { get: { operationId: listTrees, responses: { '200': { description: ok } } } }
`

const DISCOVERY = JSON.stringify({
  forrst: '0.1.0',
  discovery: '0.1.0',
  info: { title: 'Trees', version: '1.0.0' },
  functions: [],
})

describe('a start of the installed program', () => {
  mkdirSync(`${ROOT}test/.docs`, { recursive: true })
  const folder = `${mkdtempSync(`${ROOT}test/.docs/start-`)}/`
  const shown: string[][] = []

  beforeAll(async () => {
    await buildPackage(`${folder}waymark/`)
    writeFileSync(`${folder}api.yaml`, API)
    writeFileSync(`${folder}service.json`, DISCOVERY)
  }, 120_000)

  afterAll(() => {
    rmSync(folder, { recursive: true })
    console.info(formatTable([['command', 'modules', 'CPU ms'], ...shown]))
  })

  async function start(line: string): Promise<Load> {
    const report = `${folder}modules.json`
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', HOOK, `${folder}waymark/bin/waymark.js`, ...line.split(' ')],
      { cwd: folder, env: { ...process.env, MODULES_FILE: report } },
    )
    const { modules, cpuMs } = JSON.parse(readFileSync(report, 'utf8')) as Omit<Load, 'out'>
    shown.push([line, `${modules.length}`, `${cpuMs}`])
    return {
      out: stdout,
      cpuMs,
      modules: modules.map((url) => url.split('/waymark/').at(-1) ?? url),
    }
  }

  /** Tells whether a file has code of extensions, surfaces or the server in it. */
  function holdsCode(path: string): boolean {
    if (!path.startsWith('dist/')) return false
    const text = readFileSync(`${folder}waymark/${path}`, 'utf8')
    return /function (?:chooseExtensions|createForrstHandler|createMcpServer|createApp)\(/.test(
      text,
    )
  }

  it.each([
    ['--help', 20, 'Commands:'],
    ['--version', 20, '0.'],
    ['help diff', 20, 'waymark diff <old> <new>'],
    ['serve --help', 20, 'waymark serve'],
    ['forge agent --help', 20, 'waymark forge agent'],
    ['completion bash', 20, '_waymark()'],
  ])('%s loads the grammar and the code of no other command', async (line, most, text) => {
    const { out, modules } = await start(line)
    expect(out).toContain(text)
    expect(modules).toContain('dist/cli/main.js')
    expect(modules.length).toBeLessThanOrEqual(most)
    expect(modules.filter(holdsCode)).toEqual([])
  })

  it.each([
    ['diff api.yaml api.yaml', 170, 'No differences'],
    ['diff service.json service.json', 170, 'No differences'],
    ['describe service.json', 170, 'Trees'],
    ['check service.json', 170, ''],
    ['forge tool --list api.yaml', 170, 'list_trees'],
  ])('%s loads neither extensions nor surfaces', async (line, most, text) => {
    const { out, modules } = await start(line)
    expect(out).toContain(text)
    expect(modules.filter(holdsCode)).toEqual([])
    expect(modules.length).toBeLessThanOrEqual(most)
  })
})
