import type { QueueMessage, Receiving } from './queue.ts'
import { createWorking, parseBody } from './queue-message.ts'

/** The members of the AWS client that are used here. */
interface Message {
  readonly MessageId?: string
  readonly ReceiptHandle?: string
  readonly Body?: string
  readonly Attributes?: Readonly<Record<string, string>>
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>
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

/** Receives from SQS; what is given up stays in the queue, whose redrive policy takes it away. */
export async function receiveSqs(receiving: Receiving): Promise<void> {
  const { client: sqs, setting, take, room, stopping } = receiving
  const visibility = Number(setting('visibility') ?? 30)
  const client = new (sqs['SQSClient'] as NewClient)(readOptions(receiving))
  const working = createWorking()
  const here = new Set<string>()

  function send(name: string, input: Readonly<Record<string, unknown>>, abortSignal?: AbortSignal) {
    const command = new (sqs[`${name}Command`] as NewCommand)(input)
    return client.send(command, abortSignal ? { abortSignal } : {})
  }

  const QueueUrl = await findUrl(receiving, send)
  const hide = (ReceiptHandle: string, VisibilityTimeout: number) =>
    send('ChangeMessageVisibility', { QueueUrl, ReceiptHandle, VisibilityTimeout })

  async function handle(message: Message): Promise<void> {
    const ReceiptHandle = message.ReceiptHandle ?? ''
    here.add(ReceiptHandle)
    const ending = await take(toMessage(message))
    here.delete(ReceiptHandle)
    if (ending === 'done') await send('DeleteMessage', { QueueUrl, ReceiptHandle })
    if (ending === 'stopped') await hide(ReceiptHandle, 0)
  }

  const keeping = setInterval(
    () => {
      for (const receipt of here) hide(receipt, visibility).catch(() => {})
    },
    (visibility * 1000) / 3,
  )
  try {
    while (!stopping.aborted) {
      const input = {
        QueueUrl,
        MaxNumberOfMessages: Math.min(10, Math.max(1, room - working.count())),
        WaitTimeSeconds: Number(setting('wait') ?? 20),
        VisibilityTimeout: visibility,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        MessageAttributeNames: ['All'],
      }
      const { Messages } = await send('ReceiveMessage', input, stopping)
      receiving.onReady()
      for (const message of Array.isArray(Messages) ? (Messages as Message[]) : []) {
        // What cannot be told to SQS now is handed out again later.
        working.add(handle(message).catch(() => {}))
      }
      if (working.count() >= room) await working.next()
    }
  } finally {
    await working.all()
    clearInterval(keeping)
    client.destroy()
  }
}

function readOptions({ server, setting, env }: Receiving): Readonly<Record<string, unknown>> {
  const isWeb = server.protocol !== 'sqs:'
  const inHost = /^(?:sqs\.)?([a-z0-9-]+)\.(?:queue\.)?amazonaws\.com/.exec(server.hostname)?.[1]
  const region = setting('region') ?? inHost ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION']
  const endpoint =
    env['AWS_ENDPOINT_URL_SQS'] ?? env['AWS_ENDPOINT_URL'] ?? (isWeb ? server.origin : undefined)
  if (region === undefined) throw new Error('SQS needs a region: set AWS_REGION')
  return { region, ...(endpoint !== undefined && { endpoint }) }
}

/** `https://sqs.<region>.amazonaws.com/<account>/<name>` is the queue itself; `sqs://<name>` is looked up. */
async function findUrl(
  { server, queue, stopping }: Receiving,
  send: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Readonly<Record<string, unknown>>>,
): Promise<string> {
  if (server.protocol !== 'sqs:' && /^\/[^/]+\/[^/]+$/.test(server.pathname)) return server.href
  const { QueueUrl } = await send('GetQueueUrl', { QueueName: queue }, stopping)
  return typeof QueueUrl === 'string' ? QueueUrl : ''
}

function toMessage({ MessageId, Body = '', Attributes, MessageAttributes }: Message): QueueMessage {
  const receive_count = Number(Attributes?.['ApproximateReceiveCount'] ?? 1)
  return {
    id: MessageAttributes?.['x-message-id']?.StringValue || MessageId,
    payload: parseBody(Body),
    meta: { receive_count },
  }
}
