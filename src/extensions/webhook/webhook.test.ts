import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { defineFunction } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { createMemoryStore } from '../../entries/store.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { statefulExtensions } from '../../system/stateful-extensions.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import type { JobQueue } from '../../work/queue.ts'
import { createOutgoing, type OutgoingOptions } from '../outgoing/outgoing.ts'
import { emitWebhookEvent, webhookExtension } from './webhook.ts'

const URN = 'urn:forrst:ext:webhook'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Delivered {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

let receiver: Receiver | undefined
let service: Service | undefined
let jobs: JobQueue | undefined
afterEach(async () => {
  await service?.close()
  await jobs?.close()
  await receiver?.close()
})

async function setUp(options: Partial<OutgoingOptions> = {}) {
  const listening = await startReceiver()
  receiver = listening
  const store = createMemoryStore()
  const queue = createInProcessQueue(store, { pollMs: 20 })
  jobs = queue
  const outgoing = createOutgoing({
    jobs: queue,
    secret: SECRET,
    allowLoopback: true,
    ...options,
  })
  const log = createTestLog()
  const running = createService({
    info: { title: 'Shop', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [
      defineFunction({
        name: 'orders.create',
        version: '1.0.0',
        sideEffects: ['create'],
        async handler({ input, call: made }) {
          const { fail, wait, emit } = input as Record<string, unknown>
          if (emit) {
            const event = { type: String(emit), at: Date.now(), data: { order: 'o1' } }
            await emitWebhookEvent(outgoing, made, event)
          }
          if (wait) await sleep(Number(wait), undefined, { signal: made.signal() })
          if (fail) throw new CallError(String(fail))
          return { id: 'o1', email: 'alice@example.com' }
        },
      }),
    ],
    extensions: statefulExtensions({ store, jobs: queue, outgoing }),
    log,
  })
  service = running
  running.start()
  const ask = (
    input: object = {},
    webhook: object = {},
    more: readonly unknown[] = [],
    urn = URN,
  ) =>
    call(running, {
      function: 'orders.create',
      arguments: input,
      extensions: [
        { urn, options: { callback_url: `${listening.url}/hook`, ...webhook } },
        ...more,
      ],
    })
  const delivered = async (count = 1): Promise<readonly Delivered[]> => {
    for (let left = 400; left > 0 && listening.received.length < count; left -= 1) await sleep(20)
    return listening.received.map(({ body, headers }) => {
      expect(() =>
        new Webhook(SECRET).verify(body, headers as Record<string, string>),
      ).not.toThrow()
      return JSON.parse(body) as Delivered
    })
  }
  return { service: running, queue, outgoing, listening, ask, delivered, log }
}

describe('webhook extension', () => {
  it('[F-237] delivers the end of a call, signed, to the URL that was registered', async () => {
    const { ask, delivered, listening } = await setUp()
    const response = await ask()
    expect(response.body.result).toMatchObject({ id: 'o1' })
    expect(dataOf(response, URN)).toEqual({
      registered: true,
      callback_url: `${listening.url}/hook`,
      events: [
        'forrst.operation.completed',
        'forrst.operation.failed',
        'forrst.operation.cancelled',
      ],
      signature_version: 'v1',
    })
    expect(await delivered()).toEqual([
      {
        type: 'forrst.operation.completed',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: {
          original_request_id: 'req_1',
          function: 'orders.create',
          version: '1.0.0',
          status: 'completed',
          result: { id: 'o1', email: 'alice@example.com' },
          completed_at: expect.any(String),
        },
      },
    ])
    expect(listening.received[0]?.headers['webhook-id']).toMatch(/^msg_[0-9A-Z]{26}$/)
  })

  it('understands the documented spelling of its URN and answers in it', async () => {
    const { ask } = await setUp()
    const urn = 'urn:cline:forrst:ext:webhook'
    expect(dataOf(await ask({}, {}, [], urn), urn)).toMatchObject({ registered: true })
  })

  it.each([
    [{ callback_url: 'http://example.com/' }, 'callback_url'],
    [{ callback_url: 'https://10.0.0.1/' }, 'callback_url'],
    [{ callback_url: 5 }, 'callback_url'],
    [{ events: 'all' }, 'events'],
    [{ signature_version: 'v2' }, 'signature_version'],
    [{ signature_version: 'v1a' }, 'signature_version'],
  ])('[F-237] refuses %j before the function runs', async (options, path) => {
    const { ask, listening } = await setUp()
    const refused = await ask({}, options)
    expect([refused.status, refused.body.errors]).toMatchObject([
      400,
      [{ code: 'INVALID_ARGUMENTS', source: { pointer: `/extensions/0/options/${path}` } }],
    ])
    expect(listening.received).toEqual([])
  })

  it('delivers only the events that were asked for, with or without forrst. before them', async () => {
    const { ask, delivered } = await setUp()
    await ask({}, { events: ['operation.failed'] })
    await ask({ fail: 'CONFLICT' }, { events: ['forrst.operation.completed'] })
    await ask({ fail: 'CONFLICT' }, { events: ['operation.failed'] })
    expect(await delivered()).toMatchObject([
      {
        type: 'forrst.operation.failed',
        data: { status: 'failed', errors: [{ code: 'CONFLICT' }] },
      },
    ])
  })

  it('waits for the end of an operation that goes on in the background, and names it', async () => {
    const { ask, delivered, listening } = await setUp()
    const preferred = [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }]
    const accepted = await ask({ wait: 200 }, {}, preferred)
    const operation = String(dataOf(accepted, 'urn:forrst:ext:async')?.['operation_id'])
    expect(dataOf(accepted, URN)).toMatchObject({ registered: true })
    expect(listening.received).toEqual([])
    expect(await delivered()).toMatchObject([
      {
        type: 'forrst.operation.completed',
        data: { operation_id: operation, original_request_id: 'req_1', result: { id: 'o1' } },
      },
    ])
    expect(listening.received[0]?.headers['webhook-id']).toBe(operation.replace('op_', 'msg_'))
  })

  it('tells that an operation was cancelled', async () => {
    const { ask, delivered, service: running } = await setUp()
    const preferred = [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }]
    const accepted = await ask({ wait: 60_000 }, {}, preferred)
    const id = dataOf(accepted, 'urn:forrst:ext:async')?.['operation_id']
    const cancel = { function: 'urn:cline:forrst:ext:async:fn:cancel' }
    await call(running, { ...cancel, arguments: { operation_id: id } })
    expect(await delivered()).toMatchObject([
      { type: 'forrst.operation.cancelled', data: { operation_id: id, status: 'cancelled' } },
    ])
  })

  it('carries events of the function itself, in the foreground and in the background', async () => {
    const { ask, delivered } = await setUp()
    const wanted = { events: ['shop.order.shipped'] }
    await ask({ emit: 'shop.order.shipped' }, wanted)
    await ask({ emit: 'shop.order.lost' }, wanted)
    const preferred = [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }]
    await ask({ emit: 'shop.order.shipped' }, wanted, preferred)
    const events = await delivered(2)
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['shop.order.shipped', { order: 'o1' }],
      ['shop.order.shipped', { order: 'o1' }],
    ])
  })

  it('refuses events of its own that are named like those of the protocol', async () => {
    const { outgoing } = await setUp()
    for (const type of ['forrst.operation.completed', 'shipped', 'Shop.Order.Shipped']) {
      const event = { type, at: 0, data: {} }
      await expect(emitWebhookEvent(outgoing, { extensions: [] }, event)).rejects.toThrow(TypeError)
    }
    const event = { type: 'shop.order.shipped', at: 0, data: {} }
    expect(await emitWebhookEvent(outgoing, { extensions: [] }, event)).toBe(false)
  })

  it('sends no result of a call that is redacted: the caller may not see what the function gave', async () => {
    const { ask, delivered } = await setUp()
    const redact = [{ urn: 'urn:forrst:ext:redact', options: { mode: 'full' } }]
    const response = await ask({}, {}, redact)
    expect(response.body.result).not.toMatchObject({ email: 'alice@example.com' })
    const [event] = await delivered()
    expect(event?.data).toMatchObject({ status: 'completed', result_omitted: true })
    expect(JSON.stringify(event)).not.toContain('alice')
  })

  it('delivers once for a call that is repeated under an idempotency key', async () => {
    const { ask, delivered, listening } = await setUp()
    const key = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'k1' } }]
    await ask({}, {}, key)
    const repeated = await ask({}, {}, key)
    expect(dataOf(repeated, URN)).toMatchObject({ registered: true })
    await delivered()
    await sleep(200)
    expect(listening.received).toHaveLength(1)
  })

  it('gives the result, and says that nothing is registered, when the job queue is away', async () => {
    const { ask, queue, log } = await setUp()
    await queue.close()
    const response = await ask()
    expect(response.body.result).toMatchObject({ id: 'o1' })
    expect(dataOf(response, URN)).toMatchObject({ registered: false })
    expect(log.lines.map(({ message }) => message)).toContain(
      'a webhook event is lost: the job queue cannot keep it',
    )
  })

  it('is off without a secret for Standard Webhooks', async () => {
    const { service: running } = await setUp({ secret: 'plain' })
    expect(running.supports(URN)).toBe(false)
    const outgoing = {
      refuse: () => undefined,
      signs: () => false,
      send: async () => {},
      start() {},
    }
    expect(() => webhookExtension({ outgoing })).toThrow(TypeError)
  })
})
