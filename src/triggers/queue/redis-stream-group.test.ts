import { describe, expect, it } from 'vitest'
import type { StreamClient } from './redis-client.ts'
import { createStreamGroup } from './redis-group.ts'

function createClient(answers: Readonly<Record<string, unknown>>, status: string) {
  const sent: string[] = []
  const onReady: (() => void)[] = []
  const client: StreamClient = {
    status,
    connect: async () => undefined,
    async call(...words) {
      const command = words.join(' ')
      sent.push(command)
      return answers[command]
    },
    disconnect() {},
    on: (event, listener) => event === 'ready' && onReady.push(listener),
  }
  return { client, sent, onReady }
}

function createReader(
  status: string,
  { deletes = false, answers = {} }: { deletes?: boolean; answers?: Record<string, unknown> } = {},
) {
  const reader = createClient({ 'CLIENT ID': 7 }, status)
  const writer = createClient({ 'CLIENT UNBLOCK 7': 1, ...answers }, 'ready')
  const names = { stream: 's', group: 'g', consumer: 'c' }
  const clients = { reader: reader.client, writer: writer.client }
  const group = createStreamGroup({ ...names, ...clients, idleMs: 1000, deletes })
  return { reader, writer, group }
}

describe('a read that waits', () => {
  it('is ended on a connection that stood before the group was made', async () => {
    const { writer, group } = createReader('ready')
    await group.unblock()
    expect(writer.sent).toEqual(['CLIENT UNBLOCK 7'])
  })

  it('is ended on a connection that came later', async () => {
    const { reader, writer, group } = createReader('connecting')
    await group.unblock()
    expect(writer.sent).toEqual([])
    for (const listener of reader.onReady) listener()
    await group.unblock()
    expect(writer.sent).toEqual(['CLIENT UNBLOCK 7'])
  })
})

describe('an entry that is deleted when it is done', () => {
  it('is deleted before it is acknowledged: a death in between leaves nothing behind', async () => {
    const { writer, group } = createReader('ready', { deletes: true })
    await group.acknowledge(['1-0', '2-0'])
    expect(writer.sent).toEqual(['XDEL s 1-0 2-0', 'XACK s g 1-0 2-0'])
  })

  it('stays where it is when nobody asked for that', async () => {
    const { writer, group } = createReader('ready')
    await group.acknowledge(['1-0'])
    expect(writer.sent).toEqual(['XACK s g 1-0'])
  })
})

describe('a claim of entries that were deleted', () => {
  const claimed = [['1-0', ['payload', 'a']], null, null]
  const pending = ['1-0', '2-0', '3-0'].map((id) => [id, 'c', 0, 1])

  it('hands out the others and drops them, on a Redis before 7, which names none of them', async () => {
    const answers = {
      'XAUTOCLAIM s g c 1000 0-0 COUNT 10': ['0-0', claimed],
      'XPENDING s g - + 500 c': pending,
      'XRANGE s 1-0 1-0': [['1-0', ['payload', 'a']]],
      'XRANGE s 2-0 2-0': [],
      'XRANGE s 3-0 3-0': [],
    }
    const { writer, group } = createReader('ready', { answers })
    expect(await group.claim(10)).toEqual({
      entries: [{ id: '1-0', fields: new Map([['payload', 'a']]) }],
      isLast: true,
    })
    expect(writer.sent.at(-1)).toBe('XACK s g 2-0 3-0')
  })

  it('asks no more on a Redis that has dropped them itself', async () => {
    const command = 'XAUTOCLAIM s g c 1000 0-0 COUNT 10'
    const { writer, group } = createReader('ready', {
      answers: { [command]: ['0-0', [], ['2-0', '3-0']] },
    })
    expect(await group.claim(10)).toEqual({ entries: [], isLast: true })
    expect(writer.sent).toEqual([command])
  })
})
