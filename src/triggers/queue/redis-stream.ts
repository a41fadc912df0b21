import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { toReason } from '../../values/index.ts'
import type { TriggerEvent, TriggerSource } from '../trigger.ts'
import type { QueueAddress } from './address.ts'
import { MAX_MESSAGE_BYTES, type QueueDriverOptions, toQueueRefusal } from './driver.ts'
import { loadRedis, type StreamEntry } from './redis-client.ts'
import {
  createStreamAcks,
  createStreamGroup,
  type StreamAcks,
  toStreamEvent,
  weighEntry,
} from './redis-group.ts'
import { createQueueRunner, type Ending, type QueueRunner, repeatUntilStopped } from './runner.ts'

const PREFETCH = 20
const MAX_PREFETCH = 1000
const MAX_HELD = 1000
const IDLE_MS = 60_000
const CLAIM_MS = 5000
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
  const acks = createStreamAcks(group)
  const runner = createQueueRunner(context, { holdMs: DAY_MS, onHold: () => wake() })
  let reason: string | undefined = 'connecting to Redis'
  let wake = () => {}

  const intake = createIntake({ options, runner, acks, maxBytes: settings.maxBytes }, () => wake())
  const take = (entries: readonly StreamEntry[]) => {
    // What comes after the end stays with the group, which gives it to others.
    if (!stopping.signal.aborted) intake.take(entries)
  }
  const room = () => Math.min(settings.prefetch - runner.running(), MAX_HELD - runner.held())

  let claimAt = 0
  async function receive(): Promise<void> {
    const now = context.clock.elapsed()
    if (now >= claimAt && room() > 0) {
      await group.keep(intake.here())
      const { entries, isLast } = await group.claim(room())
      take(entries)
      if (isLast && entries.length === 0) claimAt = now + Math.min(settings.idleMs / 2, CLAIM_MS)
    }
    if (room() > 0) take(await group.read(room()))
    else await whenRoom()
    reason = undefined
  }

  function whenRoom(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve
    })
  }

  const keeping = setInterval(
    () => void group.keep(intake.here()).catch(() => {}),
    Math.ceil(settings.idleMs / 3),
  )
  const connected = Promise.allSettled([reader.connect(), writer.connect()])
  const receiving = connected.then(() =>
    repeatUntilStopped(stopping.signal, receive, (thrown, attempt) => {
      const text = toReason(thrown)
      if (attempt === 0) log.warn(`queue ${trigger.name}: cannot use Redis: ${text}`)
      reason = `cannot use Redis: ${text}, trying again`
    }),
  )

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

interface IntakeOptions {
  readonly options: QueueDriverOptions
  readonly runner: QueueRunner
  readonly acks: StreamAcks
  readonly maxBytes: number
}

interface Intake {
  readonly take: (entries: readonly StreamEntry[]) => void
  /** Ids of the entries at work. */
  readonly here: () => readonly string[]
}

/** Runs entries, each once at a time, and acknowledges them when they are over. */
function createIntake(
  { options: { address }, runner, acks, maxBytes }: IntakeOptions,
  onEnd: () => void,
): Intake {
  const here = new Set<string>()

  function start(id: string, fields: ReadonlyMap<string, string>): void {
    const bytes = weighEntry(fields)
    const stream = address.queue
    here.add(id)
    const event: TriggerEvent =
      bytes > maxBytes
        ? { id: `${stream}:${id}`, payload: null, refused: toQueueRefusal(bytes, maxBytes) }
        : toStreamEvent(stream, id, fields)
    runner.run(event, (ending: Ending) => {
      here.delete(id)
      if (ending === 'done' || ending === 'dead') acks.done(id)
      else acks.returned(id)
      onEnd()
    })
  }

  return {
    here: () => [...here],
    take(entries) {
      for (const { id, fields } of entries) {
        if (here.has(id)) continue
        if (fields === undefined) acks.done(id)
        else start(id, fields)
      }
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
