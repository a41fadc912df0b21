import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../core/json.ts'
import { toReason } from '../core/text.ts'
import type { QueueAddress } from './queue-address.ts'
import { toBackoff, waitFor } from './queue-backoff.ts'
import type { QueueDriverOptions } from './queue-driver.ts'
import { decodeMessage } from './queue-message.ts'
import { createQueueRunner, type Ending } from './queue-runner.ts'
import { openSqs, type SqsMessage, type SqsQueueOptions } from './sqs-client.ts'
import type { TriggerEvent, TriggerSource } from './trigger.ts'

const PREFETCH = 10
const MAX_PREFETCH = 200
const BATCH = 10
const WAIT_S = 20
const VISIBILITY_S = 30
const MAX_VISIBILITY_S = 43_200

/** Receives from an SQS queue by long polls; a message stays hidden from others for as long as it is at work. */
export async function startSqs({
  context,
  address,
  load,
}: QueueDriverOptions): Promise<TriggerSource> {
  const { trigger, log } = context
  const settings = readSettings(address, context.env)
  const prefetch = address.settings.count('prefetch', PREFETCH, MAX_PREFETCH)
  const queue = await openSqs(settings, load)
  const stopping = new AbortController()
  const runner = createQueueRunner(context)
  const here = new Set<string>()
  const finishing = new Set<Promise<void>>()
  let reason: string | undefined
  let wake = () => {}

  function take(message: SqsMessage): void {
    const receipt = message.ReceiptHandle ?? ''
    here.add(receipt)
    runner.run(toEvent(message), (ending) => {
      here.delete(receipt)
      const work = finish(receipt, ending).finally(() => finishing.delete(work))
      finishing.add(work)
      wake()
    })
  }

  /** What cannot be told to SQS now is handed out again later; its id then says that it is done. */
  async function finish(receipt: string, ending: Ending): Promise<void> {
    try {
      if (ending === 'done' || ending === 'dead') await queue.remove(receipt)
      else await queue.hide(receipt, ending === 'returned' ? 0 : toSeconds(ending.retryMs))
    } catch (thrown) {
      log.warn(`queue ${trigger.name}: SQS did not take an acknowledgement: ${toReason(thrown)}`)
    }
  }

  async function receive(): Promise<void> {
    let attempt = 0
    while (!stopping.signal.aborted) {
      const room = Math.min(prefetch - runner.running(), BATCH)
      if (room <= 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      try {
        for (const message of await queue.receive(room, stopping.signal)) take(message)
        attempt = 0
        reason = undefined
      } catch (thrown) {
        if (stopping.signal.aborted) return
        reason = `cannot receive from SQS: ${explain(thrown)}, trying again`
        if (attempt === 0) log.warn(`queue ${trigger.name}: ${reason}`)
        await waitFor(toBackoff(attempt), stopping.signal)
        attempt += 1
      }
    }
  }

  const keeping = setInterval(
    () => {
      for (const receipt of here) queue.hide(receipt, settings.visibilitySeconds).catch(() => {})
    },
    (settings.visibilitySeconds * 1000) / 3,
  )
  const receiving = receive()

  return {
    trouble: () => reason ?? runner.trouble(),
    async stop(signal) {
      stopping.abort()
      wake()
      await receiving
      await runner.stop(signal)
      clearInterval(keeping)
      await Promise.all([...here].map((receipt) => finish(receipt, 'returned')))
      await Promise.all(finishing)
      queue.close()
    },
  }
}

/** `https://sqs.<region>.amazonaws.com/<account>/<name>` is the queue itself; `sqs://<name>` is looked up. */
function readSettings(
  { server, queue, settings }: QueueAddress,
  env: Readonly<Record<string, string | undefined>>,
): SqsQueueOptions {
  const isWeb = server.protocol !== 'sqs:'
  const segments = isWeb ? server.pathname.split('/').filter((segment) => segment !== '') : []
  const inHost = /^(?:sqs\.)?([a-z0-9-]+)\.(?:queue\.)?amazonaws\.com/.exec(server.hostname)?.[1]
  const region = settings.text('region') ?? inHost ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION']
  const endpoint = env['AWS_ENDPOINT_URL_SQS'] ?? env['AWS_ENDPOINT_URL']
  const account = segments.slice(0, -1).join('/')
  return {
    queue,
    ...(account !== '' && { queueUrl: `${server.origin}/${account}/${queue}` }),
    ...(endpoint ? { endpoint } : isWeb && { endpoint: server.origin }),
    ...(region && { region }),
    waitSeconds: settings.count('wait', WAIT_S, 20),
    visibilitySeconds: settings.count('visibility', VISIBILITY_S, MAX_VISIBILITY_S),
  }
}

function toEvent({
  MessageId,
  Body = '',
  Attributes,
  MessageAttributes,
}: SqsMessage): TriggerEvent {
  const texts = Object.entries(MessageAttributes ?? {}).flatMap(([name, { StringValue }]) =>
    StringValue === undefined ? [] : [[name, StringValue] as const],
  )
  const attributes: JsonObject = Object.fromEntries(texts)
  const given = attributes['x-message-id'] ?? attributes['message_id']
  return {
    id: typeof given === 'string' ? given : (MessageId ?? randomUUID()),
    payload: decodeMessage(Body),
    meta: {
      ...(MessageId !== undefined && { message_id: MessageId }),
      receive_count: Number(Attributes?.['ApproximateReceiveCount'] ?? 1),
      ...(texts.length > 0 && { attributes }),
    },
  }
}

/** What is not set up can be set up; the client says only that it is missing. */
function explain(thrown: unknown): string {
  const text = toReason(thrown)
  return ADVICE.find(([pattern]) => pattern.test(text))?.[1] ?? text
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^Region is missing/, 'no region: set AWS_REGION, or region behind ? of queue_url'],
  [
    /^Could not load credentials/,
    'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ],
]

function toSeconds(milliseconds: number): number {
  return Math.min(Math.ceil(milliseconds / 1000), MAX_VISIBILITY_S)
}
