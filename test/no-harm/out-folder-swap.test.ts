import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { writeFiles } from '../../src/entries/codegen.ts'

/** What somebody else does to the folder right after a step of ours. */
const meanwhile = vi.hoisted((): { after: string; act: () => void } => ({
  after: '',
  act: () => {},
}))

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  const followed =
    <Args extends unknown[], Value>(name: string, step: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      const value = await step(...args)
      if (meanwhile.after === name) meanwhile.act()
      return value
    }
  return {
    ...real,
    mkdir: followed('mkdir', real.mkdir as (...args: unknown[]) => Promise<unknown>),
    writeFile: followed('writeFile', real.writeFile as (...args: unknown[]) => Promise<unknown>),
    lstat: followed('lstat', real.lstat as (...args: unknown[]) => Promise<unknown>),
  }
})

let root: string
let out: string
let outside: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-swap-'))
  out = join(root, 'out')
  outside = join(root, 'outside')
  mkdirSync(join(out, 'sub'), { recursive: true })
  mkdirSync(outside)
  meanwhile.after = ''
})

/** Puts a link to a folder outside in the place of one inside, once. */
function swapAfter(step: string): void {
  meanwhile.after = step
  meanwhile.act = () => {
    meanwhile.after = ''
    renameSync(join(out, 'sub'), join(out, 'moved'))
    symlinkSync(outside, join(out, 'sub'))
  }
}

const write = () => writeFiles(out, [{ path: 'sub/a.ts', text: 'a' }])

describe('beside it: a folder that becomes a link while a file is written', () => {
  it.each(['lstat', 'mkdir', 'writeFile'])('after %s, nothing is left outside', async (step) => {
    swapAfter(step)
    await expect(write()).rejects.toMatchObject({
      code: 'ELOOP',
      message: expect.stringContaining(join(out, 'sub')),
    })
    expect(readdirSync(outside)).toEqual([])
    expect(existsSync(join(out, 'moved', 'a.ts'))).toBe(false)
  })

  it('without a swap the same steps write the file, and leave no draft', async () => {
    await write()
    expect(readFileSync(join(out, 'sub', 'a.ts'), 'utf8')).toBe('a')
    expect(readdirSync(join(out, 'sub'))).toEqual(['a.ts'])
  })
})
