import type { AmqpChannel, AmqpMessage } from './rabbitmq-client.ts'

/** Acknowledges the messages of one channel: one frame for a run of messages that are all done. */
export interface Acknowledger {
  readonly received: (message: AmqpMessage) => void
  readonly done: (message: AmqpMessage) => void
  /** Refuses a message; the broker passes it to its dead-letter exchange, if it has one, and forgets it. */
  readonly reject: (message: AmqpMessage) => void
  /** Gives a message back to the queue. */
  readonly giveBack: (message: AmqpMessage) => void
  readonly flush: () => void
}

/** Makes an acknowledger. It writes once per turn of the event loop, before new messages are read. */
export function createAcknowledger(channel: AmqpChannel): Acknowledger {
  // Delivery tags count up, so the first member is always the lowest.
  const open = new Set<number>()
  let ready: AmqpMessage[] = []
  let isClosed = false
  channel.on('close', () => {
    isClosed = true
  })

  function flush(): void {
    const messages = ready
    ready = []
    if (isClosed || messages.length === 0) return
    const lowest = open.values().next().value ?? Number.POSITIVE_INFINITY
    const single = messages.filter(({ fields }) => fields.deliveryTag > lowest)
    const last = toLast(messages, lowest)
    write(() => {
      for (const message of single) channel.ack(message)
      if (last) channel.ack(last, true)
    })
  }

  /** A channel that is about to close throws; the broker then hands its messages out again. */
  function write(run: () => void): void {
    if (isClosed) return
    try {
      run()
    } catch {
      isClosed = true
    }
  }

  function finish(message: AmqpMessage, run: () => void): void {
    open.delete(message.fields.deliveryTag)
    write(run)
  }

  return {
    received: (message) => void open.add(message.fields.deliveryTag),
    done(message) {
      open.delete(message.fields.deliveryTag)
      ready.push(message)
      if (ready.length === 1) setImmediate(flush)
    },
    // What was done below a refused message must not be swept along: each of these names one message only.
    reject: (message) => finish(message, () => channel.nack(message, false, false)),
    giveBack: (message) => finish(message, () => channel.nack(message, false, true)),
    flush,
  }
}

/** The newest of the messages below the lowest one that is still at work: acknowledging it covers all before it. */
function toLast(messages: readonly AmqpMessage[], lowest: number): AmqpMessage | undefined {
  let last: AmqpMessage | undefined
  for (const message of messages) {
    const { deliveryTag } = message.fields
    if (deliveryTag < lowest && deliveryTag > (last?.fields.deliveryTag ?? 0)) last = message
  }
  return last
}
