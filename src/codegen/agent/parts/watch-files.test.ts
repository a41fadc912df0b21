import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AgentTrigger } from './agent.ts'
import { type FileChange, splitGlob, watchFiles } from './watch-files.ts'

it.each([
  ['inbox/**/*.csv', 'a/b.csv', true],
  ['inbox/**/*.csv', 'b.csv', true],
  ['inbox/*.csv', 'a/b.csv', false],
  ['inbox/*.{csv,txt}', 'a.txt', true],
  ['inbox/a?.csv', 'a1.csv', true],
  ['inbox', 'anything/at.all', true],
])('[TS-73] [TS-74] %s and %s: %s', (glob, path, expected) => {
  expect(splitGlob(glob).matches(path)).toBe(expected)
})

it('[TS-75] [TS-76] tells what was created, changed and deleted, once each', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-watch-'))
  await writeFile(join(directory, 'old.csv'), 'a')
  const changes: FileChange[] = []
  const trigger = { watch_path: join(directory, '*.csv') } as unknown as AgentTrigger
  const stop = watchFiles(trigger, async (change) => void changes.push(change), 10)
  const seen = async (count: number): Promise<void> => {
    await expect.poll(() => changes.length, { timeout: 5000 }).toBe(count)
  }
  try {
    await new Promise((resolve) => setTimeout(resolve, 50))
    await writeFile(join(directory, 'new.csv'), 'b')
    await writeFile(join(directory, 'new.txt'), 'b')
    await seen(1)
    await writeFile(join(directory, 'new.csv'), 'longer')
    await seen(2)
    await rm(join(directory, 'old.csv'))
    await seen(3)
    expect(changes.map(({ event, relative_path }) => [event, relative_path])).toEqual([
      ['create', 'new.csv'],
      ['modify', 'new.csv'],
      ['delete', 'old.csv'],
    ])
  } finally {
    stop()
    await rm(directory, { recursive: true })
  }
})
