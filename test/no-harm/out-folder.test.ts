import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeFiles } from '../../src/entries/codegen.ts'
import { runMain } from '../cli/run-main.ts'

const SPEC = `domain: orchard
base_url: https://api.example.com
tools:
  - name: list_trees
    description: Lists trees.
    method: GET
    path: /trees
`

let root: string
let out: string
let outside: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-out-'))
  out = join(root, 'out')
  outside = join(root, 'outside')
  mkdirSync(out)
  mkdirSync(outside)
  writeFileSync(join(root, 'orchard.tool-spec.yaml'), SPEC)
})

const run = (...args: readonly string[]) => runMain(args, { cwd: root })

/** Lists what a command writes into an empty folder, to know where to put links. */
async function listWritten(
  args: (folder: string) => readonly string[],
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(root, 'trial-'))
  const { code, err } = await run(...args(folder))
  expect([code, err]).toEqual([0, expect.any(String)])
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

const COMMANDS: Readonly<Record<string, (folder: string) => readonly string[]>> = {
  'forge tool': (folder) => ['forge', 'tool', '--spec', 'orchard.tool-spec.yaml', '--out', folder],
  docs: (folder) => ['docs', 'orchard.tool-spec.yaml', '--out', folder, '--force'],
  init: (folder) => ['init', folder, '--yes', '--force', '--name', 'orders'],
  'generate client': (folder) => [
    ...['generate', 'client', 'orchard.tool-spec.yaml'],
    ...['--out', join(folder, 'orchard.ts'), '--force'],
  ],
}

describe('as reported', () => {
  it.each(Object.entries(COMMANDS))('%s refuses a linked file inside --out', async (_, args) => {
    const [first = ''] = await listWritten(args)
    const secret = join(outside, 'secret.txt')
    writeFileSync(secret, 'mine')
    const link = join(out, first)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(secret, link)
    const { code, err } = await run(...args(out))
    // `init` leaves files that exist as they are, links included.
    if (code !== 0) expect(err).toContain(link)
    expect(readFileSync(secret, 'utf8')).toBe('mine')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })
})

describe('beside it', () => {
  it.each(Object.entries(COMMANDS))('%s refuses a dangling link and names it', async (_, args) => {
    const [first = ''] = await listWritten(args)
    const link = join(out, first)
    mkdirSync(join(link, '..'), { recursive: true })
    symlinkSync(join(outside, 'new.txt'), link)
    const { code, err } = await run(...args(out))
    expect([code, err]).toEqual([2, expect.stringContaining(`${link} is a symbolic link`)])
    expect(readdirSync(outside)).toEqual([])
  })

  it('refuses a linked folder on the way to a file', async () => {
    symlinkSync(outside, join(out, 'sub'))
    const files = [{ path: 'sub/deep/a.ts', text: 'a' }]
    await expect(writeFiles(out, files)).rejects.toThrow(`${join(out, 'sub')} is a symbolic link`)
    expect(readdirSync(outside)).toEqual([])
  })

  it('refuses a link that leads back inside as well: it could be changed at any time', async () => {
    mkdirSync(join(out, 'real'))
    symlinkSync(join(out, 'real'), join(out, 'sub'))
    await expect(writeFiles(out, [{ path: 'sub/a.ts', text: 'a' }])).rejects.toThrow(
      'symbolic link',
    )
  })

  it('does not read through a link to find out what is there', async () => {
    writeFileSync(join(outside, 'a.ts'), 'a')
    symlinkSync(join(outside, 'a.ts'), join(out, 'a.ts'))
    await expect(writeFiles(out, [{ path: 'a.ts', text: 'a' }])).rejects.toThrow('symbolic link')
  })

  it.each(Object.entries(COMMANDS))('%s takes an --out that is a link itself', async (_, args) => {
    const chosen = join(root, 'chosen')
    symlinkSync(out, chosen)
    const { code, err } = await run(...args(chosen))
    expect([code, err]).toEqual([0, expect.any(String)])
    expect(readdirSync(out).length).toBeGreaterThan(0)
  })
})
