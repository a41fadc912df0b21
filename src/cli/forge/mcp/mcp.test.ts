import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../../test/cli/run-main.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../../test/codegen/recording-server.ts'

const PROGRAM = fileURLToPath(new URL('../../../../bin/waymark.js', import.meta.url))
const SPEC = `domain: weather
base_url: https://api.example.com
tools:
  - name: get_forecast
    description: Reads the forecast of a city.
    method: GET
    path: /forecast/{city}
    params:
      - { name: city, type: string, required: true, description: City. }
`

interface Answer {
  readonly isError: boolean
  readonly text: string
  readonly value: Record<string, unknown>
}

interface Desk {
  readonly client: Client
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Answer>
}

/** Starts the server in a folder as a host does, and talks to it with the official client. */
async function connect(
  place: Workplace,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Desk> {
  const client = new Client({ name: 'tests', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'forge', 'mcp', ...flags],
    cwd: place.folder,
    env,
    stderr: 'ignore',
  })
  await client.connect(transport)
  return {
    client,
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: args })
      const [first] = result.content
      const text = first?.type === 'text' ? first.text : ''
      const value = (result.structuredContent ?? {}) as Record<string, unknown>
      return { isError: result.isError === true, text, value }
    },
  }
}

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('api.json', zendeskDocument())
  place.write('weather.tool-spec.yaml', SPEC)
  place.write('.env', 'SECRET=hush\n')
  return place
}

