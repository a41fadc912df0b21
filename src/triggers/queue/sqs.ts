import { randomUUID } from 'node:crypto'
import { loadOptional } from '../../store/index.ts'
import { type JsonObject, toReason, toText } from '../../values/index.ts'
import type { TriggerEvent, TriggerSource } from '../trigger.ts'
import type { QueueAddress } from './address.ts'
import { decodeQueueMessage, type LoadPackage, type QueueDriverOptions } from './driver.ts'
import { createQueueRunner, type Ending, repeatUntilStopped } from './runner.ts'

/** The members of a message of SQS that are read here. */
export interface SqsMessage {
  readonly MessageId?: string
  readonly ReceiptHandle?: string
  readonly Body?: string
  readonly Attributes?: Readonly<Record<string, string>>
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>
}

/** What SQS is asked for here. */
export interface SqsQueue {
  readonly receive: (count: number, signal: AbortSignal) => Promise<readonly SqsMessage[]>
  readonly remove: (receipt: string) => Promise<void>
  /** Hides a message for so many seconds from now; zero gives it back at once. */
  readonly hide: (receipt: string, seconds: number) => Promise<void>
  readonly close: () => void
}

/** Which queue, and how it is read. */
export interface SqsQueueOptions {
  readonly queue: string
  /** The address of the queue itself, where it is known. */
  readonly queueUrl?: string
  readonly endpoint?: string
  readonly region?: string
  readonly waitSeconds: number
  readonly visibilitySeconds: number
}

interface Client {
  send(
    command: unknown,
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<Readonly<Record<string, unknown>>>
  destroy(): void
}

type NewClient = new (options: Readonly<Record<string, unknown>>) => Client
type NewCommand = new (input: Readonly<Record<string, unknown>>) => unknown

/** Loads the AWS client and opens a queue with it; credentials come from where AWS tools look for them. */
export async function openSqs(options: SqsQueueOptions, load?: LoadPackage): Promise<SqsQueue> {
  const sqs = await loadOptional('@aws-sdk/client-sqs', 'sqs:', load, 'queue')
  const { endpoint, region, waitSeconds, visibilitySeconds } = options
  const client = new (sqs['SQSClient'] as NewClient)({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    // The address of the server, not the one in the answer of a proxy or test server, is the one to use.
    useQueueUrlAsEndpoint: endpoint === undefined,
  })
  let known = options.queueUrl

  function send(name: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal) {
    const command = new (sqs[`${name}Command`] as NewCommand)(input)
    return client.send(command, signal ? { abortSignal: signal } : {})
  }

  async function findUrl(): Promise<string> {
    known ??= toText((await send('GetQueueUrl', { QueueName: options.queue }))['QueueUrl'])
    return known
  }

  return {
    async receive(count, signal) {
      const input = {
        QueueUrl: await findUrl(),
        MaxNumberOfMessages: count,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: visibilitySeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp', 'MessageGroupId'],
        MessageAttributeNames: ['All'],
      }
      const { Messages } = await send('ReceiveMessage', input, signal)
      return Array.isArray(Messages) ? (Messages as readonly SqsMessage[]) : []
    },
    async remove(receipt) {
      await send('DeleteMessage', { QueueUrl: await findUrl(), ReceiptHandle: receipt })
    },
    async hide(receipt, seconds) {
      const input = {
        QueueUrl: await findUrl(),
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
      }
      await send('ChangeMessageVisibility', input)
    },
    close: () => client.destroy(),
  }
}

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
      log.warn(`queue ${trigger.name}: SQS did not accept an acknowledgement: ${toReason(thrown)}`)
    }
  }

  async function receive(): Promise<void> {
    const room = Math.min(prefetch - runner.running(), BATCH)
    if (room > 0) {
      for (const message of await queue.receive(room, stopping.signal)) take(message)
      reason = undefined
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  const keeping = setInterval(
    () => {
      for (const receipt of here) queue.hide(receipt, settings.visibilitySeconds).catch(() => {})
    },
    (settings.visibilitySeconds * 1000) / 3,
  )
  const receiving = repeatUntilStopped(stopping.signal, receive, (thrown, attempt) => {
    reason = `cannot receive from SQS: ${explain(thrown)}, trying again`
    if (attempt === 0) log.warn(`queue ${trigger.name}: ${reason}`)
  })

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
    payload: decodeQueueMessage(Body),
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
