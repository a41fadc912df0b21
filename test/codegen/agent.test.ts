import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentResult, generateAgent } from '../../src/codegen/agent/generate-agent.ts'
import { parseToolSpec } from '../../src/sources/tool-spec/parse.ts'
import { type AgentProject, type RunningAgent, writeAgentProject } from './agent-project.ts'
import { type RecordingServer, startRecordingServer } from './recording-server.ts'

const here = fileURLToPath(new URL('.', import.meta.url))

function source(name: string, change: (text: string) => string = (text) => text) {
  const file = `${name}.tool-spec.yaml`
  const text = change(readFileSync(`${here}specs/${file}`, 'utf8'))
  const parsed = parseToolSpec(text, { file })
  if (!parsed.ok) throw new TypeError(JSON.stringify(parsed.problems))
  return { file, text, spec: parsed.spec }
}

// The schedule and queue triggers need no clock and no server to be wired.
const orchard = source('orchard')
const bodies = source('bodies')

function filesOf(result: AgentResult): Map<string, string> {
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  return new Map(result.files.map((file) => [file.path, file.text]))
}

describe('files of an agent', () => {
  const standalone = filesOf(
    generateAgent([orchard, bodies], { name: 'ops-bot', standalone: true, port: 4321 }),
  )

  it('[TS-114] [TS-115] are a whole project when it stands alone', () => {
    expect([...standalone.keys()]).toEqual([
      'capabilities/orchard.ts',
      'triggers/orchard.ts',
      'capabilities/bodies.ts',
      'server.ts',
      'specs/orchard.tool-spec.yaml',
      'specs/bodies.tool-spec.yaml',
      'package.json',
      'tsconfig.json',
      'Dockerfile',
      '.dockerignore',
      '.gitignore',
      '.env.template',
      'README.md',
    ])
  })

  it('[TS-115] [TS-116] are only code when it does not', () => {
    expect([...filesOf(generateAgent([bodies], { name: 'ops-bot' })).keys()]).toEqual([
      'capabilities/bodies.ts',
    ])
  })

  it('[TS-117] name every variable of every spec once, with derived ones and without values', () => {
    const template = standalone.get('.env.template') ?? ''
    expect(
      [...template.matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)].map((match) => [match[1], match[2]]),
    ).toEqual([
      ['PORT', ''],
      ['HOST', ''],
      ['AGENT_TOKEN', ''],
      ['WAYMARK_STORE', ''],
      ['ORCHARD_BASE_URL', ''],
      ['ORCHARD_USERNAME', ''],
      ['ORCHARD_PASSWORD', ''],
      ['ORCHARD_WRITE_KEY', ''],
      ['ORCHARD_WEBHOOK_SECRET', ''],
      ['ORCHARD_AMQP', ''],
      ['BODIES_URL', ''],
    ])
    expect(template).toContain('# password: list_trees')
  })

  it('[TS-121] describe themselves by their tools unless told otherwise', () => {
    expect(standalone.get('server.ts')).toContain(
      'ops-bot works with orchard, bodies. Tools: list_trees',
    )
    const told = filesOf(
      generateAgent([bodies], { name: 'x', standalone: true, description: 'Mine.' }),
    )
    expect(told.get('server.ts')).toContain("description: 'Mine.'")
  })

  it('[TS-122] [TS-130] put the port into server and Dockerfile, which has two stages', () => {
    expect(standalone.get('server.ts')).toContain('4321')
    expect(standalone.get('Dockerfile')?.match(/^FROM/gm)).toHaveLength(2)
    expect(standalone.get('Dockerfile')).toContain('EXPOSE 4321')
  })

  it.each(['', '../up', 'a b', '1st'])('[TS-111] refuse the name %j', (name) => {
    expect(generateAgent([bodies], { name })).toMatchObject({
      ok: false,
      problems: [{ code: 'E011' }],
    })
  })
})

describe('a project that stands alone', () => {
  let api: RecordingServer
  let project: AgentProject
  let agent: RunningAgent
  let url = ''

  beforeAll(async () => {
    api = await startRecordingServer()
    const files = filesOf(generateAgent([orchard, bodies], { name: 'ops-bot', standalone: true }))
    project = writeAgentProject(files)
    agent = await project.start({
      ORCHARD_BASE_URL: api.url,
      ORCHARD_USERNAME: 'u',
      ORCHARD_PASSWORD: 'p',
      ORCHARD_WEBHOOK_SECRET: 'whsec_a2V5',
    })
    url = agent.url
  }, 60_000)

  afterAll(async () => {
    project.remove()
    await api.close()
  })

  async function post(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<[number, unknown]> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(url + path, {
      method: 'POST',
      body: text,
      headers: { 'content-type': 'application/json', ...headers },
    })
    const answer = await response.text()
    return [response.status, answer === '' ? undefined : JSON.parse(answer)]
  }

  it('[TS-129] type-checks', () => project.compile(), 60_000)

  it('[TS-129] starts, answers and lists its tools', async () => {
    expect((await fetch(`${url}/health/live`)).status).toBe(200)
    const { info, paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      info: { title: string }
      paths: object
    }
    expect(info.title).toBe('ops-bot')
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/orchard.list_trees']))
  })

  it('[TS-129] runs a tool over HTTP', async () => {
    api.answer({ body: [{ id: 1 }] })
    expect(await post('/api/orchard.list_trees', { plot_id: 1 })).toEqual([200, [{ id: 1 }]])
    expect(await post('/api/orchard.list_trees', {})).toMatchObject([
      400,
      { errors: [{ code: 'INVALID_ARGUMENTS' }] },
    ])
    expect((await post('/api/nothing', {}))[0]).toBe(404)
    expect((await post('/api/orchard.list_trees', '{'))[0]).toBe(400)
  })

  it('runs a tool over MCP', async () => {
    api.answer({ body: { ok: true } })
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    expect(client.getServerVersion()?.name).toBe('ops-bot')
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'list_trees')).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false },
    })
    expect(tools.find(({ name }) => name === 'plant_tree')).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    })
    const call = (args: Record<string, unknown>) =>
      client.callTool({ name: 'list_trees', arguments: args })
    expect(await call({ plot_id: 1 })).toMatchObject({ structuredContent: { ok: true } })
    expect(await call({})).toMatchObject({ isError: true })
    await client.close()
  })

  it('refuses pages of other origins', async () => {
    expect((await post('/api/orchard.list_trees', {}, { origin: 'https://evil.example' }))[0]).toBe(
      403,
    )
  })

  it('[TS-58] [TS-60] [TS-183] answers a signed webhook at once and refuses any other', async () => {
    const body = '{"sensor":4}'
    const stamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', 'key').update(`m1.${stamp}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': stamp,
      'webhook-signature': `v1,${signature}`,
    }
    expect(await post('/webhooks/orchard/frost', body, headers)).toEqual([
      202,
      { status: 'accepted', delivery: expect.any(String) },
    ])
    expect((await post('/webhooks/orchard/frost', body))[0]).toBe(401)
    expect((await fetch(`${url}/webhooks/orchard/frost`)).status).toBe(405)
  })

  it('[TS-82] stops cleanly on SIGTERM', async () => {
    const code = await new Promise((resolve) => {
      agent.server.once('exit', resolve)
      agent.server.kill('SIGTERM')
    })
    expect(code).toBe(0)
  })
})
