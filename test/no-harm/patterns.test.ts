import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createMockService } from '../../src/change/mock/service.ts'
import { defineFunction } from '../../src/core/function.ts'
import { importOpenApi } from '../../src/entries/openapi.ts'
import { toInputSchema } from '../../src/entries/runtime.ts'
import { parseToolSpec } from '../../src/entries/tool-spec.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { withSafePatterns } from '../../src/sources/runtime/input-schema.ts'
import { createUriMatcher } from '../../src/surfaces/mcp/resources.ts'
import { createService } from '../../src/system/create-service.ts'

/** Long enough to run for days on the engine of JavaScript. */
const TEXT = `${'a'.repeat(60)}!`
const WAIT_MS = 10_000

let child: ChildProcess
let url: string
let warnings: readonly string[]

beforeAll(async () => {
  const file = join(import.meta.dirname, 'pattern-server.ts')
  const flags = ['--import', 'tsx', '--conditions=waymark-source']
  child = spawn(process.execPath, [...flags, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text)
    })
  })
  ;({ url, warnings } = JSON.parse(line) as { url: string; warnings: string[] })
}, 60_000)

// A process that is frozen does not hear SIGTERM.
afterAll(() => child.kill('SIGKILL'))

/** Sends a request; a server that does not answer fails the test instead of hanging it. */
async function post(path: string, body: unknown): Promise<string> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(WAIT_MS),
  })
  return answer.text()
}

async function isAlive(): Promise<boolean> {
  const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(WAIT_MS) })
  return answer.ok
}

type Send = (name: string, args: unknown) => Promise<string>

const SURFACES: Readonly<Record<string, Send>> = {
  Forrst: (name, args) =>
    post('/forrst', {
      protocol: { name: 'forrst', version: '0.1.0' },
      id: 'req_1',
      call: { function: name, arguments: args },
    }),
  REST: (name, args) => post(`/api/${name}`, args),
  MCP: (name, args) =>
    post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: name.replaceAll('.', '__'), arguments: args },
    }),
  explorer: (name, args) => post(`/explorer/tools/${name}/validate`, args),
}

const FUNCTIONS = ['orchard.list_trees', 'mcpserver.run', 'remote.run', 'own.run']
const cases = Object.keys(SURFACES).flatMap((surface) => FUNCTIONS.map((name) => [surface, name]))

describe('as reported', () => {
  it.each(cases)(
    '%s: a hostile pattern of %s is checked, and nothing stops',
    async (surface, name) => {
      const send = SURFACES[surface ?? ''] as Send
      expect(await send(name ?? '', { text: TEXT })).toMatch(/match|pattern/)
      expect(await send(name ?? '', { text: 'aaa' })).not.toMatch(/must match|"pattern"/)
      expect(await isAlive()).toBe(true)
    },
  )

  it('says at start which imported patterns are not checked, with function and field', () => {
    for (const name of ['orchard.list_trees', 'mcpserver.run', 'remote.run']) {
      expect(warnings).toContainEqual(
        expect.stringContaining(`function ${name}: input/properties/back/pattern is not checked`),
      )
    }
    expect(warnings).toContain(
      'the pattern is not checked before a call: it refers back to a group',
    )
  })
})

