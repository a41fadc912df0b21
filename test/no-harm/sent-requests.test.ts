import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { generateCode } from '../../src/entries/codegen.ts'
import { importOpenApi } from '../../src/entries/openapi.ts'
import { createToolFunctions, type ToolDefinition } from '../../src/entries/runtime.ts'
import { formatToolSpec, parseToolSpec, type ToolSpec } from '../../src/entries/tool-spec.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type RunningServer, serve } from '../../src/http/serve.ts'
import { createWorkplace, type Workplace } from '../cli/run-main.ts'
import {
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from '../codegen/recording-server.ts'
import { serviceOf } from '../support/service.ts'
import { SCHEMES } from './sent-requests-auth-cases.ts'
import { AUTHORED } from './sent-requests-authored.ts'
import { SENT_CASES, type SentCase, toDocument } from './sent-requests-cases.ts'

type Json = Readonly<Record<string, unknown>>
type Environment = Record<string, string | undefined>

let api: RecordingServer
let served: RunningServer
let generated: readonly ToolDefinition[]
let place: Workplace
/** What the served tools read; each case puts its own variables in. */
const environment: Environment = {}
const folder = mkdtempSync(join(tmpdir(), 'waymark-sent-'))

function imported(document: unknown): ToolSpec {
  const result = importOpenApi(document, { file: 'orchard.json' })
  if (!result.ok) throw new TypeError('not imported', { cause: result.problems })
  return result.spec
}

beforeAll(async () => {
  api = await startRecordingServer()
  const spec = imported(toDocument())
  const functions = createToolFunctions(spec, { env: environment, retries: 0 })
  served = await serve(serviceOf(functions), {
    port: 0,
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })
  for (const { path, text } of generateCode(spec)) writeFileSync(join(folder, path), text)
  const module = await import(/* @vite-ignore */ join(folder, 'orchard.capabilities.ts'))
  generated = module.orchard_tools
  place = createWorkplace()
  place.write('orchard.json', JSON.stringify(toDocument()))
})
beforeEach(() => api.answer({ body: { ok: true } }))
afterAll(async () => {
  await served.close()
  await api.close()
  rmSync(folder, { recursive: true, force: true })
  rmSync(place.folder, { recursive: true, force: true })
})

function envOf({ env }: SentCase): Environment {
  return { ORCHARD_BASE_URL: api.url, ...env }
}

/** The ways a request leaves; each gives false when the call was refused. */
const WAYS = {
  'waymark serve, REST': async (index, { args }) => {
    const response = await fetch(`${served.url}/api/orchard.case_${index}`, post(args))
    return response.ok
  },
  'waymark serve, MCP': async (index, { args }) => {
    const params = { name: `orchard__case_${index}`, arguments: args }
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const response = await fetch(`${served.url}/mcp`, post(request))
    const text = await response.text()
    return response.ok && !/"isError":true|"error":/.test(text)
  },
  'waymark serve, Forrst': async (index, { args }) => {
    const protocol = { name: 'forrst', version: '0.1.0' }
    const call = { function: `orchard.case_${index}`, arguments: args }
    const response = await fetch(`${served.url}/forrst`, post({ protocol, id: 'r', call }))
    return !('errors' in ((await response.json()) as object))
  },
  'waymark serve, explorer': async (index, one) => {
    const { args } = one
    const tool = `${served.url}/explorer/tools/orchard__case_${index}`
    const valid = (await (await fetch(`${tool}/validate`, post(args))).json()) as Json
    const response = await fetch(`${tool}/call`, post(args))
    const text = await response.text()
    expect(valid['valid'], 'what the explorer says before it calls').toBe(one.sent !== undefined)
    return response.ok && !/"isError":true|"error":/.test(text)
  },
  'generated TypeScript': async (index, one) => {
    const tool = generated.find(({ name }) => name === `case_${index}`)
    return Boolean(await tool?.handler(one.args, { env: envOf(one) }).catch(() => false))
  },
  'the command of a dry run': async (index, one) => {
    const args = ['orchard.json', `case_${index}`, '--args', JSON.stringify(one.args), '--dry-run']
    const { code, out } = await place.runWith({ env: envOf(one) }, 'forge', 'call', ...args)
    if (code === 0) await runShell(out, envOf(one))
    return code === 0
  },
} as const satisfies Record<string, (index: number, one: SentCase) => Promise<boolean>>

type Way = keyof typeof WAYS

function post(body: unknown): RequestInit {
  const accept = 'application/json, text/event-stream'
  const headers = { 'content-type': 'application/json', accept }
  return { method: 'POST', headers, body: JSON.stringify(body) }
}

async function runShell(command: string, env: Environment): Promise<void> {
  const child = spawn('sh', [], {
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(command)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the shell ended with ${code}: ${command}`)
}

/** Headers that belong to the program that sends, not to the request. */
const OF_SENDER =
  /^(?:connection|accept-encoding|accept-language|sec-fetch-mode|expect|host|content-length)$/

function plain({ method, url, headers, body }: RecordedRequest): unknown {
  const kept = Object.entries(headers).filter(([name]) => !OF_SENDER.test(name))
  return { method, url, body, headers: Object.fromEntries(kept) }
}

async function sendEachWay(index: number, one: SentCase): Promise<unknown[]> {
  for (const name of Object.keys(environment)) delete environment[name]
  Object.assign(environment, envOf(one))
  const arrived: unknown[] = []
  for (const [way, send] of Object.entries(WAYS)) {
    api.answer({ body: { ok: true } })
    const wasSent = await send(index, one)
    const isException =
      one.sentByGeneratedCode !== undefined && way === ('generated TypeScript' satisfies Way)
    const isSent = one.sent !== undefined || isException
    expect({ way, wasSent, requests: api.requests.length }).toEqual({
      way,
      wasSent: isSent,
      requests: isSent ? 1 : 0,
    })
    const [request] = api.requests
    if (request === undefined || one.sent === undefined) continue
    const { url, body, headers = {} } = one.sent
    if (url !== undefined) expect(request.url, way).toBe(`/case/${index}${url}`)
    if (body !== undefined) expect(request.body, way).toBe(body)
    for (const [name, value] of Object.entries(headers))
      expect(request.headers[name], way).toBe(value)
    arrived.push(plain(request))
  }
  return arrived
}

/** Each case in every way a request leaves: what arrives is right, and the same each time. */
function checkCases(cases: readonly SentCase[]): void {
  it.each(cases.map((one) => [one.title, one] as const))('%s', async (_title, one) => {
    const [first, ...others] = await sendEachWay(SENT_CASES.indexOf(one), one)
    for (const other of others) expect(other).toEqual(first)
  })
}

const toolOf = (spec: ToolSpec, name: string) => spec.tools.find((tool) => tool.name === name)
const run = (...args: string[]) => place.runWith({ env: {} }, ...args)

describe('as reported', () => {
  checkCases(SENT_CASES.filter(({ reported }) => reported))

  it('a default of a document is a sentence of the description, and an import writes no default', () => {
    const spec = imported(toDocument())
    const properties = toolOf(spec, 'case_0')?.body
    expect(properties?.map(({ description }) => description)).toEqual([
      'Description',
      'Private. Server default: false',
      'Has issues. Server default: true',
      'Security',
    ])
    expect(properties?.[3]?.properties?.[0]?.description).toBe('Scan. Server default: on')
    expect(JSON.stringify(spec)).not.toContain('"default":')
  })

  it('check warns about a default in a PATCH body, nested ones included, and about no other', async () => {
    const text = AUTHORED.replace('POST', 'PATCH')
    const read = parseToolSpec(text)
    expect(read.ok && read.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['W058', 'tools[0](plant).body[0](kind).default'],
      ['W058', 'tools[0](plant).body[1](site).properties[0](row).default'],
    ])
    expect(parseToolSpec(AUTHORED)).toMatchObject({ ok: true, warnings: [] })
    place.write('patch.tool-spec.yaml', text)
    expect((await run('check', 'patch.tool-spec.yaml')).out).toContain('W058')
  })

  it('a default that the author of a tool spec wrote is sent, nested ones too, everywhere alike', async () => {
    const read = parseToolSpec(AUTHORED)
    if (!read.ok) throw new TypeError('not valid', { cause: read.problems })
    const env = { ORCHARD_BASE_URL: api.url }
    const [definition] = createToolFunctions(read.spec, { env })
    if (definition === undefined) throw new TypeError('no function')
    const own = await serve(serviceOf([definition]), { port: 0 })
    for (const { path, text } of generateCode(read.spec)) writeFileSync(join(folder, path), text)
    const module = await import(/* @vite-ignore */ join(folder, 'authored.capabilities.ts'))
    place.write('authored.tool-spec.yaml', AUTHORED)
    const args = { site: { seat: 2 } }
    try {
      await fetch(`${own.url}/api/authored.plant`, post(args))
      await module.plant(args, { env })
      const words = ['authored.tool-spec.yaml', 'plant', '--args', JSON.stringify(args)]
      const { out } = await place.runWith({ env }, 'forge', 'call', ...words, '--dry-run')
      await runShell(out, env)
    } finally {
      await own.close()
    }
    const same = {
      url: '/plant?limit=20&mode=fast',
      body: { kind: 'oak', site: { row: 1, seat: 2 } },
    }
    expect(api.requests.map(({ url, body }) => ({ url, body: JSON.parse(body) }))).toEqual([
      same,
      same,
      same,
    ])
    expect(new Set(api.requests.map(({ body }) => body)).size).toBe(1)
  })

  it('with no credential of any alternative the error names the variables of all', async () => {
    const document = securityDocument([{ key: [], second: [] }, { bearer: [] }, { basic: [] }])
    const spec = imported(document)
    const named =
      'ORCHARD_API_KEY and ORCHARD_SECOND_API_KEY, or ORCHARD_API_TOKEN, or ORCHARD_USERNAME and ORCHARD_PASSWORD'
    place.write('ways.json', JSON.stringify(document))
    const env = { ORCHARD_BASE_URL: api.url }
    const called = await place.runWith({ env }, 'forge', 'call', 'ways.json', 'it')
    expect(called).toMatchObject({
      code: 2,
      err: expect.stringContaining(`E120 it: set the environment variable ${named}`),
    })
    const doctor = await place.runWith({ env }, 'forge', 'doctor', 'ways.json')
    expect(doctor).toMatchObject({ code: 2, out: expect.stringContaining(`${named} is not set`) })
    const set = { ...env, ORCHARD_API_TOKEN: 't' }
    expect(await place.runWith({ env: set }, 'forge', 'doctor', 'ways.json')).toMatchObject({
      code: 0,
    })
    expect(spec.auth?.or).toHaveLength(2)
    expect(api.requests).toEqual([])
  })
})

function securityDocument(security: readonly unknown[]): unknown {
  return {
    openapi: '3.0.3',
    info: { title: 'Orchard', version: '1' },
    servers: [{ url: '/' }],
    components: { securitySchemes: SCHEMES },
    paths: { '/it': { get: { operationId: 'it', security } } },
  }
}

describe('beside it', () => {
  checkCases(SENT_CASES.filter(({ reported }) => !reported))

  it('documents that are made of an import tell the default as well', async () => {
    for (const path of ['/openapi.json', '/openrpc.json']) {
      const text = await (await fetch(served.url + path)).text()
      expect(text).toContain('Server default: 30')
      expect(text).not.toContain('"default":30')
    }
  })

  it.each([
    ['an empty text', '', 'Note. Server default: ""'],
    ['null', null, 'Note. Server default: null'],
    ['false', false, 'Note. Server default: false'],
    ['zero', 0, 'Note. Server default: 0'],
    ['an empty list', [], 'Note. Server default: []'],
  ])('a default that is %s is told as well', (_name, value, description) => {
    const schema = { type: 'object', properties: { note: { default: value } } }
    const spec = imported({
      openapi: '3.1.0',
      info: { title: 'Orchard', version: '1' },
      servers: [{ url: '/' }],
      paths: {
        '/it': {
          post: {
            operationId: 'it',
            requestBody: { content: { 'application/json': { schema } } },
          },
        },
      },
    })
    expect(toolOf(spec, 'it')?.body?.[0]?.description).toBe(description)
  })

  it('alternatives that can never be used are left out, whatever their scopes', () => {
    const security = [{ bearer: [] }, { bearer: [], key: [] }, { bearer: ['x'] }]
    expect(imported(securityDocument(security)).auth).toEqual({
      type: 'bearer',
      env: 'ORCHARD_API_TOKEN',
    })
  })

  it('alternatives survive being written to a tool spec and read again', () => {
    const { auth } = imported(securityDocument([{ bearer: [] }, { key: [], second: [] }, {}]))
    expect(auth).toEqual({
      type: 'bearer',
      env: 'ORCHARD_API_TOKEN',
      or: [
        {
          type: 'api_key',
          env: 'ORCHARD_API_KEY',
          header: 'X-Key',
          also: [{ type: 'api_key', env: 'ORCHARD_SECOND_API_KEY', in: 'query', name: 'second' }],
        },
        { type: 'none' },
      ],
    })
    const spec = imported(securityDocument([{ bearer: [] }, { key: [], second: [] }, {}]))
    const read = parseToolSpec(formatToolSpec(spec))
    expect(read).toMatchObject({ ok: true, spec: { auth } })
  })

  it('a credential that the document writes as an optional parameter is not needed', () => {
    const document = {
      openapi: '3.0.3',
      info: { title: 'Orchard', version: '1' },
      servers: [{ url: '/' }],
      paths: {
        '/it': {
          get: { operationId: 'it', parameters: [{ name: 'X-Api-Key', in: 'header', schema: {} }] },
        },
      },
    }
    expect(imported(document).auth).toEqual({
      type: 'api_key',
      env: 'ORCHARD_X_API_KEY',
      header: 'X-Api-Key',
      or: [{ type: 'none' }],
    })
  })

  it('a constant that does not fit, or stands where none is sent, is reported', () => {
    const wrong = AUTHORED.replace('const: fast', 'const: 3').replace(
      'type: string, default: oak',
      'type: string, const: oak',
    )
    const read = parseToolSpec(wrong)
    expect(read.ok ? [] : read.problems.map(({ code, path }) => [code, path])).toEqual([
      ['E053', 'tools[0](plant).params[1](mode).const'],
      ['W057', 'tools[0](plant).body[0](kind).const'],
    ])
  })

  it('names no variable of an alternative that another one makes unnecessary in a dry run', async () => {
    place.write('two.json', JSON.stringify(securityDocument([{ bearer: [] }, { key: [] }])))
    const dry = (env: Environment) =>
      place.runWith(
        { env: { ORCHARD_BASE_URL: api.url, ...env } },
        ...['forge', 'call', 'two.json', 'it', '--dry-run'],
      )
    expect((await dry({ ORCHARD_API_KEY: 'k' })).out).toContain('x-key: $ORCHARD_API_KEY')
    const none = await dry({})
    expect(none).toMatchObject({ code: 0, err: 'Not set here: ORCHARD_API_TOKEN\n' })
  })
})
