import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'
import type { SqliteDatabase, SqliteSync } from './database.ts'

function openBatch(sync: SqliteSync) {
  const sent: string[] = []
  const database: SqliteDatabase = {
    inTransaction: false,
    exec: (sql) => void sent.push(sql),
    prepare() {
      throw new Error('no statements here')
    },
    close() {},
  }
  return { sent, batch: createBatch(database, { timeout: 1000, sync }) }
}

const step = () => 1
const TRANSACTION = ['BEGIN IMMEDIATE', 'COMMIT']

describe('a commit', () => {
  it('waits for the disk unless all its steps are lazy', async () => {
    const { batch, sent } = openBatch('full')
    await batch.run(step)
    expect(sent).toEqual(TRANSACTION)
    await Promise.all([batch.run(step, true), batch.run(step, true)])
    expect(sent.splice(0)).toEqual([...TRANSACTION, 'PRAGMA synchronous = NORMAL', ...TRANSACTION])
    await batch.run(step, true)
    expect(sent.splice(0)).toEqual(TRANSACTION)
    await Promise.all([batch.run(step, true), batch.run(step)])
    expect(sent).toEqual(['PRAGMA synchronous = FULL', ...TRANSACTION])
  })

  it('never waits in a store that does not', async () => {
    const { batch, sent } = openBatch('normal')
    await batch.run(step, true)
    await batch.run(step)
    expect(sent).toEqual([...TRANSACTION, ...TRANSACTION])
  })
})
