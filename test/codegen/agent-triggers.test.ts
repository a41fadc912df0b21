import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateAgent } from '../../src/codegen/agent/generate-agent.ts'
import { parseToolSpec } from '../../src/sources/tool-spec/parse.ts'
import { type AgentProject, type RunningAgent, writeAgentProject } from './agent-project.ts'
import { type RecordingServer, startRecordingServer } from './recording-server.ts'

const text = `
domain: shop
base_url: \${SHOP_URL}
tools:
  - name: ship
    description: Ships an order.
    method: POST
    path: /ship
    body: [{ name: id, type: string, required: true, description: Which. }]
  - name: pack
    description: Packs an order.
    method: POST
    base_url: "\${SLOW_URL}"
    path: /pack
    body: [{ name: id, type: string, required: true, description: Which. }]
triggers:
  - { type: webhook, name: retried, description: x, path: /retried, tool: ship, version: 1.0.0, attempts: 2 }
  - { type: webhook, name: impatient, description: x, path: /impatient, tool: ship, attempts: 1, timeout: { value: 100, unit: millisecond } }
  - { type: webhook, name: narrow, description: x, path: /narrow, tool: pack, concurrency: 2 }
  - { type: webhook, name: asked, description: x, path: /asked, tool: ship, secret_env: SHOP_SECRET, challenge: meta, verify_env: SHOP_VERIFY }
  - { type: webhook, name: ship, description: x, path: /named, wait: true }
  - { type: webhook, name: coded, description: x, path: /coded, wait: true, prompt: "About {{id}}" }
  - { type: schedule, name: late, description: x, cron: "0 2 1 1 *", tool: ship, jitter: { value: 1, unit: hour } }
`

function filesOf(spec: string, previous = new Map<string, string>()): Map<string, string> {
  const parsed = parseToolSpec(spec, { file: 'shop.yaml' })
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems))
  const source = { file: 'shop.yaml', text: spec, spec: parsed.spec }
  const result = generateAgent([source], {
    name: 'shop-bot',
    standalone: true,
    previous: (path) => previous.get(path),
  })
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  return new Map(result.files.map((file) => [file.path, file.text]))
}

/** The project after somebody wrote code for two triggers and generated it again. */
function codedFiles(): ReadonlyMap<string, string> {
  const files = filesOf(text)
  const path = 'triggers/shop.ts'
  const code = (name: string, line: string): void => {
    const own = new RegExp(`(<custom ${name}>\\n).*(\\n *// </custom ${name}>)`)
    files.set(path, (files.get(path) ?? '').replace(own, `$1  ${line}$2`))
  }
  code('ship_?', 'return { shipped: event.meta.result }')
  code('coded', 'return { heard: event.payload, prompt: event.meta.prompt }')
  return filesOf(text, files)
}