describe('beside it', () => {
  const values = {
    names: { [TEXT]: 'x' },
    closed: { [TEXT]: 1 },
    keys: { [TEXT]: 1 },
    back: TEXT,
    look: TEXT,
  }
  it.each(
    Object.keys(SURFACES).flatMap((surface) =>
      Object.entries(values).map(([member, value]) => [surface, member, value] as const),
    ),
  )('%s answers a hostile value of %s', async (surface, member, value) => {
    const text = await (SURFACES[surface] as Send)('mcpserver.run', { [member]: value })
    if (member === 'closed' || member === 'keys')
      expect(text).toMatch(/must match|not a known property/)
    expect(await isAlive()).toBe(true)
  })

  it('keeps the meaning of patternProperties on the linear engine', () => {
    const check = compileSchema({
      patternProperties: { '^(a+)+$': { type: 'number' }, '^(a|aa)+b?$': { minimum: 2 } },
      additionalProperties: false,
    })
    const judge = (value: unknown) => check(value).ok
    expect([{ a: 2 }, { aa: 1 }, { aab: 2 }, { a: 'x' }, { b: 1 }, {}].map(judge)).toEqual([
      ...[true, false, true, false, false, true],
    ])
  })

  it('takes no name for an additional one where a pattern cannot be checked', () => {
    const schema = { patternProperties: { '^x(?=y)': false }, additionalProperties: false }
    expect(compileSchema(schema)({ anything: 1 }).ok).toBe(true)
    expect(compileSchema(schema, { isOwn: true })({ anything: 1 }).ok).toBe(false)
  })

  it('refuses an object with more names than patterns are compared with', () => {
    const names = Array.from({ length: 1_001 }, (_, index) => [`a${index}b`, 1])
    const check = compileSchema({ patternProperties: { '^(a\\w+)+b$': {} } })
    expect(check(Object.fromEntries(names))).toMatchObject({
      ok: false,
      problems: [{ code: 'patternProperties' }],
    })
  })

  it('warns at start of an exponential pattern in the service itself, with function and field', () => {
    const said: string[] = []
    const log = { warn: (message: string) => said.push(message), error: () => {} }
    createService({
      info: { title: 'own', version: '1.0.0' },
      log,
      functions: [
        defineFunction({
          name: 'own.zod',
          version: '1.0.0',
          input: z.object({
            code: z.string().regex(/^(a+)+$/),
            mail: z.email(),
            when: z.iso.datetime(),
            id: z.uuid(),
          }),
          handler: () => ({}),
        }),
        defineFunction({
          name: 'own.json',
          version: '1.0.0',
          input: { properties: { a: { pattern: '^(a+)+\\1$' }, b: { pattern: '^(a+)+$' } } },
          handler: () => ({}),
        }),
      ],
    })
    expect(said).toEqual([
      expect.stringContaining(
        'function own.zod: input/properties/code/pattern can take exponential',
      ),
      expect.stringContaining('function own.json: input/properties/a/pattern can take exponential'),
    ])
  })

  it('mocks a document with hostile patterns', () => {
    const schema = { type: 'string', pattern: '^(a+)+(b|bb)+$', minLength: 60 }
    const { service } = createMockService({
      forrst: '0.1.0',
      discovery: '0.1.0',
      info: { title: 'remote', version: '1.0.0' },
      functions: [
        { name: 'remote.run', version: '1.0.0', arguments: [], result: { name: 'text', schema } },
      ],
    })
    expect(service.registry.find('remote.run')).toBeDefined()
  })

  it('tells tool specs apart by W059, and leaves costly patterns out of generated checks', () => {
    const spec = (pattern: string) =>
      parseToolSpec(
        `domain: orchard\nbase_url: https://a.example\ntools:\n  - name: list\n    description: Lists.\n    method: GET\n    path: /\n    params:\n      - { name: q, in: query, type: string, description: Query., pattern: '${pattern}' }\n`,
        { file: 'a.yaml' },
      )
    const unchecked = spec('(a)\\1')
    expect(unchecked.ok && unchecked.warnings.map(({ code }) => code)).toEqual(['W059'])
    const hostile = spec('^(a+)+$')
    if (!hostile.ok || !hostile.spec.tools[0]) throw new TypeError('the spec is sound')
    expect(hostile.warnings).toEqual([])
    expect(withSafePatterns(toInputSchema(hostile.spec.tools[0]))).toMatchObject({
      properties: { q: { description: 'Query. Must match ^(a+)+$' } },
    })
    expect(JSON.stringify(withSafePatterns(toInputSchema(hostile.spec.tools[0])))).not.toContain(
      '"pattern"',
    )
  })

  it('imports patterns that would fill the memory, and says that they are not checked', () => {
    const imported = importOpenApi({
      openapi: '3.1.0',
      info: { title: 'o', version: '1' },
      paths: {
        '/a': {
          get: {
            parameters: [
              {
                name: 'q',
                in: 'query',
                schema: { type: 'string', pattern: '((a{900}){900}b){900}' },
              },
            ],
          },
        },
      },
    })
    if (!imported.ok) throw new TypeError('the document is sound')
    expect(imported.warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('not checked'),
    )
  })

  it('matches resource templates against long URIs', () => {
    const match = createUriMatcher('files://{+a}/{+b}/{+c}')
    expect(match('files://x/y/z')).toEqual({ a: 'x', b: 'y', c: 'z' })
    expect(match(`files://${'x/'.repeat(100_000)}\n`) === undefined).toBe(true)
  })
})