describe('waymark forge mcp', () => {
  const place = workplace()
  let desk: Desk
  beforeAll(async () => {
    desk = await connect(place)
  }, 60_000)
  afterAll(() => desk.client.close())

  it('offers exactly the five conversational functions', async () => {
    const { tools } = await desk.client.listTools()
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'forge_compose',
      'forge_generate_tools',
      'forge_list_operations',
      'forge_propose_tools',
      'forge_validate',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  })

  it('lists the operations of an API description', async () => {
    const { value } = await desk.call('forge_list_operations', {
      file: 'api.json',
      pick: ['list_*'],
    })
    expect(value).toMatchObject({
      title: 'Zendesk Support API',
      total: 6,
      operations: [{ name: 'list_tickets' }, { name: 'list_users' }],
    })
  })

  it('gives the text of what it generates and writes nothing', async () => {
    const before = place.files()
    const { value } = await desk.call('forge_generate_tools', {
      file: 'api.json',
      pick: ['create_ticket'],
      out: 'tools',
      target: 'openai',
    })
    expect(value).toMatchObject({
      domain: 'zendesk_support',
      tools: [{ name: 'create_ticket', request: 'POST /api/v2/tickets' }],
      variables: ['ZENDESK_SUPPORT_API_TOKEN'],
      written: false,
      files: [
        {
          path: 'zendesk_support.tool-spec.yaml',
          state: 'new',
          text: expect.stringContaining('domain:'),
        },
        { path: '.forge/zendesk_support.tool-spec.yaml' },
        { path: 'zendesk_support.openai.json', text: expect.stringContaining('create_ticket') },
        { path: '.forge/zendesk_support.openai.json' },
      ],
    })
    expect(place.files()).toEqual(before)
  })

  it('takes a spec as text, and says what is wrong with one', async () => {
    const good = await desk.call('forge_generate_tools', { spec: SPEC, domain: 'sky' })
    expect(good.value).toMatchObject({
      domain: 'sky',
      files: [{ path: 'sky.tool-spec.yaml' }, { path: 'sky.capabilities.ts' }],
    })
    const bad = SPEC.replace('type: string', 'type: str')
    expect(await desk.call('forge_generate_tools', { spec: bad })).toMatchObject({
      isError: true,
      text: expect.stringContaining('E0'),
    })
    expect((await desk.call('forge_validate', { spec: bad })).value).toMatchObject({
      ok: false,
      problems: [{ line: 9, hint: expect.stringContaining('string') }],
    })
    const file = await desk.call('forge_validate', { file: 'weather.tool-spec.yaml' })
    expect(file.value).toEqual({ ok: true, problems: [] })
    const both = await desk.call('forge_validate', { file: 'weather.tool-spec.yaml', spec: SPEC })
    expect(both).toMatchObject({ isError: true, text: expect.stringContaining('either file or') })
  })

  it('composes an agent of several files', async () => {
    const { value } = await desk.call('forge_compose', {
      name: 'ops-bot',
      files: ['api.json', 'weather.tool-spec.yaml'],
      rename: ['weather:get_forecast=forecast'],
    })
    expect(value).toMatchObject({
      name: 'ops-bot',
      out: 'ops-bot',
      domains: [
        { domain: 'zendesk_support' },
        { domain: 'weather', tools: [{ name: 'forecast' }] },
      ],
      files: [{ path: 'capabilities/zendesk_support.ts' }, { path: 'capabilities/weather.ts' }],
    })
  })

  it('leaves out the text of files that are too long together, and gives it when asked', async () => {
    // Code that carries its runtime is long; a project imports it instead.
    const args = { name: 'ops', files: ['api.json', 'weather.tool-spec.yaml'] }
    const long = await desk.call('forge_compose', args)
    const files = long.value['files'] as { path: string; bytes: number; text?: string }[]
    expect(files.map(({ path }) => path)).toContain('capabilities/weather.ts')
    expect(files.some(({ text }) => text === undefined)).toBe(true)
    const short = await desk.call('forge_compose', { ...args, show: ['capabilities/weather.ts'] })
    const shown = (short.value['files'] as typeof files).filter(({ text }) => text !== undefined)
    expect(shown).toMatchObject([
      { path: 'capabilities/weather.ts', bytes: Buffer.byteLength(shown[0]?.text ?? '') },
    ])
  })

  it('does not write without --allow-write', async () => {
    const refused = { isError: true, text: expect.stringContaining('without --allow-write') }
    const common = { write: true }
    expect(await desk.call('forge_generate_tools', { ...common, spec: SPEC })).toMatchObject(
      refused,
    )
    const compose = { ...common, name: 'x', files: ['api.json'] }
    expect(await desk.call('forge_compose', compose)).toMatchObject(refused)
  })

  it('reads nothing outside of its folder, nothing hidden and nothing huge', async () => {
    const outside = workplace()
    symlinkSync(join(outside.folder, 'api.json'), join(place.folder, 'link.json'))
    symlinkSync(outside.folder, join(place.folder, 'linked'))
    symlinkSync(join(outside.folder, 'missing'), join(place.folder, 'dangling.json'))
    place.write('huge.json', '')
    execFileSync('sh', { cwd: place.folder, input: 'mkfifo pipe' })
    truncateSync(join(place.folder, 'huge.json'), 17 * 1024 * 1024)
    const socket = createServer().listen(join(place.folder, 'socket'))
    await once(socket, 'listening')
    const cases: [string, string][] = [
      ['../api.json', 'is outside of'],
      ['tools/../../api.json', 'is outside of'],
      [join(outside.folder, 'api.json'), 'is outside of'],
      ['/etc/passwd', 'is outside of'],
      ['link.json', 'leads out of'],
      ['linked/api.json', 'leads out of'],
      ['dangling.json', 'leads out of'],
      ['.env', 'hidden files'],
      ['https://example.com/api.json', 'is an address'],
      ['file:///etc/passwd', 'is an address'],
      ['huge.json', 'is larger than'],
      ['ap.json', 'does not exist. Did you mean "api.json"?'],
      ['.', 'is not a file'],
      ['pipe', 'is not a file'],
      ['socket', 'is not a file'],
    ]
    for (const [file, message] of cases) {
      const refused = { isError: true, text: expect.stringContaining(message) }
      expect(await desk.call('forge_list_operations', { file })).toMatchObject(refused)
      expect(await desk.call('forge_validate', { file })).toMatchObject(refused)
      expect(await desk.call('forge_compose', { name: 'x', files: [file] })).toMatchObject(refused)
    }
    socket.close()
    const within = { file: join(place.folder, 'weather.tool-spec.yaml') }
    expect((await desk.call('forge_validate', within)).value).toMatchObject({ ok: true })
  })

  it('does not read what a document refers to outside of its folder', async () => {
    const outside = createWorkplace()
    outside.write('secret.json', '{"type":"string","description":"hush"}')
    symlinkSync(join(outside.folder, 'secret.json'), join(place.folder, 'schema.json'))
    for (const reference of ['schema.json', 'pipe', join(outside.folder, 'secret.json')]) {
      const document = zendeskDocument().replace('{"type":"integer"}', `{"$ref":"${reference}"}`)
      place.write('refers.json', document)
      const { text } = await desk.call('forge_generate_tools', { file: 'refers.json' })
      expect(text).not.toContain('hush')
    }
  })

  it('says what to set when no model can be asked', async () => {
    expect(await desk.call('forge_propose_tools', { prompt: 'weather' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('set GOOGLE_API_KEY'),
    })
  })
})

describe('waymark forge mcp --allow-write', () => {
  const place = createWorkplace()
  let desk: Desk
  let api: RecordingServer
  beforeAll(async () => {
    mkdirSync(join(place.folder, 'root'))
    writeFileSync(join(place.folder, 'root/notes.md'), 'The API is at api.example.com.')
    api = await startRecordingServer()
    const env = { OPENAI_API_KEY: 'sk-hush', OPENAI_BASE_URL: `${api.url}/v1` }
    desk = await connect(place, ['--root', 'root', '--allow-write', '--model', 'openai:m1'], env)
  }, 60_000)
  afterAll(async () => {
    await desk.client.close()
    await api.close()
  })

  it('proposes with the model, then writes what is asked for, under the root only', async () => {
    const content = `\`\`\`yaml\n${SPEC}\`\`\``
    api.answer({ body: { choices: [{ message: { role: 'assistant', content } }] } })
    const proposed = await desk.call('forge_propose_tools', {
      prompt: 'the weather of a city',
      docs: ['notes.md'],
    })
    expect(proposed.value).toMatchObject({ domain: 'weather', model: 'm1' })
    expect(api.requests[0]?.body).toContain('The API is at api.example.com.')
    const outside = await desk.call('forge_propose_tools', { prompt: 'x', docs: ['../x.md'] })
    expect(outside).toMatchObject({ isError: true, text: expect.stringContaining('outside of') })
    const written = await desk.call('forge_generate_tools', {
      spec: proposed.value['spec'],
      out: 'tools',
      write: true,
    })
    expect(written.value).toMatchObject({ written: true, files: [{ state: 'new' }, {}] })
    expect(written.text).not.toContain('import')
    expect(place.files()).toEqual([
      'root/notes.md',
      'root/tools/weather.capabilities.ts',
      'root/tools/weather.tool-spec.yaml',
    ])
  })

  it('does not overwrite what somebody changed, nor write or read through a link', async () => {
    const path = 'root/tools/weather.capabilities.ts'
    place.write(path, place.read(path).replaceAll('forecast', 'prediction'))
    const args = { file: 'tools/weather.tool-spec.yaml', out: 'tools', write: true }
    expect(await desk.call('forge_generate_tools', args)).toMatchObject({
      isError: true,
      text: expect.stringContaining('E110'),
    })
    const outside = createWorkplace()
    outside.write('weather.capabilities.ts', '// <custom:x>\nhush\n// </custom:x>\n')
    symlinkSync(outside.folder, join(place.folder, 'root/away'))
    mkdirSync(join(place.folder, 'root/near'))
    const link = join(place.folder, 'root/near/weather.capabilities.ts')
    symlinkSync(join(outside.folder, 'weather.capabilities.ts'), link)
    for (const out of ['away', 'near', '..', '../x', '/tmp', 'tools/.git']) {
      for (const write of [true, false]) {
        const refused = await desk.call('forge_generate_tools', { spec: SPEC, out, write })
        expect(refused).toMatchObject({
          isError: true,
          text: expect.stringMatching(/outside of|leads out of|hidden/),
        })
        expect(refused.text).not.toContain('hush')
      }
    }
    expect(outside.files()).toEqual(['weather.capabilities.ts'])
  })
})

describe('starting waymark forge mcp', () => {
  it('needs a folder and takes no words', async () => {
    const place = createWorkplace()
    expect(await place.run('forge', 'mcp', '--root', 'nowhere')).toMatchObject({
      code: 2,
      err: 'waymark: --root nowhere is not a folder\n',
    })
    expect(await place.run('forge', 'mcp', 'api.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"forge mcp" takes no words'),
    })
  })
})
