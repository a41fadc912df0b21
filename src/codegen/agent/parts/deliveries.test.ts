import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentOptions, AgentTrigger } from './agent.ts'
import { type RunningAgent, startAgent } from './http-server.ts'

const SECRET = Buffer.alloc(24, 7).toString('base64')
let agent: RunningAgent | undefined
const lines: string[] = []
const events: AgentEvent[] = []

afterEach(async () => {
  await agent?.stop()
  agent = undefined
  lines.length = 0
  events.length = 0
})

function hook(more: Partial<AgentTrigger>): AgentTrigger {
  const handler = async (event: AgentEvent): Promise<null> => {
    events.push(event)
    return null
  }
  return { type: 'webhook', name: 'hook', description: 'A hook.', path: '/hook', handler, ...more }
}

async function start(trigger: AgentTrigger, more: Partial<AgentOptions> = {}): Promise<string> {
  agent = await startAgent({
    name: 'bot',
    description: 'A bot.',
    tools: [],
    triggers: [trigger],
    host: '127.0.0.1',
    port: 0,
    env: { S: SECRET },
    log: (line) => lines.push(line),
    ...more,
  })
  return `${agent.url.replace('0.0.0.0', '127.0.0.1')}/hook`
}

async function send(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body, headers })
  return response.status
}

const JSON_TYPE = { 'content-type': 'application/json' }

describe('a webhook without a secret', () => {
  it('is closed on an address that others reach, and the start says so', async () => {
    const url = await start(hook({}), { host: '0.0.0.0' })
    expect(await send(url, '{}', JSON_TYPE)).toBe(403)
    expect(events).toEqual([])
    expect(lines.join('\n')).toMatch(/webhook hook has no secret_env/)
  })

  it('takes what comes with the token of the agent', async () => {
    const url = await start(hook({}), { host: '0.0.0.0', token: 'sesame' })
    expect(await send(url, '{}', JSON_TYPE)).toBe(401)
    expect(await send(url, '{}', { ...JSON_TYPE, authorization: 'Bearer sesame' })).toBe(200)
  })

  it('is closed to pages of others', async () => {
    const url = await start(hook({}))
    expect(await send(url, '{}', { ...JSON_TYPE, origin: 'https://evil.example' })).toBe(403)
    expect(await send(url, '{}', JSON_TYPE)).toBe(200)
  })
})

describe('an attempt that is signed anew', () => {
  it.each([
    ['slack', '{"event_id":"Ev1"}'],
    ['stripe', '{"id":"evt_1"}'],
  ])('is known by the id that %s puts inside', async (scheme, body) => {
    const url = await start(hook({ secret_env: 'S', signature: scheme }))
    for (const age of [0, 30]) {
      const stamp = String(Math.floor(Date.now() / 1000) - age)
      const hmac = (text: string) => createHmac('sha256', SECRET).update(text).digest('hex')
      const headers =
        scheme === 'slack'
          ? {
              'x-slack-request-timestamp': stamp,
              'x-slack-signature': `v0=${hmac(`v0:${stamp}:${body}`)}`,
            }
          : { 'stripe-signature': `t=${stamp},v1=${hmac(`${stamp}.${body}`)}` }
      expect(await send(url, body, { ...JSON_TYPE, ...headers })).toBe(200)
    }
    expect(events).toHaveLength(1)
  })
})

it('asking about an event that nobody listens to is an error, not silence', async () => {
  await start(hook({ type: 'emit', event: 'orders.*' }))
  await expect(agent?.ask('orders.paid', {})).resolves.toEqual([null])
  await expect(agent?.ask('order.paid', {})).rejects.toThrow('nobody listens to order.paid')
})

describe('the body of a delivery', () => {
  it('that says it is JSON and is not is refused', async () => {
    const url = await start(hook({}))
    expect(await send(url, '{"a":', JSON_TYPE)).toBe(400)
    expect(await send(url, '{"a":', { 'content-type': 'text/plain' })).toBe(200)
    expect(events.map(({ payload }) => payload)).toEqual(['{"a":'])
  })

  it('as a form keeps fields that come twice, and GitHub wraps JSON into one', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    await send(await start(hook({})), 'a=1&a=2&b=3', form)
    expect(events[0]?.payload).toEqual({ a: ['1', '2'], b: '3' })
    await agent?.stop()
    const body = `payload=${encodeURIComponent('{"zen":"x"}')}`
    const hex = createHmac('sha256', SECRET).update(body).digest('hex')
    const signed = { 'x-hub-signature-256': `sha256=${hex}`, 'x-github-event': 'ping' }
    const url = await start(hook({ secret_env: 'S', signature: 'github' }))
    expect(await send(url, body, { ...form, ...signed })).toBe(200)
    expect(events[1]).toMatchObject({ payload: { zen: 'x' }, event: 'ping' })
  })

  it('asks for a challenge only where Slack is the sender', async () => {
    const url = await start(hook({}))
    expect(await send(url, '{"type":"url_verification","challenge":"x"}', JSON_TYPE)).toBe(200)
    expect(events).toHaveLength(1)
  })
})
