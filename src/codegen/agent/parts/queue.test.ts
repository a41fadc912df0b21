import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OPEN_QUEUE, type TestQueue } from '../../../../test/support/brokers.ts'
import { waitUntil } from '../../../../test/support/trigger-source.ts'
import type { AgentEvent, AgentTrigger } from './agent.ts'
import { type RunningAgent, startAgent } from './http-server.ts'

let agent: RunningAgent | undefined
const lines: string[] = []

afterEach(async () => {
  await agent?.stop()
  agent = undefined
  lines.length = 0
})

async function start(
  trigger: Partial<AgentTrigger> & Pick<AgentTrigger, 'type' | 'handler'>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  agent = await startAgent({
    name: 'bot',
    description: 'A bot.',
    tools: [],
    triggers: [{ name: 'orders', description: 'Orders.', ...trigger }],
    host: '127.0.0.1',
    port: 0,
    env,
    log: (line) => lines.push(line),
  })
}

describe.each(['rabbitmq', 'redis', 'sqs'] as const)('a queue of an agent on %s', (kind) => {
  let queue: TestQueue

  beforeEach(async ({ skip }) => {
    const opened = await OPEN_QUEUE[kind]({ takeOverAfter: kind === 'redis' ? 60 : 1 })
    if (!opened) return skip(`${kind} is not there`)
    queue = opened
  })
  afterEach(async () => {
    await agent?.stop()
    agent = undefined
    await queue.close()
  })

  const take = (handler: AgentTrigger['handler'], more: Partial<AgentTrigger> = {}) =>
    start({ type: 'queue', queue_url: queue.url, queue_env: 'QUEUE', handler, ...more }, queue.env)
  const isEmpty = async () => (await queue.left()) === 0

  it('[TS-71] [TS-190] runs each message once, and it leaves when it is done', async () => {
    const seen: AgentEvent[] = []
    await take(async (event) => void seen.push(event))
    await queue.send([
      { id: 'm1', body: '{"order":1}' },
      { id: 'm2', body: 'plain text' },
      { id: 'm1', body: '{"order":1}' },
    ])
    await waitUntil(isEmpty, 'the queue is empty')
    await waitUntil(() => seen.length >= 2, 'both have run')
    const found = seen.map(({ id, payload, type }) => [id, payload, type])
    expect(found.sort()).toEqual([
      ['m1', { order: 1 }, 'queue'],
      ['m2', 'plain text', 'queue'],
    ])
    expect(lines).toEqual([])
  })

  it('[TS-190] gives up what keeps failing, without holding up others', async () => {
    const done: string[] = []
    await take(
      async ({ id }) => {
        if (id === 'bad') throw new Error('no')
        done.push(id)
      },
      { attempts: 1, concurrency: 1 },
    )
    await queue.send([
      { id: 'bad', body: '1' },
      { id: 'good', body: '2' },
    ])
    await waitUntil(() => done.includes('good'), 'the good one is done')
    const gaveUp = () => lines.some((line) => line.includes('gave an event up (attempt 1 of 1)'))
    await waitUntil(gaveUp, 'the bad one is given up')
    // SQS has a policy of its own for what stays.
    if (kind !== 'sqs') await waitUntil(isEmpty, 'the queue is empty')
    if (kind !== 'redis') return
    const client = new Redis(queue.env['QUEUE'] ?? '')
    const dead = `${new URL(queue.url).pathname.slice(1)}:dead`
    expect(await client.xlen(dead)).toBe(1)
    await client.del(dead)
    client.disconnect()
  })

  it('[TS-82] finishes what runs when the agent stops, and hands back what has not begun', async () => {
    const begun: string[] = []
    let finish = (): void => {}
    await take(
      ({ id }) => {
        begun.push(id)
        return new Promise((resolve) => {
          finish = () => resolve(null)
        })
      },
      { concurrency: 1 },
    )
    await queue.send([
      { id: 'a', body: '1' },
      { id: 'b', body: '2' },
    ])
    await waitUntil(() => begun.length === 1, 'the first runs')
    const stopped = agent?.stop()
    setTimeout(() => finish(), 50)
    await stopped
    agent = undefined
    const first = begun[0]
    const again: string[] = []
    await take(async ({ id }) => void again.push(id))
    await waitUntil(() => again.length === 1, 'the other one runs in the next process')
    expect([first, ...again].sort()).toEqual(['a', 'b'])
    await waitUntil(isEmpty, 'the queue is empty')
  })
})

describe('the start of an agent', () => {
  const handler = async (): Promise<null> => null

  it.each([
    [{ queue_url: 'kafka://localhost/x' }, 'queue trigger orders: queue_url must start with amqp:'],
    [{ queue_url: 'amqp://localhost' }, 'queue trigger orders: queue_url must end in the name'],
    [{ queue_url: 'orders' }, 'queue trigger orders: queue_url must be a URL'],
    [{ queue_url: ['$', '{MQ}/x'].join('') }, 'set the environment variable MQ'],
  ])('is refused for %j', async (part, message) => {
    await expect(start({ type: 'queue', handler, ...part }, {})).rejects.toThrow(message)
  })

  it('fills the variables of watch_path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-agent-files-'))
    const watch_path = ['$', '{INBOX}/*.csv'].join('')
    const seen: unknown[] = []
    const take = async ({ payload }: AgentEvent): Promise<void> => void seen.push(payload)
    await expect(start({ type: 'file', watch_path, handler }, {})).rejects.toThrow(
      'file trigger orders: watch_path: set the environment variable INBOX',
    )
    await start({ type: 'file', watch_path, handler: take }, { INBOX: folder })
    await new Promise((resolve) => setTimeout(resolve, 300))
    writeFileSync(join(folder, 'a.csv'), '1')
    await waitUntil(() => seen.length === 1, 'the file is seen')
    expect(seen[0]).toMatchObject({ event: 'create', relative_path: 'a.csv' })
    rmSync(folder, { recursive: true })
  })
})
