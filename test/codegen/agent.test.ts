import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AgentResult, generateAgent } from '../../src/codegen/agent/generate-agent.ts'
import { parseToolSpec } from '../../src/spec/parse.ts'
import { type AgentProject, startAgentProject } from './agent-project.ts'
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
    expect([...standalone.keys()].filter((path) => !path.startsWith('lib/'))).toEqual([
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
  let url = ''

  beforeAll(async () => {
    api = await startRecordingServer()
    const files = filesOf(generateAgent([orchard, bodies], { name: 'ops-bot', standalone: true }))
    project = await startAgentProject(files, {
      ORCHARD_BASE_URL: api.url,
      ORCHARD_USERNAME: 'u',
      ORCHARD_PASSWORD: 'p',
      ORCHARD_WEBHOOK_SECRET: 'whsec_a2V5',
    })
    url = project.url
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
    const response = await fetch(url + path, { method: 'POST', body: text, headers })
    const answer = await response.text()
    return [response.status, answer === '' ? undefined : JSON.parse(answer)]
  }

  it('[TS-129] type-checks, starts, answers and lists its tools', async () => {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
    const { name, tools } = (await (await fetch(`${url}/tools`)).json()) as {
      name: string
      tools: unknown[]
    }
    expect([name, tools.length]).toEqual(['ops-bot', 7])
  })

  it('[TS-129] runs a tool over HTTP', async () => {
    api.answer({ body: [{ id: 1 }] })
    expect(await post('/tools/list_trees', { plot_id: 1 })).toEqual([200, { result: [{ id: 1 }] }])
    expect(await post('/tools/list_trees', {})).toMatchObject([
      400,
      { error: { reason: 'arguments' } },
    ])
    expect(await post('/tools/nothing', {})).toMatchObject([404, {}])
    expect(await post('/tools/list_trees', '{')).toMatchObject([400, {}])
  })

  it('runs a tool over MCP', async () => {
    api.answer({ body: { ok: true } })
    const call = (method: string, params: unknown): Promise<[number, unknown]> => {
      return post('/mcp', { jsonrpc: '2.0', id: 1, method, params })
    }
    expect(await call('initialize', { protocolVersion: '2025-06-18' })).toMatchObject([
      200,
      { result: { protocolVersion: '2025-06-18', serverInfo: { name: 'ops-bot' } } },
    ])
    expect(await post('/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual([
      202,
      undefined,
    ])
    expect(await call('tools/list', {})).toMatchObject([
      200,
      {
        result: {
          tools: expect.arrayContaining([expect.objectContaining({ name: 'plant_tree' })]),
        },
      },
    ])
    expect(
      await call('tools/call', { name: 'list_trees', arguments: { plot_id: 1 } }),
    ).toMatchObject([200, { result: { content: [{ type: 'text', text: '{"ok":true}' }] } }])
    expect(await call('tools/call', { name: 'list_trees', arguments: {} })).toMatchObject([
      200,
      { result: { isError: true } },
    ])
    expect(await call('nothing', {})).toMatchObject([200, { error: { code: -32601 } }])
  })

  it('refuses pages of other origins and names that only resolve to it', async () => {
    expect((await post('/tools/list_trees', {}, { origin: 'https://evil.example' }))[0]).toBe(403)
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
      200,
      { status: 'accepted' },
    ])
    expect((await post('/webhooks/orchard/frost', body))[0]).toBe(401)
    expect((await fetch(`${url}/webhooks/orchard/frost`)).status).toBe(405)
  })

  it('[TS-82] stops cleanly on SIGTERM', async () => {
    const code = await new Promise((resolve) => {
      project.server.once('exit', resolve)
      project.server.kill('SIGTERM')
    })
    expect(code).toBe(0)
  })
})
