import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolSpec } from '../sources/tool-spec/types.ts'
import { type GeneratedFile, generateCode, isEdited } from './generate.ts'
import { planFiles, readPrevious, writeFiles } from './write-files.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waymark-files-'))
})
afterEach(() => rm(directory, { recursive: true }))

const spec: ToolSpec = {
  domain: 'shop',
  tools: [
    {
      name: 'greet',
      description: 'Greets.',
      params: [{ name: 'who', type: 'string', description: 'Who.' }],
    },
  ],
}

async function generate(changed: ToolSpec = spec): Promise<GeneratedFile[]> {
  const previous = await readPrevious(directory, 'shop.capabilities.ts')
  return generateCode(changed, { previous: () => previous })
}

async function edit(change: (text: string) => string): Promise<void> {
  const path = join(directory, 'shop.capabilities.ts')
  await writeFile(path, change(await readFile(path, 'utf8')))
}

const other: ToolSpec = { ...spec, tools: [{ name: 'greet', description: 'Greets well.' }] }

describe('writing generated files', () => {
  it('[TS-105] writes <domain>.capabilities.ts and nothing beside it', async () => {
    const outcome = await writeFiles(directory, await generate())
    expect(outcome).toEqual({ ok: true, written: ['shop.capabilities.ts'], same: [] })
    expect(await readdir(directory)).toEqual(['shop.capabilities.ts'])
  })

  it('[TS-180] leaves a file alone that would not change', async () => {
    await writeFiles(directory, await generate())
    expect(await writeFiles(directory, await generate())).toEqual({
      ok: true,
      written: [],
      same: ['shop.capabilities.ts'],
    })
  })

  it('[TS-181] tells which files would change, without writing', async () => {
    expect((await planFiles(directory, await generate())).map((file) => file.state)).toEqual([
      'new',
    ])
    await writeFiles(directory, await generate())
    expect((await planFiles(directory, await generate())).map((file) => file.state)).toEqual([
      'same',
    ])
    const changed = await planFiles(directory, await generate(other))
    expect(changed.map((file) => file.state)).toEqual(['stale'])
  })

  it('[TS-182] keeps what stands between the marks when the spec changes', async () => {
    await writeFiles(directory, await generate())
    await edit((text) =>
      text.replace(
        "return notWritten('greet', args, context)",
        'return ["hi", args.who]\n  // two lines',
      ),
    )
    expect(isEdited(await readFile(join(directory, 'shop.capabilities.ts'), 'utf8'))).toBe(false)
    expect(await writeFiles(directory, await generate(other))).toMatchObject({ ok: true })
    const text = await readFile(join(directory, 'shop.capabilities.ts'), 'utf8')
    expect(text).toContain('  return ["hi", args.who]\n  // two lines\n  // </custom greet>')
    expect(text).toContain('Greets well.')
  })

  it('[TS-182] refuses to overwrite a file that was edited outside the marks, and writes nothing', async () => {
    await writeFiles(directory, await generate())
    await edit((text) => `${text}// mine\n`)
    const files = [...(await generate(other)), { path: 'other.txt', text: 'x' }]
    expect(await writeFiles(directory, files)).toEqual({
      ok: false,
      code: 'E110',
      edited: ['shop.capabilities.ts'],
    })
    expect(await readdir(directory)).toEqual(['shop.capabilities.ts'])
  })

  it('[TS-182] overwrites it when told to', async () => {
    await writeFiles(directory, await generate())
    await edit((text) => `${text}// mine\n`)
    expect(await writeFiles(directory, await generate(other), { force: true })).toMatchObject({
      ok: true,
    })
  })

  it('counts a file that is not ours as edited', async () => {
    await writeFile(join(directory, 'shop.capabilities.ts'), 'export const mine = 1\n')
    expect(await writeFiles(directory, await generate())).toMatchObject({ ok: false })
  })

  it.each(['../out.ts', '/etc/out.ts', 'a/../../out.ts'])(
    '[TS-138] refuses the path %s',
    async (path) => {
      await expect(writeFiles(directory, [{ path, text: '' }])).rejects.toThrow(RangeError)
    },
  )

  it('does not write through a link that somebody put beside a file beforehand', async () => {
    const victim = join(directory, 'victim')
    await writeFile(victim, 'mine')
    await symlink(victim, join(directory, `shop.capabilities.ts.${process.pid}.tmp`))
    expect(await writeFiles(directory, await generate())).toMatchObject({ ok: true })
    expect(await readFile(victim, 'utf8')).toBe('mine')
  })
})
