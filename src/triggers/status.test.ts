import { expect, it } from 'vitest'
import { formatPlace } from './status.ts'

it.each([
  ['amqp://user:pass@mq/orders', 'amqp://mq/orders'],
  ['amqp://user:p@ss@mq/orders', 'amqp://mq/orders'],
  ['amqp://mq/orders@night', 'amqp://mq/orders@night'],
])('shows the queue %s without its password', (queue_url, shown) => {
  const base = { type: 'queue', name: 'orders', description: 'd' } as const
  expect(formatPlace({ ...base, queue_url })).toBe(shown)
})
