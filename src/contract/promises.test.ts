import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modernClient } from '../../test/mcp/wire.ts'
import { toRequest } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createMcpHandler } from '../entries/mcp.ts'
import { redactExtension } from '../extensions/redact/redact.ts'
import { compileSchema } from '../schema/compile.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { buildOpenApi } from '../surfaces/documents/openapi.ts'
import { createRestHandler } from '../surfaces/rest/handler.ts'
import type { JsonObject } from '../values/json.ts'

const REDACT = 'urn:forrst:ext:redact'

/** Calls `a.get` over MCP and tells whether the answer keeps what the list of tools promises. */
async function askMcp(
  service: ReturnType<typeof serviceOf>,
  meta: JsonObject = {},
  options: Parameters<typeof createMcpHandler>[1] = {},
) {
  const client = modernClient(createMcpHandler(service, options))
  const { result: list } = await client.request('tools/list')
  const [tool] = list['tools'] as [{ outputSchema?: JsonSchema }]
  const { result } = await client.request('tools/call', { name: 'a__get' }, { meta })
  const { structuredContent, isError } = result as Record<string, unknown>
  const keeps =
    isError === true ||
    compileSchema(tool.outputSchema ?? true, { assertFormats: true })(structuredContent).ok
  return {
    keeps,
    isError,
    structuredContent,
    meta: result['_meta'],
    text: JSON.stringify(result['content']),
  }
}

async function askRest(
  service: ReturnType<typeof serviceOf>,
  headers: Record<string, string> = {},
  options: Parameters<typeof createRestHandler>[1] = {},
) {
  const handle = createRestHandler(service, options)
  const response = await handle(
    toRequest('', {
      method: 'GET',
      path: '/api/a.get',
      headers: { host: 'localhost', ...headers },
    }),
  )
  const { paths } = buildOpenApi(service)
  const operation = paths['/api/a.get'] as {
    get: { responses: { 200: { content: Record<string, { schema: JsonSchema }> } } }
  }
  const type = String(response.headers['content-type'])
  const body: unknown = JSON.parse(response.body as string)
  const promised = operation.get.responses[200].content[type]?.schema
  const keeps = promised === undefined || compileSchema(promised, { assertFormats: true })(body).ok
  return { headers: response.headers, type, body: body as JsonObject, keeps }
}

const giving = (output: JsonSchema, result: unknown) =>
  defineFunction({ name: 'a.get', version: '1.0.0', readOnly: true, output, handler: () => result })

describe('a result that is cut to the budget of tokens', () => {
  const items = Array.from({ length: 50 }, (_, index) => `item ${index} of the list`)
  const schema = (list: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { items: { type: 'array', ...list } },
  })

  it('is an error where the list would become shorter than its schema allows', async () => {
    const service = serviceOf([giving(schema({ minItems: 50 }), { items })])
    const answer = await askMcp(service, {}, { resultBudget: 50 })
    expect(answer).toMatchObject({ keeps: true, isError: true })
    expect(answer.text).toContain('the call succeeded')
  })

  it('loses items where the schema allows it', async () => {
    const service = serviceOf([giving(schema({ minItems: 2 }), { items })])
    const answer = await askMcp(service, {}, { resultBudget: 50 })
    expect(answer).toMatchObject({ keeps: true, isError: undefined })
  })
})

