import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { MODULES } from '../../scripts/modules.ts'
import { WALKS } from './walks.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = `${ROOT}docs/internals/architecture.md`
const page = readFileSync(PAGE, 'utf8')
const names = Object.keys(WALKS)

/** What stands under the heading of a walk, up to the next heading. */
const SECTION = /^### (.+)\n([\s\S]*?)(?=^#)/gm
const sections = new Map(
  [...page.matchAll(SECTION)].map(([, name = '', text = '']) => [name, text] as const),
)

/** Runs a walk in a process of its own: modules that other tests loaded would be there already. */
async function record(name: string): Promise<readonly string[]> {
  const script = fileURLToPath(new URL('record.ts', import.meta.url))
  const { stdout } = await run(
    process.execPath,
    ['--import', 'tsx', '--conditions=waymark-source', script, name],
    { cwd: ROOT, env: { ...process.env, NODE_V8_COVERAGE: '' } },
  )
  return JSON.parse(stdout)
}

/** Lists the modules that files stand in, the highest first. */
function toModules(files: readonly string[]): readonly string[] {
  return Object.keys(MODULES)
    .filter((name) => files.some((file) => file.startsWith(`${name}/`)))
    .reverse()
}

function writeLines(files: readonly string[]): string {
  return `modules: ${toModules(files).join(', ')}\nfiles: ${files.length}\n`
}

describe('docs/internals/architecture.md', () => {
  const recorded = new Map<string, readonly string[]>()
  beforeAll(async () => {
    for (const name of names) recorded.set(name, await record(name))
  }, 120_000)

  it('has a section for every walk, and no other', () => {
    expect([...sections.keys()]).toEqual(names)
  })

  it('says which modules each walk enters, and how many files; vitest -u writes it', async () => {
    const written = page.replace(SECTION, (whole, name: string) =>
      whole.replace(/^modules: .*\nfiles: .*\n/m, writeLines(recorded.get(name) ?? [])),
    )
    await expect(written).toMatchFileSnapshot(PAGE)
  })

  it.each(names)('names only files that %s passes', (name) => {
    const named = [...(sections.get(name) ?? '').matchAll(/`src\/([\w./-]+\.ts)`/g)]
    expect(named.length).toBeGreaterThan(0)
    const passed = recorded.get(name) ?? []
    expect(named.map(([, file = '']) => file).filter((file) => !passed.includes(file))).toEqual([])
  })

  it('lists the modules of scripts/modules.ts, in their order', () => {
    const [, list = ''] = /^## Modules\n([\s\S]*?)^## /m.exec(page) ?? []
    const listed = [...list.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(Object.keys(MODULES))
  })

  it('names only files that exist', () => {
    const files = [...page.matchAll(/`((?:src|test|scripts)\/[\w./-]+\.ts)`/g)]
    expect(files.map(([, file = '']) => file).filter((file) => !existsSync(ROOT + file))).toEqual(
      [],
    )
  })
})
