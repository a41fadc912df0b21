import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server that speaks the JSON protocol of SQS to the real AWS client. */
export interface SqsServer {
  readonly url: string
  /** Messages that were not deleted. */
  readonly left: (queue: string) => number
  readonly stop: () => Promise<void>
}

interface StoredMessage {
  readonly id: string
  readonly body: string
  readonly attributes: unknown
  visibleAt: number
  received: number
  /** Old ones stay good for the message they were given for, as SQS has it for deleting. */
  readonly receipts: Set<string>
}

type Input = Readonly<Record<string, unknown>>
type Action = (input: Input, isGone: () => boolean) => Promise<unknown> | unknown

const ACCOUNT = '000000000000'
const DEFAULT_VISIBILITY_S = 30

/** Starts a server with empty queues; queues are made by CreateQueue. */
export async function startSqsServer(): Promise<SqsServer> {
  const queues = new Map<string, StoredMessage[]>()
  let isStopped = false
  const urlOf = (name: string) => `${url()}/${ACCOUNT}/${name}`

  function queueOf({ QueueUrl }: Input): StoredMessage[] {
    const found = queues.get(String(QueueUrl).split('/').at(-1) ?? '')
    if (!found) throw new SqsProblem('QueueDoesNotExist')
    return found
  }

  function messageOf(input: Input): StoredMessage {
    const found = queueOf(input).find(({ receipts }) =>
      receipts.has(String(input['ReceiptHandle'])),
    )
    if (!found) throw new SqsProblem('ReceiptHandleIsInvalid')
    return found
  }

  function store(queue: StoredMessage[], body: unknown, attributes: unknown) {
    const text = String(body)
    const message = { id: randomUUID(), body: text, attributes, visibleAt: 0, received: 0 }
    queue.push({ ...message, receipts: new Set() })
    return { MessageId: message.id, MD5OfMessageBody: md5(text) }
  }

  function take(queue: StoredMessage[], input: Input): unknown[] {
    const seconds = Number(input['VisibilityTimeout'] ?? DEFAULT_VISIBILITY_S)
    const now = Date.now()
    const found = queue.filter(({ visibleAt }) => visibleAt <= now)
    return found.slice(0, Number(input['MaxNumberOfMessages'] ?? 1)).map((message) => {
      message.visibleAt = now + seconds * 1000
      message.received += 1
      const receipt = randomUUID()
      message.receipts.add(receipt)
      return {
        MessageId: message.id,
        ReceiptHandle: receipt,
        Body: message.body,
        MD5OfBody: md5(message.body),
        Attributes: { ApproximateReceiveCount: String(message.received) },
        ...(message.attributes ? { MessageAttributes: message.attributes } : {}),
      }
    })
  }

  const actions: Readonly<Record<string, Action>> = {
    CreateQueue({ QueueName }) {
      const name = String(QueueName)
      if (!queues.has(name)) queues.set(name, [])
      return { QueueUrl: urlOf(name) }
    },
    GetQueueUrl({ QueueName }) {
      queueOf({ QueueUrl: QueueName })
      return { QueueUrl: urlOf(String(QueueName)) }
    },
    SendMessage: (input) => store(queueOf(input), input['MessageBody'], input['MessageAttributes']),
    SendMessageBatch(input) {
      const queue = queueOf(input)
      const entries = input['Entries'] as readonly Input[]
      const Successful = entries.map(({ Id, MessageBody, MessageAttributes }) => ({
        Id,
        ...store(queue, MessageBody, MessageAttributes),
      }))
      return { Successful, Failed: [] }
    },
    async ReceiveMessage(input, isGone) {
      const queue = queueOf(input)
      const end = Date.now() + Number(input['WaitTimeSeconds'] ?? 0) * 1000
      let Messages = take(queue, input)
      while (Messages.length === 0 && Date.now() < end && !isStopped && !isGone()) {
        await sleep(20)
        if (isGone()) break
        Messages = take(queue, input)
      }
      return Messages.length > 0 ? { Messages } : {}
    },
    DeleteMessage(input) {
      const queue = queueOf(input)
      queue.splice(queue.indexOf(messageOf(input)), 1)
      return {}
    },
    ChangeMessageVisibility(input) {
      messageOf(input).visibleAt = Date.now() + Number(input['VisibilityTimeout']) * 1000
      return {}
    },
  }

  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '')
    const { status, body } = await answer(actions[action], request)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const address = url()

  return {
    url: address,
    left: (queue) => queues.get(queue)?.length ?? 0,
    async stop() {
      isStopped = true
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

class SqsProblem extends Error {}

async function answer(
  action: Action | undefined,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    if (!action) throw new SqsProblem('InvalidAction')
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    return {
      status: 200,
      body: await action(
        JSON.parse(Buffer.concat(chunks).toString()),
        () => request.socket.destroyed,
      ),
    }
  } catch (thrown) {
    const code = thrown instanceof SqsProblem ? thrown.message : 'InternalError'
    return { status: 400, body: { __type: `com.amazonaws.sqs#${code}`, message: code } }
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
