import { describe, expect, it } from 'vitest'
import type { StreamClient } from './redis-stream-client.ts'
import { createStreamGroup } from './redis-stream-group.ts'

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

function createReader(status: string) {
  const reader = createClient({ 'CLIENT ID': 7 }, status)
  const writer = createClient({ 'CLIENT UNBLOCK 7': 1 }, 'ready')
  const names = { stream: 's', group: 'g', consumer: 'c' }
  const clients = { reader: reader.client, writer: writer.client }
  const group = createStreamGroup({ ...names, ...clients, idleMs: 1000, deletes: false })
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
