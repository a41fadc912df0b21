import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRecordedSource, patience, waitUntil } from '../../../test/support/trigger-source.ts'
import { startFile } from './file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-file-pattern-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('watches a single file when watch_path names one', async () => {
  const path = join(folder, 'prices.csv')
  for (const name of ['prices.csv', 'other.csv']) writeFileSync(join(folder, name), '1')
  const trigger = { type: 'file', name: 'prices', description: 'd', watch_path: path } as const
  const { context, events } = createRecordedSource(trigger)
  const source = await startFile(context, { settleMs: 50 })
  expect(source.trouble?.()).toBeUndefined()
  writeFileSync(join(folder, 'other.csv'), '22')
  writeFileSync(path, '22')
  await waitUntil(() => events.length > 0, 'the file is seen')
  expect(events.map(({ event, payload }) => [event, payload])).toEqual([
    ['modify', expect.objectContaining({ relative_path: 'prices.csv', size: 2 })],
  ])
  rmSync(path)
  await waitUntil(() => events.length === 2, 'its end is seen')
  expect(events[1]?.event).toBe('delete')
  await source.stop(patience())
})
