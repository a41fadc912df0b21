import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createRecordedSource,
  patience,
  type RecordedSource,
  waitUntil,
} from '../../../test/support/trigger-source.ts'
import type { FileTrigger } from '../../sources/tool-spec/types.ts'
import type { TriggerSource } from '../trigger.ts'
import { type StartFileOptions, startFile } from './file.ts'

const SETTLE_MS = 150
let cwd: string
let sources: TriggerSource[] = []

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'waymark-files-'))
})

afterEach(async () => {
  await Promise.all(sources.map((source) => source.stop(patience())))
  sources = []
  await rm(cwd, { recursive: true, force: true })
})

async function start(
  part: Partial<FileTrigger>,
  options: StartFileOptions = {},
  record: Parameters<typeof createRecordedSource>[1] = {},
): Promise<RecordedSource<FileTrigger> & { readonly source: TriggerSource }> {
  const trigger: FileTrigger = {
    type: 'file',
    name: 'inbox',
    description: 'New files.',
    watch_path: 'inbox',
    ...part,
  }
  const recorded = createRecordedSource(trigger, { cwd, ...record })
  const source = await startFile(recorded.context, { settleMs: SETTLE_MS, ...options })
  sources.push(source)
  return { ...recorded, source }
}

const told = ({ events }: RecordedSource<FileTrigger>) =>
  events.map(({ event, payload }) => [event, (payload as { relative_path: string }).relative_path])

/** Long enough for a second event to show itself, if there were one. */
const quiet = () => sleep(SETTLE_MS * 4)

