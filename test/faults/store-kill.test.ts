import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/entries/store.ts'

interface Acknowledged {
  readonly key: string
  readonly value: number
  readonly token: number
}

describe('SQLite store when processes that use it are killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-kill-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('has lost nothing that was acknowledged, and the others go on', async () => {
    const url = `sqlite:${join(folder, 'state.db')}`
    const acknowledged: Acknowledged[] = []
    const store = await openStore(url)
    const writers = ['a', 'b'].map((name) => startWriter(url, name, acknowledged))
    await Promise.all(writers.map((writer) => receiveFrom(writer, 100)))
    await Promise.all(writers.map(kill))

    for (const { key } of acknowledged) expect(await store.get(key), key).toBeDefined()
    const highest = Math.max(...acknowledged.map(({ value }) => value))
    const values = new Set(acknowledged.map(({ value }) => value))
    expect(values.size).toBe(acknowledged.length)
    expect((await store.increment('counter', { ttl: null })).value).toBeGreaterThan(highest)
    const tokens = acknowledged.map(({ token }) => token)
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(await store.next('fence')).toBeGreaterThan(Math.max(...tokens))
    await store.close()
  })
})

function startWriter(url: string, name: string, acknowledged: Acknowledged[]): ChildProcess {
  const script = fileURLToPath(new URL('store-writer.ts', import.meta.url))
  const execArgv = ['--conditions=waymark-source', '--import', 'tsx']
  const writer = fork(script, [url, name], { execArgv })
  writer.on('message', (report: Acknowledged) => acknowledged.push(report))
  return writer
}

async function receiveFrom(writer: ChildProcess, count: number): Promise<void> {
  for (let received = 0; received < count; received++) await once(writer, 'message')
}

async function kill(writer: ChildProcess): Promise<void> {
  const ended = once(writer, 'exit')
  writer.kill('SIGKILL')
  await ended
}