describe('a masked result', () => {
  const user = { email: 'ann@example.com', age: 30 }
  const output: JsonSchema = {
    type: 'object',
    required: ['email'],
    properties: { email: { type: 'string', format: 'email' }, age: { type: 'integer' } },
    additionalProperties: false,
  }

  it('has the schema of what every call masks', async () => {
    const service = serviceOf([giving(output, user)], {
      extensions: [redactExtension({ always: true })],
    })
    expect(await askMcp(service)).toMatchObject({
      keeps: true,
      isError: undefined,
      structuredContent: { email: '***', age: 30 },
    })
    expect(await askRest(service)).toMatchObject({
      keeps: true,
      type: 'application/json',
      body: { email: '***' },
    })
  })

  it('has the schema of a shared schema that holds what every call masks', async () => {
    const service = serviceOf([giving({ $ref: '#/components/schemas/User' }, user)], {
      extensions: [redactExtension({ always: true })],
      components: { schemas: { User: output } },
    })
    expect(await askMcp(service)).toMatchObject({ keeps: true, isError: undefined })
  })

  it('is not a result of the promised type where the caller chose what to mask', async () => {
    const service = serviceOf([giving(output, user)])
    const entry = [{ urn: REDACT, options: { fields: ['age'] } }]
    const tool = await askMcp(service, { 'waymark/extensions': entry })
    expect(tool).toMatchObject({ keeps: true, isError: true })
    expect(tool.text).toContain('***')
    const rest = await askRest(service, { 'waymark-extensions': JSON.stringify(entry) })
    expect(rest).toMatchObject({
      type: 'application/vnd.waymark.masked+json',
      body: { email: 'ann@example.com', age: '***' },
    })
  })

  it('stays an ordinary one where the masks fit', async () => {
    const open: JsonSchema = { type: 'object', properties: { email: { type: 'string' } } }
    const entry = [{ urn: REDACT, options: {} }]
    const service = serviceOf([giving(open, user)])
    expect(await askMcp(service, { 'waymark/extensions': entry })).toMatchObject({
      isError: undefined,
      structuredContent: { email: '***' },
    })
    expect(await askRest(service, { 'waymark-extensions': JSON.stringify(entry) })).toMatchObject({
      keeps: true,
      type: 'application/json',
    })
  })
})

describe('a negotiated answer', () => {
  const ucp = { version: '2026-01-11', name: 'ä' }
  const admit = async () => ({ admitted: true, ucp }) as const
  const announced = { 'ucp-agent': 'profile="https://example.com/profile.json"' }
  const closed: JsonSchema = {
    type: 'object',
    properties: { id: { type: 'string' } },
    additionalProperties: false,
  }

  it.each<[string, JsonSchema]>([
    ['closed', closed],
    ['closed in a part', { allOf: [closed] }],
    ['closed in a shared schema', { $ref: '#/components/schemas/Closed' }],
  ])('says what it rests on beside a body that is %s', async (_name, output) => {
    const service = serviceOf([giving(output, { id: 'a' })], {
      components: { schemas: { Closed: closed } },
    })
    const answer = await askRest(service, announced, { admit })
    expect(answer.body).toEqual({ id: 'a' })
    expect(JSON.parse(String(answer.headers['ucp-negotiated']))).toEqual(ucp)
    const tool = await askMcp(service, { ucp: { profile: 'https://a.example/p' } }, { admit })
    expect(tool).toMatchObject({ keeps: true, structuredContent: { id: 'a' }, meta: { ucp } })
    expect(tool.structuredContent).not.toHaveProperty('ucp')
  })

  it('says it in a body that may hold it', async () => {
    const open: JsonSchema = { type: 'object', properties: { id: { type: 'string' } } }
    const service = serviceOf([giving(open, { id: 'a' })])
    const answer = await askRest(service, announced, { admit })
    expect(answer).toMatchObject({ keeps: true, body: { id: 'a', ucp } })
  })
})

describe('a result with a member that its output does not name', () => {
  const row = { id: 'a', added_by_the_database: 1 }
  const service = (output: z.ZodType, validateResults: boolean) =>
    serviceOf(
      [
        defineFunction({
          name: 'a.get',
          version: '1.0.0',
          readOnly: true,
          output,
          handler: () => row as never,
        }),
      ],
      { validateResults },
    )

  it.each([true, false])('keeps what z.object promises (results checked: %s)', async (checked) => {
    const given = service(z.object({ id: z.string() }), checked)
    expect(await askMcp(given)).toMatchObject({ keeps: true, structuredContent: row })
    expect(await askRest(given)).toMatchObject({ keeps: true, body: row })
  })

  it('breaks what z.strictObject promises, and is refused', async () => {
    const given = service(z.strictObject({ id: z.string() }), true)
    expect(await askMcp(given)).toMatchObject({ isError: true })
  })
})
