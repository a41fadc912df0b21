import { toText } from '../core/text.ts'
import { loadOptional } from '../store/optional-package.ts'
import type { LoadPackage } from './queue-driver.ts'

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
