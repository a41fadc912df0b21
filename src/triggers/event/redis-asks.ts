import { randomUUID } from 'node:crypto'
import { sleep } from '../../values/index.ts'
import { withinTime } from '../../work/index.ts'
import { type StreamClient, sendCommand } from '../queue/redis-client.ts'
import {
  type BusEvent,
  type BusSubscription,
  busAway,
  decodeAnswer,
  decodeEvent,
  encodeBusAnswer,
  encodeBusEvent,
  matchesEvent,
  tooLate,
} from './bus.ts'

const READY_MS = 5_000
const LOOK_MS = 20
const NEVER = new AbortController().signal

/** Begins to connect, and goes on trying by itself. */
export function startConnecting(client: StreamClient): StreamClient {
  client.connect().catch(() => {})
  return client
}

/** Waits until the connection stands, but not long: nothing is queued before, so a command would fail at once. */
export async function whenReady(client: StreamClient): Promise<void> {
  const until = performance.now() + READY_MS
  while (client.status !== 'ready' && performance.now() < until) await sleep(LOOK_MS, NEVER)
}

/** Questions and answers over Redis channels. */
export interface RedisAsks {
  readonly ask: (
    event: BusEvent,
    timeoutMs: number,
  ) => Promise<{ readonly heard: false } | { readonly heard: true; readonly result: unknown }>
  /** Answers questions about what a subscription listens to; returns what ends it. */
  readonly answer: (subscription: BusSubscription) => Promise<() => void>
  readonly close: () => void
}

/** A connection that only hears. */
interface HearingClient extends StreamClient {
  on(event: 'error', listener: (reason: unknown) => void): unknown
  on(event: 'message', listener: (channel: string, text: string) => void): unknown
}

const CLAIM_MS = '60000'
/** What whoever claims a question says before it works on it. */
const HEARD = '+'
const HEARD_MS = 1_000

/** Creates what asks and answers; connections are made when the first question is. */
export function createRedisAsks(options: {
  readonly connect: () => StreamClient
  readonly writer: StreamClient
  readonly namespace: string
}): RedisAsks {
  const { connect, writer, namespace } = options
  const replies = `${namespace}:reply:${randomUUID()}`
  const questions = `${namespace}:asks`
  const waiting = new Map<string, (text: string) => void>()
  const answering = new Set<BusSubscription>()
  let ears: Promise<HearingClient> | undefined

  async function hear(): Promise<HearingClient> {
    const client = connect() as HearingClient
    client.on('message', (channel, text) => {
      if (channel === replies) hearReply(text)
      else void hearQuestion(text)
    })
    await subscribe(client, replies)
    return client
  }

  function hearReply(text: string): void {
    const [ask = '', answer = ''] = split(text, 2)
    waiting.get(ask)?.(answer)
  }

  async function hearQuestion(text: string): Promise<void> {
    const [channel = '', ask = '', body = ''] = split(text, 3)
    const event = decodeEvent(body)
    const listener = event && [...answering].find((one) => matchesEvent(one.event, event.event))
    if (event === undefined || listener === undefined) return
    // Everybody hears the question; who claims it first answers it.
    const claim = ['SET', `${namespace}:claim:${ask}`, '1', 'NX', 'PX', CLAIM_MS] as const
    const reply = (answer: string) =>
      sendCommand(writer, ['PUBLISH', channel, `${ask} ${answer}`]).catch(() => {})
    const won = await sendCommand(writer, claim).catch(() => null)
    if (won !== 'OK') return
    await reply(HEARD)
    await reply(await encodeBusAnswer(listener.answer(event)))
  }

  return {
    async ask(event, timeoutMs) {
      ears ??= hear()
      await ears.catch((thrown) => {
        ears = undefined
        throw busAway('Redis', thrown)
      })
      const asked = randomUUID()
      const heard = createSignal()
      const answered = createSignal()
      waiting.set(asked, (text) => (text === HEARD ? heard : answered).give(text))
      try {
        const question = `${replies} ${asked} ${encodeBusEvent(event)}`
        await sendCommand(writer, ['PUBLISH', questions, question]).catch((thrown) => {
          throw busAway('Redis', thrown)
        })
        const someone = await Promise.race([heard.taken, sleep(HEARD_MS, NEVER)])
        if (someone !== HEARD) return { heard: false }
        const text = await withinTime(answered.taken, timeoutMs, () => tooLate(event.event))
        return { heard: true, result: decodeAnswer(text, event.event) }
      } finally {
        waiting.delete(asked)
      }
    },
    async answer(subscription) {
      ears ??= hear()
      const client = await ears
      if (answering.size === 0) await subscribe(client, questions)
      answering.add(subscription)
      return () => {
        answering.delete(subscription)
        if (answering.size === 0) void client.call('UNSUBSCRIBE', questions).catch(() => {})
      }
    },
    close() {
      void ears?.then(
        (client) => client.disconnect(),
        () => {},
      )
    },
  }
}

interface Signal {
  readonly taken: Promise<string>
  readonly give: (text: string) => void
}

function createSignal(): Signal {
  let give: (text: string) => void = () => {}
  const taken = new Promise<string>((resolve) => {
    give = resolve
  })
  return { taken, give: (text) => give(text) }
}

async function subscribe(client: StreamClient, channel: string): Promise<void> {
  await whenReady(client)
  await client.call('SUBSCRIBE', channel)
}

/** Splits at the first spaces only: what comes last may hold more. */
function split(text: string, parts: number): readonly string[] {
  const pieces = text.split(' ')
  return [...pieces.slice(0, parts - 1), pieces.slice(parts - 1).join(' ')]
}
