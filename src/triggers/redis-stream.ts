import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { QueueAddress } from './queue-address.ts'
import { toBackoff, waitFor } from './queue-backoff.ts'
import type { QueueDriverOptions } from './queue-driver.ts'
import { MAX_MESSAGE_BYTES } from './queue-message.ts'
import { createQueueRunner, type Ending } from './queue-runner.ts'
import { loadRedis, type StreamEntry } from './redis-stream-client.ts'
import { toStreamEvent, weighEntry } from './redis-stream-event.ts'
import { createStreamGroup, type StreamGroup } from './redis-stream-group.ts'
import type { TriggerSource } from './trigger.ts'

const PREFETCH = 20
const MAX_PREFETCH = 1000
const MAX_HELD = 1000
const IDLE_MS = 60_000
const DAY_MS = 24 * 60 * 60_000

/** Receives from a Redis stream through a consumer group; entries of consumers that died are taken over. */
export async function startRedisStream(options: QueueDriverOptions): Promise<TriggerSource> {
  const { context, address } = options
  const { trigger, log } = context
  const settings = readSettings(address, context)
  const connect = await loadRedis(trigger.name, options.load)
  const reader = connect(toServer(address.server))
  const writer = connect(toServer(address.server))
  const group = createStreamGroup({ ...settings, stream: address.queue, reader, writer })
  const stopping = new AbortController()
  const here = new Set<string>()
  const acks = createStreamAcks(group)
  const runner = createQueueRunner(context, { holdMs: DAY_MS, onHold: () => wake() })
  let reason: string | undefined = 'connecting to Redis'
  let wake = () => {}

  function take(entries: readonly StreamEntry[]): void {
    for (const entry of entries) {
      if (here.has(entry.id) || stopping.signal.aborted) continue
      if (entry.fields === undefined) acks.done(entry.id)
      else start({ id: entry.id, fields: entry.fields })
    }
  }

  function start(entry: Required<StreamEntry> & { readonly fields: ReadonlyMap<string, string> }) {
    const bytes = weighEntry(entry.fields)
    if (bytes > settings.maxBytes) {
      log.error(`queue ${trigger.name}: refused an entry of ${bytes} bytes`, { entry: entry.id })
      acks.done(entry.id)
      return
    }
    here.add(entry.id)
    runner.run(toStreamEvent(address.queue, entry), (ending: Ending) => {
      here.delete(entry.id)
      if (ending === 'done' || ending === 'dead') acks.done(entry.id)
      else acks.returned(entry.id)
      wake()
    })
  }

  const room = () => Math.min(settings.prefetch - runner.running(), MAX_HELD - runner.held())

  async function receive(): Promise<void> {
    let attempt = 0
    let claimAt = 0
    while (!stopping.signal.aborted) {
      try {
        const now = context.clock.elapsed()
        if (now >= claimAt && room() > 0) {
          claimAt = now + settings.idleMs / 2
          await group.keep([...here])
          take(await group.claim(room()))
        }
        if (room() > 0) take(await group.read(room()))
        else await new Promise<void>((resolve) => untilRoom(resolve))
        attempt = 0
        reason = undefined
      } catch (thrown) {
        if (stopping.signal.aborted) return
        const text = thrown instanceof Error ? thrown.message : String(thrown)
        if (attempt === 0) log.warn(`queue ${trigger.name}: cannot use Redis: ${text}`)
        reason = `cannot use Redis: ${text}, trying again`
        await waitFor(toBackoff(attempt), stopping.signal)
        attempt += 1
      }
    }
  }

  /** Entries that run longer than others may claim them after must be kept, also while there is no room for more. */
  function untilRoom(resolve: () => void): void {
    const timer = setTimeout(resolve, settings.idleMs / 3)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  }
  const keeping = setInterval(
    () => void group.keep([...here]).catch(() => {}),
    Math.ceil(settings.idleMs / 3),
  )
  const receiving = receive()

  return {
    trouble: () => reason ?? runner.trouble(),
    async stop(signal) {
      stopping.abort()
      wake()
      await runner.stop(signal)
      clearInterval(keeping)
      await acks.finish()
      await group.unblock().catch(() => {})
      reader.disconnect()
      await receiving
      await group.leave().catch(() => {})
      writer.disconnect()
    },
  }
}

interface StreamSettings {
  readonly prefetch: number
  readonly group: string
  readonly consumer: string
  readonly idleMs: number
  readonly deletes: boolean
  readonly maxBytes: number
}

function readSettings(
  { settings }: QueueAddress,
  { service, trigger: { name } }: QueueDriverOptions['context'],
): StreamSettings {
  const mode = settings.text('mode') ?? 'stream'
  if (mode !== 'stream') {
    throw new TypeError(`queue ${name}: queue_url: mode must be stream; lists lose messages`)
  }
  return {
    prefetch: settings.count('prefetch', PREFETCH, MAX_PREFETCH),
    group: settings.text('group') ?? `waymark:${service}:${name}`,
    consumer: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    idleMs: settings.count('idle', IDLE_MS, DAY_MS),
    deletes: settings.flag('delete', false),
    maxBytes: settings.count('max_bytes', MAX_MESSAGE_BYTES, 512 * 1024 * 1024),
  }
}

function toServer(server: URL): URL {
  const url = new URL(server)
  url.search = ''
  return url
}

interface StreamAcks {
  readonly done: (id: string) => void
  readonly returned: (id: string) => void
  /** Writes what is left. */
  readonly finish: () => Promise<void>
}

const AGAIN_MS = 500

/** Collects acknowledgements: one command for all entries that end in the same turn of the event loop. */
function createStreamAcks(group: StreamGroup): StreamAcks {
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
