import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateAgent } from '../../src/codegen/agent/generate-agent.ts'
import { parseToolSpec } from '../../src/spec/parse.ts'
import { type AgentProject, startAgentProject } from './agent-project.ts'
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
  - { type: schedule, name: late, description: x, cron: "0 2 1 1 *", tool: ship, jitter: { value: 1, unit: hour } }
`

function filesOf(spec: string): ReadonlyMap<string, string> {
  const parsed = parseToolSpec(spec, { file: 'shop.yaml' })
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems))
  const source = { file: 'shop.yaml', text: spec, spec: parsed.spec }
  const result = generateAgent([source], { name: 'shop-bot', standalone: true })
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  return new Map(result.files.map((file) => [file.path, file.text]))
}

describe('triggers of a generated agent', () => {
  let api: RecordingServer
  let project: AgentProject
  const slow = createServer()

  beforeAll(async () => {
    api = await startRecordingServer()
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as AddressInfo
    const urls = { SHOP_URL: api.url, SLOW_URL: `http://127.0.0.1:${port}` }
    const env = { ...urls, SHOP_SECRET: 'c2VjcmV0', SHOP_VERIFY: 'token' }
    project = await startAgentProject(filesOf(text), env)
  }, 60_000)

  afterAll(async () => {
    project.remove()
    slow.close()
    await api.close()
  })

  async function send(path: string, id: string): Promise<unknown> {
    const response = await fetch(project.url + path, {
      method: 'POST',
      body: JSON.stringify({ id }),
    })
    return response.json()
  }

  it('answer a challenge, whose variable the template names', async () => {
    expect(filesOf(text).get('.env.template')).toContain('verify token of the webhook: asked')
    const question = 'hub.mode=subscribe&hub.verify_token=token&hub.challenge=1158'
    const response = await fetch(`${project.url}/asked?${question}`)
    expect([response.status, await response.text()]).toEqual([200, '1158'])
  })

  it('try an event again whose tool failed in a way that may pass, as often as they say', async () => {
    api.answer((_request, index) => ({ status: index === 0 ? 500 : 200, body: {} }))
    expect(await send('/retried', 'o1')).toEqual({ status: 'accepted' })
    await expect.poll(() => api.requests.length, { timeout: 5000 }).toBe(2)
    expect(api.requests.map(({ body }) => JSON.parse(body))).toEqual([{ id: 'o1' }, { id: 'o1' }])
    expect(project.log()).toContain('trigger retried failed (attempt 1 of 2)')
    expect(project.log()).not.toContain('gave an event up')
  })

  it('give an event up at once that will never succeed', async () => {
    api.answer({ status: 422, body: {} })
    await send('/retried', 'o2')
    await expect.poll(project.log).toContain('trigger retried gave an event up (attempt 1 of 2)')
    expect(api.requests.length).toBe(1)
  })

  it('end a run that takes longer than they say', async () => {
    api.answer({ silent: true })
    await send('/impatient', 'o3')
    await expect.poll(project.log).toContain('the run took longer than 100 ms')
    expect(project.log()).toContain('trigger impatient gave an event up (attempt 1 of 1)')
  })

  it('run no more events at the same time than they say', async () => {
    const held: ServerResponse[] = []
    let most = 0
    slow.on('request', (_request, response: ServerResponse) => {
      held.push(response)
      most = Math.max(most, held.length)
    })
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => send('/narrow', id)))
    for (let done = 1; done <= 5; done += 1) {
      await expect.poll(() => held.length).toBe(done === 5 ? 1 : 2)
      held.shift()?.end()
    }
    expect(most).toBe(2)
  })

  it('bring the clients of their queues into the project, and no others', () => {
    const queue =
      '  - { type: queue, name: q, description: x, queue_url: "amqp://localhost/orders" }'
    const files = filesOf(`${text}${queue}`)
    const { dependencies } = JSON.parse(files.get('package.json') ?? '')
    expect(Object.keys(dependencies)).toEqual(['amqplib'])
    expect(files.get('Dockerfile')).toContain('COPY --from=build /app/node_modules')
    expect(files.get('README.md')).toContain('dead-letter exchange of RabbitMQ')
    const none = filesOf(text)
    expect(JSON.parse(none.get('package.json') ?? '')).not.toHaveProperty('dependencies')
    expect(none.get('Dockerfile')).not.toContain('node_modules')
  })

  it('stop the start when they name a version that no tool has', async () => {
    const other = filesOf(text.replace('version: 1.0.0', 'version: 2.0.0'))
    await expect(startAgentProject(other, { SHOP_URL: api.url })).rejects.toThrow(
      'trigger retried: version must be 1.0.0',
    )
  })
})