describe.each([{ poll: false }, { poll: true }])('file trigger, poll: $poll', ({ poll }) => {
  it('[TS-73] [TS-75] tells of files that come, change and go below a directory', async () => {
    await mkdir(join(cwd, 'inbox'))
    const recorded = await start({ poll })
    const file = join(cwd, 'inbox', 'a.csv')
    await writeFile(file, 'one')
    await waitUntil(() => recorded.events.length === 1, 'the creation is told')
    await writeFile(file, 'other')
    await waitUntil(() => recorded.events.length === 2, 'the change is told')
    await rm(file)
    await waitUntil(() => recorded.events.length === 3, 'the deletion is told')
    expect(told(recorded)).toEqual([
      ['create', 'a.csv'],
      ['modify', 'a.csv'],
      ['delete', 'a.csv'],
    ])
    expect(recorded.events[1]?.payload).toEqual({
      event: 'modify',
      path: file,
      relative_path: 'a.csv',
      size: 5,
      mtime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
  })

  it('takes a save that replaces the file for one change', async () => {
    await mkdir(join(cwd, 'inbox'))
    const file = join(cwd, 'inbox', 'a.txt')
    await writeFile(file, 'old')
    const recorded = await start({ poll, watch_path: 'inbox/*.txt' })
    await writeFile(`${file}.tmp`, 'newer')
    await rename(`${file}.tmp`, file)
    await waitUntil(() => recorded.events.length > 0, 'the change is told')
    await quiet()
    expect(told(recorded)).toEqual([['modify', 'a.txt']])
  })
})

describe('file trigger', () => {
  it('[TS-74] [TS-192] takes a glob; a half-written file fires once, when complete', async () => {
    await mkdir(join(cwd, 'inbox', 'deep'), { recursive: true })
    const recorded = await start({ watch_path: './inbox/**/*.csv' })
    const file = join(cwd, 'inbox', 'deep', 'big.csv')
    for (let part = 0; part < 8; part += 1) {
      await appendFile(file, 'x'.repeat(100))
      await sleep(SETTLE_MS / 3)
    }
    await writeFile(join(cwd, 'inbox', 'deep', 'other.txt'), 'no')
    await waitUntil(() => recorded.events.length > 0, 'the file is told')
    await quiet()
    expect(told(recorded)).toEqual([['create', 'deep/big.csv']])
    expect(recorded.events[0]?.payload).toMatchObject({ size: 800 })
  })

  it('[TS-76] events: [delete] reacts to deletions only', async () => {
    await mkdir(join(cwd, 'inbox'))
    const recorded = await start({ events: ['delete'] })
    await writeFile(join(cwd, 'inbox', 'a'), '1')
    await quiet()
    await rm(join(cwd, 'inbox', 'a'))
    await waitUntil(() => recorded.events.length > 0, 'the deletion is told')
    expect(told(recorded)).toEqual([['delete', 'a']])
  })

  it('says nothing about files that were there before', async () => {
    await mkdir(join(cwd, 'inbox'))
    await writeFile(join(cwd, 'inbox', 'old'), '1')
    const recorded = await start({}, { maxPending: 1 })
    await quiet()
    expect(recorded.events).toEqual([])
  })

  it('waits for a directory, and survives that it vanishes and returns', async () => {
    const recorded = await start({})
    expect(recorded.source.trouble?.()).toContain('waiting for the folder')
    await mkdir(join(cwd, 'inbox'))
    await writeFile(join(cwd, 'inbox', 'a'), '1')
    await waitUntil(() => recorded.events.length === 1, 'the first file is told')
    expect(recorded.source.trouble?.()).toBeUndefined()
    await rm(join(cwd, 'inbox'), { recursive: true })
    await waitUntil(() => recorded.events.length === 2, 'the deletion is told')
    await mkdir(join(cwd, 'inbox'))
    await writeFile(join(cwd, 'inbox', 'b'), '1')
    await waitUntil(() => recorded.events.length === 3, 'the second file is told')
    expect(told(recorded)).toEqual([
      ['create', 'a'],
      ['delete', 'a'],
      ['create', 'b'],
    ])
  })

  it('does not follow links out of the directory', async () => {
    await mkdir(join(cwd, 'inbox'))
    await mkdir(join(cwd, 'secret'))
    await writeFile(join(cwd, 'secret', 'key'), '1')
    const recorded = await start({})
    await symlink(join(cwd, 'secret'), join(cwd, 'inbox', 'link'))
    await symlink(join(cwd, 'secret', 'key'), join(cwd, 'inbox', 'key'))
    await writeFile(join(cwd, 'inbox', 'real'), '1')
    await waitUntil(() => recorded.events.length > 0, 'the file is told')
    await quiet()
    expect(told(recorded)).toEqual([['create', 'real']])
  })

  it('finds every file of a burst larger than it may remember', async () => {
    await mkdir(join(cwd, 'inbox'))
    const recorded = await start({}, { maxPending: 10 })
    const names = Array.from({ length: 30 }, (_, index) => `f${index}`)
    await Promise.all(names.map((name) => writeFile(join(cwd, 'inbox', name), '1')))
    await waitUntil(() => recorded.events.length === 30, 'all files are told')
    expect(new Set(told(recorded).map(([, name]) => name)).size).toBe(30)
    expect(recorded.warnings[0]).toContain('more than 10 files')
  })

  it('gives the same ids in two processes, and fires again for a file moved away and back', async () => {
    await mkdir(join(cwd, 'inbox'))
    const first = await start({})
    const second = await start({})
    const file = join(cwd, 'inbox', 'a')
    await writeFile(file, '1')
    const both = (count: number) => () =>
      first.events.length === count && second.events.length === count
    await waitUntil(both(1), 'both tell')
    expect(first.events[0]?.id).toBe(second.events[0]?.id)
    await rename(file, join(cwd, 'a'))
    await waitUntil(both(2), 'both tell the deletion')
    await rename(join(cwd, 'a'), file)
    await waitUntil(both(3), 'both tell the return')
    expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(3)
  })

  it('tells again what could not be stored', async () => {
    await mkdir(join(cwd, 'inbox'))
    let isAway = true
    const accept = () => {
      if (isAway) throw new Error('the store is away')
    }
    const recorded = await start({}, {}, { accept })
    await writeFile(join(cwd, 'inbox', 'a'), '1')
    await waitUntil(() => recorded.source.trouble?.() !== undefined, 'the trouble shows')
    isAway = false
    await waitUntil(() => recorded.events.length === 1, 'the file is told')
    expect(recorded.source.trouble?.()).toBeUndefined()
  })

  it('refuses to watch a whole machine, and names a variable that is not set', async () => {
    await expect(start({ watch_path: '/' })).rejects.toThrow(
      'file inbox: watch_path: must not be /',
    )
    const missing = start({ watch_path: '$' + '{INBOX_DIR}/*.csv' })
    await expect(missing).rejects.toThrow('set the environment variable INBOX_DIR')
  })
})