describe('triggers of a generated agent', () => {
  let api: RecordingServer
  let project: AgentProject
  let agent: RunningAgent
  const slow = createServer()

  beforeAll(async () => {
    api = await startRecordingServer()
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as AddressInfo
    project = writeAgentProject(codedFiles())
    agent = await project.start({
      SHOP_URL: api.url,
      SLOW_URL: `http://127.0.0.1:${port}`,
      SHOP_SECRET: 'c2VjcmV0',
      SHOP_VERIFY: 'token',
    })
  }, 60_000)

  afterAll(async () => {
    project.remove()
    slow.close()
    await api.close()
  })

  async function send(path: string, payload: object): Promise<unknown> {
    const response = await fetch(agent.url + path, {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: { 'content-type': 'application/json' },
    })
    return response.json()
  }

  it('compile with the code that somebody wrote', () => project.compile(), 60_000)

  it('answer a challenge, whose variable the template names', async () => {
    expect(filesOf(text).get('.env.template')).toContain('verify token of the webhook: asked')
    const question = 'hub.mode=subscribe&hub.verify_token=token&hub.challenge=1158'
    const response = await fetch(`${agent.url}/asked?${question}`)
    expect([response.status, await response.text()]).toEqual([200, '1158'])
  })

  it('call the tool of their own name, then their code, whose result is the answer', async () => {
    api.answer({ body: { parcel: 7 } })
    expect(await send('/named', { id: 'o1' })).toMatchObject({
      result: { shipped: { parcel: 7 } },
    })
  })

  it('run their code alone when there is no tool, with the prompt filled in', async () => {
    expect(await send('/coded', { id: 'o1' })).toMatchObject({
      result: { heard: { id: 'o1' }, prompt: 'About o1' },
    })
  })

  it('try an event again whose tool failed in a way that may pass, as often as they say', async () => {
    api.answer((_request, index) => ({ status: index === 0 ? 500 : 200, body: {} }))
    expect(await send('/retried', { id: 'o1' })).toMatchObject({ status: 'accepted' })
    await expect.poll(() => api.requests.length, { timeout: 5000 }).toBe(2)
    expect(api.requests.map(({ body }) => JSON.parse(body))).toEqual([{ id: 'o1' }, { id: 'o1' }])
    expect(agent.log()).not.toContain('gave up on a delivery')
  })

  it('give an event up at once that will never succeed', async () => {
    api.answer({ status: 422, body: {} })
    await send('/retried', { id: 'o2' })
    await expect.poll(agent.log).toContain('trigger retried gave up on a delivery')
    expect(api.requests.length).toBe(1)
  })

  it('end a run that takes longer than they say', async () => {
    api.answer({ silent: true })
    await send('/impatient', { id: 'o3' })
    await expect.poll(agent.log).toContain('trigger impatient gave up on a delivery')
    expect(agent.log()).toContain('The run took longer than 100 ms')
  })

  it('run no more events at the same time than they say', async () => {
    const held: ServerResponse[] = []
    let most = 0
    slow.on('request', (_request, response: ServerResponse) => {
      held.push(response)
      most = Math.max(most, held.length)
    })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => send('/narrow', { id })))
    for (let done = 1; done <= 5; done += 1) {
      await expect.poll(() => held.length).toBe(done === 5 ? 1 : 2)
      held.shift()?.end()
    }
    expect(most).toBe(2)
  })

  it('stop the start when they name a version that no tool has, or a secret is not set', async () => {
    const missing = { SHOP_URL: api.url, SHOP_VERIFY: 'token' }
    await expect(project.start(missing)).rejects.toThrow('SHOP_SECRET')
    const other = writeAgentProject(filesOf(text.replace('version: 1.0.0', 'version: 2.0.0')))
    await expect(other.start({ SHOP_URL: api.url })).rejects.toThrow(
      'trigger retried: version must be one of 1.0.0',
    )
    other.remove()
  })

  it('bring the clients of their queues into the project, and no others', () => {
    const queue =
      '  - { type: queue, name: q, description: x, queue_url: "amqp://localhost/orders" }'
    const files = filesOf(`${text}${queue}`)
    const names = (found: ReadonlyMap<string, string>): string[] =>
      Object.keys(JSON.parse(found.get('package.json') ?? '').dependencies)
    expect(names(files)).toEqual(['amqplib', 'waymark'])
    expect(files.get('Dockerfile')).toContain('COPY --from=build /app/node_modules')
    expect(files.get('README.md')).toContain('dead-letter exchange of RabbitMQ')
    expect(names(filesOf(text))).toEqual(['waymark'])
  })
})

describe('who may call a generated agent', () => {
  let api: RecordingServer
  let project: AgentProject
  beforeAll(async () => {
    api = await startRecordingServer()
    api.answer({ body: {} })
    project = writeAgentProject(filesOf(text))
  })
  afterAll(async () => {
    project.remove()
    await api.close()
  })

  const start = (env: Readonly<Record<string, string>>): Promise<RunningAgent> =>
    project.start({ SHOP_URL: api.url, SHOP_SECRET: 'c2VjcmV0', SHOP_VERIFY: 'token', ...env })

  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }

  async function post(url: string, headers: Record<string, string> = {}): Promise<number> {
    const { status } = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(url.endsWith('/mcp') ? initialize : { id: 'o1' }),
      headers: { 'content-type': 'application/json', ...headers },
    })
    return status
  }

  it('whoever sends the token', async () => {
    const { url } = await start({ AGENT_TOKEN: 'sesame', HOST: '0.0.0.0' })
    for (const path of ['/api/shop.ship', '/mcp']) {
      expect(await post(url + path)).toBe(401)
      expect(await post(url + path, { authorization: 'Bearer other' })).toBe(401)
    }
    expect(await post(`${url}/api/shop.ship`, { authorization: 'Bearer sesame' })).toBe(200)
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
  })

  it('nobody, without a token on an address that others can reach', async () => {
    const { url, log } = await start({ HOST: '0.0.0.0' })
    expect(await post(`${url}/api/shop.ship`)).toBe(401)
    expect(await post(`${url}/api/shop.ship`, { authorization: 'Bearer ' })).toBe(401)
    expect(log()).toContain('set AGENT_TOKEN')
    // Nor a webhook that has no secret to tell who sends it.
    expect(await post(`${url}/retried`)).toBe(403)
    expect(log()).toMatch(/webhook retried has no secret_env/)
  })
})
