import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { AgentEvent, AgentOptions, AgentTool, AgentTrigger } from './agent.ts'
import { type RunningAgent, startAgent } from './http-server.ts'

let agent: RunningAgent | undefined
const lines: string[] = []

afterEach(async () => {
  await agent?.stop()
  agent = undefined
  lines.length = 0
})

const echo: AgentTool = {
  name: 'echo',
  description: 'Says it again.',
  parameters: { type: 'object' },
  handler: async (args) => ({ got: args }),
}

async function start(options: Partial<AgentOptions> = {}): Promise<string> {
  agent = await startAgent({
    name: 'bot',
    description: 'A bot.',
    tools: [echo],
    triggers: [],
    host: '127.0.0.1',
    port: 0,
    env: {},
    log: (line) => lines.push(line),
    ...options,
  })
  return agent.url.replace('0.0.0.0', '127.0.0.1')
}

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<[number, unknown]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  const text = await response.text()
  return [response.status, text === '' ? undefined : JSON.parse(text)]
}

function hook(more: Partial<AgentTrigger>): AgentTrigger {
  const handler = async ({ payload, meta }: AgentEvent): Promise<unknown> => ({ payload, meta })
  return { type: 'webhook', name: 'hook', description: 'A hook.', path: '/hook', handler, ...more }
}

