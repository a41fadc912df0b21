import { expect, it } from 'vitest'
import { createRecordedSource, patience, waitUntil } from '../../../test/support/trigger-source.ts'
import type { QueueTrigger } from '../../sources/tool-spec/types.ts'
import { startQueue } from './queue.ts'

const TRIGGER: QueueTrigger = {
  type: 'queue',
  name: 'orders',
  description: 'Incoming orders.',
  queue_url: 'sqs://orders',
}

/** The AWS client where something is not set up. */
function failing(message: string) {
  class Command {}
  class SQSClient {
    send(): Promise<never> {
      return Promise.reject(new Error(message))
    }
    destroy(): void {}
  }
  return async () => ({ SQSClient, GetQueueUrlCommand: Command, ReceiveMessageCommand: Command })
}

it.each([
  ['Region is missing', 'no region: set AWS_REGION, or region behind ? of queue_url'],
  [
    'Could not load credentials from any providers',
    'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ],
  ['socket hang up', 'socket hang up'],
])('says what to do about "%s"', async (message, said) => {
  const { context } = createRecordedSource(TRIGGER)
  const source = await startQueue(context, { load: failing(message) })
  await waitUntil(() => source.trouble?.() !== undefined, 'the trouble shows')
  expect(source.trouble?.()).toBe(`cannot receive from SQS: ${said}, trying again`)
  await source.stop(patience())
})
