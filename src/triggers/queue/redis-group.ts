import { isList, type Json, toText } from '../../values/index.ts'
import type { TriggerEvent } from '../trigger.ts'
import { decodeQueueMessage } from './driver.ts'
import {
  readStreamEntries,
  readStreams,
  type StreamClient,
  type StreamEntry,
  sendCommand,
} from './redis-client.ts'

/** A consumer of a group on one stream. */
export interface StreamGroup {
  /** Reads entries nobody has got yet; waits for the first for a few seconds. */
  readonly read: (count: number) => Promise<readonly StreamEntry[]>
  /** Takes over entries whose consumer has not been heard of for a while. */
  readonly claim: (count: number) => Promise<Claimed>
  /** Says that these entries are still at work here. */
  readonly keep: (ids: readonly string[]) => Promise<void>
  /** Ends a read that waits, so that nothing is handed to it any more. */
  readonly unblock: () => Promise<void>
  readonly acknowledge: (ids: readonly string[]) => Promise<void>
  /** Lets others claim these entries at once. */
  readonly giveBack: (ids: readonly string[]) => Promise<void>
  /** Gives back what is left, or removes the consumer when nothing is. */
  readonly leave: () => Promise<void>
}

/** What was taken over, and whether the whole list of unfinished entries has been looked through. */
export interface Claimed {
  readonly entries: readonly StreamEntry[]
  readonly isLast: boolean
}

/** What makes a consumer. */
export interface StreamGroupOptions {
  readonly stream: string
  readonly group: string
  readonly consumer: string
  /** Milliseconds of silence after which an entry may be claimed by others. */
  readonly idleMs: number
  /** Deletes entries when they are acknowledged. */
  readonly deletes: boolean
  /** For reading, which blocks the connection. */
  readonly reader: StreamClient
  /** For everything else. */
  readonly writer: StreamClient
}

const BLOCK_MS = 2000
const PATIENCE_MS = 10_000
const MAX_IDS = 500
const MAX_LEFT = 10_000

/** Makes a consumer; the group and the stream are made when they are not there. */
export function createStreamGroup(options: StreamGroupOptions): StreamGroup {
  const { stream, group, consumer, idleMs, reader, writer } = options
  let cursor = '0-0'
  let readerId: Promise<unknown> | undefined
  const identify = () => {
    readerId = reader.call('CLIENT', 'ID').catch(() => undefined)
  }
  reader.on('ready', identify)
  if (reader.status === 'ready') identify()

  async function withGroup<Value>(run: () => Promise<Value>): Promise<Value> {
    try {
      return await run()
    } catch (thrown) {
      if (!hasPrefix(thrown, 'NOGROUP')) throw thrown
      await createGroup(options)
      return run()
    }
  }

  async function inBatches(
    ids: readonly string[],
    run: (batch: readonly string[]) => Promise<unknown>,
  ): Promise<void> {
    for (let start = 0; start < ids.length; start += MAX_IDS) {
      await run(ids.slice(start, start + MAX_IDS))
    }
  }

  function giveBack(ids: readonly string[]): Promise<void> {
    return inBatches(ids, (batch) => {
      const command = ['XCLAIM', stream, group, consumer, '0', ...batch]
      return sendCommand(writer, toCommand([...command, 'IDLE', String(idleMs), 'JUSTID']))
    })
  }

  /** Before version 7 Redis claims an entry that was deleted all the same, and hands it out as nothing, not even its id. */
  async function dropDeleted(): Promise<void> {
    const command = ['XPENDING', stream, group, '-', '+', String(MAX_IDS), consumer]
    const mine = readStreamEntries(await sendCommand(writer, toCommand(command)))
    const found = await Promise.all(
      mine.map(({ id }) => sendCommand(writer, ['XRANGE', stream, id, id])),
    )
    const gone = mine.filter((_, index) => readStreamEntries(found[index]).length === 0)
    if (gone.length > 0)
      await sendCommand(writer, ['XACK', stream, group, ...gone.map(({ id }) => id)])
  }

  return {
    read: (count) =>
      withGroup(async () => {
        const limits = ['COUNT', String(count), 'BLOCK', String(BLOCK_MS)]
        const command = ['XREADGROUP', 'GROUP', group, consumer, ...limits, 'STREAMS', stream, '>']
        return readStreams(await sendCommand(reader, toCommand(command), BLOCK_MS + PATIENCE_MS))
      }),
    claim: (count) =>
      withGroup(async () => {
        const command = ['XAUTOCLAIM', stream, group, consumer, String(idleMs), cursor]
        const answer = await sendCommand(writer, toCommand([...command, 'COUNT', String(count)]))
        const [next, entries] = isList(answer) ? answer : []
        cursor = typeof next === 'string' ? next : '0-0'
        if (isList(entries) && entries.some((entry) => !entry)) await dropDeleted()
        return { entries: readStreamEntries(entries), isLast: cursor === '0-0' }
      }),
    keep: (ids) =>
      inBatches(ids, (batch) => {
        const command = ['XCLAIM', stream, group, consumer, '0', ...batch, 'JUSTID']
        return sendCommand(writer, toCommand(command))
      }),
    async unblock() {
      const id = await readerId
      if (id !== undefined) await sendCommand(writer, ['CLIENT', 'UNBLOCK', toText(id)])
    },
    acknowledge: (ids) =>
      inBatches(ids, async (batch) => {
        // Deleted first: a process that dies in between leaves a claim to nothing, which the next claim drops;
        // the other way round the entry would stay in the stream for good.
        if (options.deletes) await sendCommand(writer, ['XDEL', stream, ...batch])
        await sendCommand(writer, ['XACK', stream, group, ...batch])
      }),
    giveBack,
    async leave() {
      const command = ['XPENDING', stream, group, '-', '+', String(MAX_LEFT), consumer]
      const answer = await sendCommand(writer, toCommand(command))
      const left = readStreamEntries(answer).map(({ id }) => id)
      // Removing a consumer forgets what it has not acknowledged: only one that has nothing is removed.
      if (left.length > 0) await giveBack(left)
      else await sendCommand(writer, ['XGROUP', 'DELCONSUMER', stream, group, consumer])
    },
  }
}