describe('who may call an agent', () => {
  it('everybody on this machine, without a token', async () => {
    expect(await post(`${await start()}/tools/echo`, { a: 1 })).toEqual([
      200,
      { result: { got: { a: 1 } } },
    ])
  })

  it('whoever sends the token', async () => {
    const url = await start({ token: 'secret' })
    expect((await post(`${url}/tools/echo`, {}))[0]).toBe(401)
    expect((await post(`${url}/tools/echo`, {}, { authorization: 'Bearer other' }))[0]).toBe(401)
    expect((await post(`${url}/tools/echo`, {}, { authorization: 'Bearer secret' }))[0]).toBe(200)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  it('nobody, without a token on an address that others can reach', async () => {
    const url = await start({ host: '0.0.0.0' })
    expect((await post(`${url}/tools/echo`, {}))[0]).toBe(403)
    expect(lines.join()).toContain('set AGENT_TOKEN')
  })

  it('no page of another origin', async () => {
    const url = await start()
    expect((await post(`${url}/mcp`, {}, { origin: 'http://evil.example' }))[0]).toBe(403)
    expect((await post(`${url}/tools/echo`, {}, { origin: 'http://localhost:3000' }))[0]).toBe(200)
  })
})

describe('what an agent refuses', () => {
  it('a body over a mebibyte, another method, another path', async () => {
    const url = await start()
    expect((await post(`${url}/tools/echo`, 'x'.repeat(2 ** 21)))[0]).toBe(413)
    expect((await fetch(`${url}/tools/echo`)).status).toBe(405)
    expect((await fetch(`${url}/nothing`)).status).toBe(404)
  })

  it('to say more about an unexpected failure than that there was one', async () => {
    const broken: AgentTool = {
      ...echo,
      handler: async () => {
        throw new TypeError('password is hunter2')
      },
    }
    const url = await start({ tools: [broken] })
    const answer = await post(`${url}/tools/echo`, {})
    expect(answer).toEqual([500, { error: { reason: 'internal', message: 'the tool failed' } }])
    expect(lines.join()).toContain('hunter2')
  })
})

function broken(times: number, error: object): AgentTool & { readonly runs: () => number } {
  let runs = 0
  return {
    ...echo,
    runs: () => runs,
    handler: async () => {
      runs += 1
      if (runs <= times) throw Object.assign(new Error('no'), error)
      return runs
    },
  }
}

describe('triggers of an agent', () => {
  it('[TS-60] answer at once and work in the background', async () => {
    let done = false
    const url = await start({
      triggers: [
        hook({
          handler: async () => {
            await new Promise((resolve) => setTimeout(resolve, 30))
            done = true
          },
        }),
      ],
    })
    expect(await post(`${url}/hook`, {})).toEqual([200, { status: 'accepted' }])
    expect(done).toBe(false)
    await agent?.stop()
    expect(done).toBe(true)
  })

  it('answer the question of Meta with its own text, and nobody without the token', async () => {
    const trigger = hook({ challenge: 'meta', verify_env: 'VERIFY' })
    const url = await start({ triggers: [trigger], env: { VERIFY: 'token' } })
    const ask = (token: string) =>
      fetch(`${url}/hook?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=%3Cb%3E`)
    const right = await ask('token')
    expect([right.status, await right.text()]).toEqual([200, '<b>'])
    expect(right.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(right.headers.get('x-content-type-options')).toBe('nosniff')
    expect((await ask('other')).status).toBe(403)
    expect((await fetch(`${url}/hook`, { method: 'PUT' })).headers.get('allow')).toBe('GET, POST')
  })

  it('answer the question of Twitter, take its deliveries, and none that the question would sign', async () => {
    const signature = { scheme: 'bitbucket', header: 'X-Twitter-Webhooks-Signature' }
    const trigger = hook({ challenge: 'twitter', secret_env: 'SECRET', signature })
    const url = await start({ triggers: [trigger], env: { SECRET: 's, old' } })
    const sign = (text: string) =>
      `sha256=${createHmac('sha256', 's').update(text).digest('base64')}`
    const answer = await fetch(`${url}/hook?crc_token=abc&nonce=n`)
    expect(await answer.json()).toEqual({ response_token: sign('abc') })
    expect((await fetch(`${url}/hook?crc_token=%7B%7D`)).status).toBe(400)
    const send = (body: unknown) =>
      post(`${url}/hook`, body, { 'x-twitter-webhooks-signature': sign(JSON.stringify(body)) })
    expect((await send({}))[0]).toBe(200)
    expect((await send(123))[0]).toBe(401)
  })

  it('do not start with a challenge whose secret is not set, and answer 405 to GET without one', async () => {
    const meta = hook({ challenge: 'meta', verify_env: 'VERIFY' })
    await expect(start({ triggers: [meta] })).rejects.toThrow('set the environment variable VERIFY')
    const twitter = hook({ challenge: 'twitter' })
    await expect(start({ triggers: [twitter] })).rejects.toThrow('challenge twitter has no secret')
    const url = await start({ triggers: [hook({})] })
    expect((await fetch(`${url}/hook?crc_token=abc`)).status).toBe(405)
  })

  it('[TS-61] answer 500 when they wait for a failure', async () => {
    const handler = async (): Promise<never> => {
      throw new Error('no')
    }
    const url = await start({ triggers: [hook({ wait: true, handler })] })
    expect(await post(`${url}/hook`, {})).toEqual([500, { error: 'the trigger failed' }])
  })

  it('[TS-79] [TS-80] [TS-81] fill the prompt and call the tool with mapped values', async () => {
    const trigger = hook({
      wait: true,
      tool: 'echo',
      payload_map: { id: 'data.order.id' },
      prompt: 'Handle {{id}} for {{nobody}}.',
    })
    const url = await start({ triggers: [trigger] })
    expect(await post(`${url}/hook`, { data: { order: { id: 7 } } })).toMatchObject([
      200,
      { result: { meta: { prompt: 'Handle 7 for {{nobody}}.', result: { got: { id: 7 } } } } },
    ])
  })

  it('call the tool with fixed arguments, over which the event wins', async () => {
    const fixed = { arguments: { shop: 'north', id: 0 } }
    const url = await start({ triggers: [hook({ wait: true, tool: 'echo', ...fixed })] })
    expect(await post(`${url}/hook`, { id: 7 })).toMatchObject([
      200,
      { result: { meta: { result: { got: { shop: 'north', id: 7 } } } } },
    ])
    const payload_map = { id: 'order.id' }
    const mapped = hook({ wait: true, tool: 'echo', ...fixed, payload_map })
    expect(await post(`${await start({ triggers: [mapped] })}/hook`, {})).toMatchObject([
      200,
      { result: { meta: { result: { got: { shop: 'north', id: 0 } } } } },
    ])
  })

  it('reach the event around the payload', async () => {
    const payload_map = { id: '$id', name: '$event', all: '$payload.order' }
    const trigger = hook({ wait: true, tool: 'echo', event: 'paid', payload_map })
    expect(await post(`${await start({ triggers: [trigger] })}/hook`, { order: 7 })).toMatchObject([
      200,
      { result: { meta: { result: { got: { id: expect.any(String), name: 'paid', all: 7 } } } } },
    ])
  })

  it('call the tool of their own name when they say none', async () => {
    const url = await start({ triggers: [hook({ name: 'echo', wait: true })] })
    expect(await post(`${url}/hook`, { a: 1 })).toMatchObject([
      200,
      { result: { meta: { result: { got: { a: 1 } } } } },
    ])
  })

  it('stop the start when they name a tool or a version that is not there', async () => {
    await expect(start({ triggers: [hook({ tool: 'nobody' })] })).rejects.toThrow(/no tool nobody/)
    const other = hook({ tool: 'echo', version: '2.0.0' })
    await expect(start({ triggers: [other] })).rejects.toThrow(/version must be 1.0.0/)
    await start({ triggers: [hook({ tool: 'echo', version: '1.0.0' })] })
  })

  it('run a delivery again that failed while its sender waited', async () => {
    const tool = broken(1, { reason: 'network' })
    const secret = { secret_env: 'S', signature: 'github' }
    const url = await start({
      tools: [tool],
      triggers: [hook({ wait: true, tool: 'echo', ...secret })],
      env: { S: 'key' },
    })
    const headers = {
      'x-hub-signature-256': `sha256=${createHmac('sha256', 'key').update('{}').digest('hex')}`,
      'x-github-delivery': 'd1',
    }
    expect((await post(`${url}/hook`, {}, headers))[0]).toBe(500)
    expect((await post(`${url}/hook`, {}, headers))[1]).toMatchObject({ result: expect.anything() })
    expect((await post(`${url}/hook`, {}, headers))[1]).toEqual({ status: 'accepted' })
    expect(tool.runs()).toBe(2)
  })

  it('[TS-85] answer a URL verification', async () => {
    const url = await start({ triggers: [hook({ signature: 'slack' })] })
    const challenge = { type: 'url_verification', challenge: 'abc' }
    expect(await post(`${url}/hook`, challenge)).toEqual([200, { challenge: 'abc' }])
  })

  it('[TS-183] are not run for a wrong secret', async () => {
    let runs = 0
    const handler = async (): Promise<void> => {
      runs += 1
    }
    const trigger = hook({ secret_env: 'S', signature: 'secret', wait: true, handler })
    const url = await start({ triggers: [trigger], env: { S: 'right' } })
    expect((await post(`${url}/hook`, {}, { 'x-webhook-secret': 'wrong' }))[0]).toBe(401)
    expect(runs).toBe(0)
    expect((await post(`${url}/hook`, {}, { 'x-webhook-secret': 'right' }))[0]).toBe(200)
    expect(runs).toBe(1)
  })

  it('[TS-185] stop the start when a secret is missing', async () => {
    await expect(start({ triggers: [hook({ secret_env: 'S' })] })).rejects.toThrow(/variable S/)
  })

  it('[TS-68] [TS-69] are fired by events, with and without waiting', async () => {
    const seen: unknown[] = []
    const handler = async ({ payload }: AgentEvent): Promise<unknown> => {
      seen.push(payload)
      return 'answer'
    }
    await start({ triggers: [hook({ type: 'emit', event: 'a.done', handler })] })
    agent?.emit('a.done', 1)
    agent?.emit('b.done', 2)
    expect(await agent?.ask('a.done', 3)).toEqual(['answer'])
    expect(seen).toEqual([1, 3])
  })

  it('hear every event of a name with *, and which one it was', async () => {
    const seen: unknown[] = []
    const handler = async ({ event }: AgentEvent): Promise<void> => {
      seen.push(event)
    }
    await start({ triggers: [hook({ type: 'emit', event: 'orders.*', handler })] })
    await agent?.ask('orders.paid', 1)
    for (const other of ['orders.paid.late', 'orders']) {
      await expect(agent?.ask(other, 1)).rejects.toThrow(`nobody listens to ${other}`)
    }
    expect(seen).toEqual(['orders.paid'])
  })
})
