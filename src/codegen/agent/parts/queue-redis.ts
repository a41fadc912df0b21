import { hostname } from 'node:os'
import type { QueueMessage, Receiving } from './queue.ts'
import { createWorking, parseBody } from './queue-message.ts'

/** The members of an ioredis client that are used here. */
interface Client {
  connect(): Promise<unknown>
  call(command: string, ...args: string[]): Promise<unknown>
  disconnect(): void
  on(event: 'error', listener: () => void): unknown
}

type NewClient = new (url: string, options: Readonly<Record<string, unknown>>) => Client

const IDLE_MS = 60_000
const BLOCK_MS = 2_000
const BODY_FIELDS = ['payload', 'data', 'body', 'message']

/** Receives from a Redis stream through a group; what is given up is copied to the stream `<name>:dead`. */
export async function receiveRedis(receiving: Receiving): Promise<void> {
  const { queue: stream, setting, take, room, stopping } = receiving
  const group = setting('group') ?? 'agent'
  const idle = setting('idle') ?? String(IDLE_MS)
  const consumer = `${hostname()}-${process.pid}`
  const [reader, writer] = await connect(receiving)
  const working = createWorking()
  const here = new Set<string>()

  async function handle(id: string, fields: ReadonlyMap<string, string>): Promise<void> {
    here.add(id)
    const ending = await take(toMessage(stream, id, fields))
    here.delete(id)
    if (ending === 'stopped') {
      await writer.call('XCLAIM', stream, group, consumer, '0', id, 'IDLE', idle, 'JUSTID')
      return
    }
    if (ending === 'dead') await writer.call('XADD', `${stream}:dead`, '*', ...[...fields].flat())
    if (setting('delete') === 'true') await writer.call('XDEL', stream, id)
    await writer.call('XACK', stream, group, id)
  }

  function start(answer: unknown): void {
    for (const [id, fields] of readEntries(answer)) {
      // What cannot be told to Redis now is handed out again later.
      if (!here.has(id)) working.add(handle(id, fields).catch(() => void here.delete(id)))
    }
  }

  const keeping = setInterval(() => {
    const ids = [...here]
    if (ids.length === 0) return
    writer.call('XCLAIM', stream, group, consumer, '0', ...ids, 'JUSTID').catch(() => {})
  }, Number(idle) / 3)
  try {
    await createGroup(writer, stream, group)
    receiving.onReady()
    while (!stopping.aborted) {
      const count = String(Math.max(1, room - working.count()))
      const claim = ['XAUTOCLAIM', stream, group, consumer, idle, '0-0', 'COUNT', count] as const
      const claimed = await writer.call(...claim)
      start(Array.isArray(claimed) ? claimed[1] : undefined)
      const limits = ['COUNT', count, 'BLOCK', String(BLOCK_MS)]
      const read = await reader.call(
        'XREADGROUP',
        'GROUP',
        group,
        consumer,
        ...limits,
        'STREAMS',
        stream,
        '>',
      )
      if (Array.isArray(read)) start(Array.isArray(read[0]) ? read[0][1] : read[1])
      if (working.count() >= room) await working.next()
    }
    await working.all()
  } finally {
    clearInterval(keeping)
    reader.disconnect()
    writer.disconnect()
  }
}

async function connect({ client, server }: Receiving): Promise<readonly [Client, Client]> {
  const url = new URL(server)
  url.search = ''
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  }
  const make = (): Client => {
    const made = new (client['Redis'] as NewClient)(url.href, options)
    // A connection that is lost shows as a command that fails.
    made.on('error', () => {})
    return made
  }
  const both = [make(), make()] as const
  await Promise.all(both.map((one) => one.connect()))
  return both
}

async function createGroup(writer: Client, stream: string, group: string): Promise<void> {
  try {
    await writer.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
  } catch (thrown) {
    if (!(thrown instanceof Error) || !thrown.message.startsWith('BUSYGROUP')) throw thrown
  }
}

function readEntries(answer: unknown): (readonly [string, ReadonlyMap<string, string>])[] {
  if (!Array.isArray(answer)) return []
  return answer.flatMap((entry: unknown) => {
    if (!Array.isArray(entry) || !Array.isArray(entry[1])) return []
    const flat = entry[1].map(String)
    const pairs = flat.flatMap((name, index) =>
      index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as const] : [],
    )
    return [[String(entry[0]), new Map(pairs)] as const]
  })
}

function toMessage(stream: string, id: string, fields: ReadonlyMap<string, string>): QueueMessage {
  const body = BODY_FIELDS.map((name) => fields.get(name)).find((value) => value !== undefined)
  return {
    id: fields.get('message_id') || `${stream}:${id}`,
    event: fields.get('event'),
    payload: body === undefined ? Object.fromEntries(fields) : parseBody(body),
    meta: { stream, entry: id },
  }
}