async function createGroup({ stream, group, writer }: StreamGroupOptions): Promise<void> {
  try {
    await sendCommand(writer, ['XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM'])
  } catch (thrown) {
    if (!hasPrefix(thrown, 'BUSYGROUP')) throw thrown
  }
}

function toCommand(words: readonly string[]): readonly [string, ...string[]] {
  const [name = '', ...rest] = words
  return [name, ...rest]
}

function hasPrefix(thrown: unknown, prefix: string): boolean {
  return thrown instanceof Error && thrown.message.startsWith(prefix)
}

/** Tells a group which entries are finished. */
export interface StreamAcks {
  readonly done: (id: string) => void
  readonly returned: (id: string) => void
  /** Writes what is left. */
  readonly finish: () => Promise<void>
}

const AGAIN_MS = 500

/** Collects acknowledgements: one command for all entries that end in the same turn of the event loop. */
export function createStreamAcks(group: StreamGroup): StreamAcks {
  let ready: string[] = []
  let unwanted: string[] = []
  let isScheduled = false
  let writing = Promise.resolve()

  async function flush(): Promise<void> {
    isScheduled = false
    const ids = ready
    const back = unwanted
    ready = []
    unwanted = []
    try {
      if (ids.length > 0) await group.acknowledge(ids)
      if (back.length > 0) await group.giveBack(back)
    } catch {
      // Acknowledging twice is harmless; not at all would let the entry run again elsewhere.
      ready.push(...ids)
      unwanted.push(...back)
      isScheduled = true
      setTimeout(() => void flush(), AGAIN_MS).unref()
    }
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      writing = flush()
    })
  }

  return {
    done(id) {
      ready.push(id)
      schedule()
    },
    returned(id) {
      unwanted.push(id)
      schedule()
    },
    async finish() {
      await writing
      await flush()
    },
  }
}

const BODY_FIELDS = ['payload', 'data', 'body', 'message']
const ID_FIELDS = ['message_id', 'x-message-id']

/** Makes an event of an entry: its one body field, or all its fields as an object. */
export function toStreamEvent(
  stream: string,
  id: string,
  fields: ReadonlyMap<string, string>,
): TriggerEvent {
  const given = ID_FIELDS.map((name) => fields.get(name)).find((value) => value)
  const event = fields.get('event')
  return {
    // The id of an entry stays the same however often it is handed out.
    id: given ?? `${stream}:${id}`,
    ...(event !== undefined && { event }),
    payload: toPayload(fields),
    meta: { stream, entry: id },
  }
}

/** Adds up what the fields of an entry weigh, in bytes. */
export function weighEntry(fields: ReadonlyMap<string, string>): number {
  let bytes = 0
  for (const [name, value] of fields) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  return bytes
}

function toPayload(fields: ReadonlyMap<string, string>): Json {
  const body = BODY_FIELDS.map((name) => fields.get(name)).find((value) => value !== undefined)
  if (body !== undefined) return decodeQueueMessage(body)
  return Object.fromEntries([...fields].filter(([name]) => name !== '__proto__'))
}
