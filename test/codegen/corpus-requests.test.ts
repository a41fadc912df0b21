import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importOpenApi, loadOpenApi } from '../../src/entries/openapi.ts'
import { createToolCaller } from '../../src/sources/runtime/call-tool.ts'
import { toInputSchema } from '../../src/sources/runtime/input-schema.ts'
import { toApiOperation } from '../../src/sources/runtime/to-operation.ts'
import { argumentName, locationOf } from '../../src/sources/tool-spec/fields.ts'
import type { ToolDef, ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { findDifferences, findPrescribed } from './prescribed-request.ts'
import {
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from './recording-server.ts'
import { sampleArguments } from './sample-arguments.ts'

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/openapi/', import.meta.url))
const PER_DOCUMENT = 8
const files = existsSync(CORPUS)
  ? readdirSync(CORPUS).filter(
      (file) => statSync(CORPUS + file).size < 250_000 || file.startsWith('stripe'),
    )
  : []

let server: RecordingServer
beforeAll(async () => {
  server = await startRecordingServer()
})
afterAll(() => server.close())

/** Every variable is set: base URLs to a host that is never asked, the rest to a credential. */
const environment: Record<string, string> = new Proxy(
  {},
  {
    get: (_target, name) =>
      /_URL$/.test(String(name)) ? 'https://api.example.com/base' : 'secret',
  },
)

describe.skipIf(files.length === 0)(
  'requests of imported operations (needs ../shared/corpus)',
  () => {
    it.each(files)(
      '[TS-164] [TS-166] [TS-24] %s: are what the document prescribes',
      async (file) => {
        const loaded = loadOpenApi(readFileSync(CORPUS + file, 'utf8'), { file })
        if (!loaded.ok) throw new TypeError(`${file} does not load`)
        const imported = importOpenApi(loaded.document, { file })
        if (!imported.ok) throw new TypeError(`${file} is not imported`)
        const { spec } = imported
        const step = Math.max(1, Math.floor(spec.tools.length / PER_DOCUMENT))
        const tools = spec.tools.filter((_tool, index) => index % step === 0)
        const differences: string[] = []
        for (const tool of tools) {
          const request = await send(spec, tool)
          const prescribed = findPrescribed(loaded.document, tool.method ?? '', tool.path ?? '')
          if (prescribed === undefined) continue
          const values = wireValues(tool, sampleArguments(toInputSchema(tool)))
          const found = [
            ...findDifferences(prescribed, request, values),
            ...compareBody(tool, request, prescribed.mediaTypes),
          ]
          differences.push(...found.map((difference) => `${tool.name}: ${difference}`))
        }
        expect(differences).toEqual([])
      },
    )
  },
)

async function send(spec: ToolSpec, tool: ToolDef): Promise<RecordedRequest> {
  const operation = toApiOperation(spec, tool)
  if (operation === undefined) throw new TypeError(`${tool.name} is not an HTTP tool`)
  const sendHere: typeof fetch = (input, init) => {
    const { pathname, search } = new URL(String(input))
    return fetch(server.url + pathname + search, init)
  }
  server.answer({ body: {} })
  const args = sampleArguments(toInputSchema(tool))
  await createToolCaller({ fetch: sendHere, env: environment })(operation, args)
  const [request] = server.requests
  if (request === undefined) throw new TypeError(`${tool.name} sent nothing`)
  return request
}

function wireValues(tool: ToolDef, args: Record<string, unknown>): Map<string, unknown> {
  const entries = (tool.params ?? []).map((field) => {
    return [`${locationOf(tool, field)} ${field.name}`, args[argumentName(field)]] as const
  })
  return new Map(entries)
}

function compareBody(
  tool: ToolDef,
  request: RecordedRequest,
  mediaTypes: readonly string[],
): string[] {
  const fields = tool.body ?? []
  if (fields.length === 0 && tool.body_root === undefined) {
    return request.body === '' ? [] : ['a body that nobody asked for']
  }
  const sent = (request.headers['content-type'] ?? '').split(';')[0] ?? ''
  const declared = mediaTypes.map((type) => type.split(';')[0]?.trim().toLowerCase())
  const isDeclared =
    declared.length === 0 || declared.some((type) => type === sent || type?.includes('*'))
  const isNothing = request.body === '' && tool.body_root?.type === 'object'
  const problems =
    isDeclared || isNothing ? [] : [`content type ${sent}, declared ${declared.join(', ')}`]
  const args = sampleArguments(toInputSchema(tool))
  if (tool.content_type === undefined && tool.body_root === undefined) {
    const wanted = Object.fromEntries(
      fields.map((field) => [field.name, args[argumentName(field)]] as const),
    )
    const got: unknown = JSON.parse(request.body)
    const hasDigits = fields.some((field) => JSON.stringify(field).includes('wire_type'))
    if (!hasDigits) expect(got).toEqual(JSON.parse(JSON.stringify(wanted)))
  }
  return problems
}
