import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runMain } from './run-main.ts'

const cwd = mkdtempSync(join(tmpdir(), 'waymark-descriptions-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const run = (...args: string[]) => runMain(args, { cwd })

function write(name: string, functions: readonly object[]): void {
  const info = { title: 'T', version: '1.0.0' }
  writeFileSync(
    join(cwd, name),
    JSON.stringify({ forrst: '0.1.0', discovery: '0.1', info, functions }),
  )
}

write('old.json', [{ name: 'a.get', version: '1.0.0' }])
write('new.json', [])

describe('waymark diff', () => {
  it('exits 1 on what breaks callers, 0 when asked not to fail, 2 on what it cannot read', async () => {
    expect(await run('diff', 'old.json', 'new.json')).toMatchObject({ code: 1 })
    expect(await run('diff', 'old.json', 'old.json')).toMatchObject({
      code: 0,
      out: 'No differences.\n',
    })
    expect(await run('diff', 'old.json', 'new.json', '--fail-on', 'none')).toMatchObject({
      code: 0,
    })
    expect(await run('diff', 'new.json', 'old.json', '--fail-on', 'implementer')).toMatchObject({
      code: 1,
    })
    expect(await run('diff', 'old.json')).toMatchObject({ code: 2 })
    expect(await run('diff', 'old.json', 'none.json')).toMatchObject({ code: 2 })
    expect((await run('diff', 'old.json', 'new.json', '--function', 'a.gt')).err).toContain(
      'Did you mean "a.get"?',
    )
  })
})

describe('waymark generate client', () => {
  it('writes once, says when the file is out of date, and replaces no file of others', async () => {
    expect(await run('generate', 'client', 'old.json')).toMatchObject({ code: 0 })
    expect(await run('generate', 'client', 'old.json', '--check')).toMatchObject({ code: 0 })
    expect(await run('generate', 'client', 'new.json', '--check')).toMatchObject({ code: 1 })
    writeFileSync(join(cwd, 'mine.ts'), 'export {}\n')
    expect(await run('generate', 'client', 'old.json', '--out', 'mine.ts')).toMatchObject({
      code: 2,
    })
    expect(readFileSync(join(cwd, 'mine.ts'), 'utf8')).toBe('export {}\n')
    const forced = await run('generate', 'client', 'old.json', '--out', 'mine.ts', '--force')
    expect(forced.code).toBe(0)
  })
})
