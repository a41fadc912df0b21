import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { ask } from '../../../test/explorer/ask.ts'
import {
  createToolApi,
  type Tool,
  type ValidateResult,
  type ValidationFailure,
} from '../../entries/tools.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, count: { type: 'integer' } },
  required: ['city'],
}

async function check(inputSchema: Tool['inputSchema'] | undefined, body: unknown) {
  const tool = { name: 'weather', ...(inputSchema !== undefined && { inputSchema }) }
  const call = vi.fn()
  const reply = await ask(
    createToolApi({ tools: [tool], call }),
    '/explorer/tools/weather/validate',
    { body },
  )
  expect(call).not.toHaveBeenCalled()
  return { status: reply.status, verdict: reply.json as ValidateResult }
}

describe('POST /tools/{name}/validate', () => {
  it('[TE-67] [TE-76] [TE-77] says exactly that valid input is valid, with execution off, running nothing', async () => {
    expect(await check(SCHEMA, { city: 'Paris' })).toEqual({
      status: 200,
      verdict: { valid: true },
    })
  })

  it('[TE-68] [TE-69] points at a member that is missing', async () => {
    const { status, verdict } = await check(SCHEMA, {})
    expect(status).toBe(200)
    expect(verdict).toMatchObject({
      valid: false,
      errors: [{ path: '/city', keyword: 'required' }],
    })
  })

  it('[TE-70] names the wrong type and where', async () => {
    const { verdict } = await check(SCHEMA, { city: 'Paris', count: 'x' })
    expect(verdict.errors).toMatchObject([{ path: '/count', keyword: 'type' }])
  })

  it('[TE-71] reports everything that is wrong', async () => {
    const { verdict } = await check(SCHEMA, { count: 'x' })
    expect(verdict.errors?.map(({ path }) => path).sort()).toEqual(['/city', '/count'])
  })

  it.each(['{}', 'not json'])(
    '[TE-72] answers 404 for an unknown tool with the body %j',
    async (body) => {
      const handler = createToolApi({ tools: [], call: vi.fn() })
      const reply = await ask(handler, '/explorer/tools/nope/validate', { body })
      expect(reply.status).toBe(404)
      expect(reply.text).toBe('{"error":"Tool not found: nope"}')
    },
  )

  it.each(['not json', '', '{"a":'])(
    '[TE-73] [TE-74] answers 400 and says why %j is not JSON',
    async (body) => {
      const { status, verdict } = await check(SCHEMA, body)
      expect(status).toBe(400)
      expect(verdict).toEqual({
        valid: false,
        errors: [
          { path: '', message: expect.stringMatching(/^Invalid JSON: .+/), keyword: 'format' },
        ],
      })
    },
  )

  it.each([undefined, null, {}, true])(
    '[TE-75] accepts everything when the schema is %j',
    async (schema) => {
      for (const body of [{ any: 1 }, '[]', 'null', '5']) {
        expect((await check(schema, body)).verdict).toEqual({ valid: true })
      }
    },
  )

  it('accepts nothing when the schema is false', async () => {
    expect((await check(false, {})).verdict.valid).toBe(false)
  })

  it.each(['null', '[]', '5', '"s"'])(
    '[TE-81] checks %s as it is, against the type of the root',
    async (body) => {
      const { verdict } = await check(SCHEMA, body)
      expect(verdict.valid).toBe(false)
      expect(verdict.errors).toMatchObject([{ path: '', keyword: 'type' }])
    },
  )

  it.each([
    ['an unknown type', { type: 'no-such-type' }],
    ['a reference inside that leads nowhere', { properties: { a: { $ref: '#/$defs/gone' } } }],
    ['a reference outside', { $ref: 'https://example.com/schema.json' }],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
  ])('[TE-78] [TE-79] reports a schema with %s as one error', async (_case, schema) => {
    const { status, verdict } = await check(schema, {})
    expect(status).toBe(200)
    expect(verdict).toEqual({
      valid: false,
      errors: [
        { path: '', message: expect.stringMatching(/^Invalid schema: .+/), keyword: 'schema' },
      ],
    })
  })

  it('[TE-80] escapes names in pointers', async () => {
    const schema = { properties: { 'a/b~c': { type: 'string' } } }
    expect((await check(schema, { 'a/b~c': 1 })).verdict.errors).toMatchObject([
      { path: '/a~1b~0c' },
    ])
  })

  it('[TE-82] exports the types of a verdict', () => {
    const failure: ValidationFailure = { path: '', message: 'is wrong' }
    const verdict: ValidateResult = { valid: false, errors: [failure] }
    expect(verdict.errors).toHaveLength(1)
  })

  it.each([
    ['http://json-schema.org/draft-07/schema#', { items: [{ type: 'string' }] }, [1], '/0'],
    [
      'https://json-schema.org/draft/2019-09/schema',
      { $defs: { s: { type: 'string' } }, items: { $ref: '#/$defs/s' } },
      [1],
      '/0',
    ],
    [
      'https://json-schema.org/draft/2020-12/schema',
      { prefixItems: [{ type: 'string' }] },
      [1],
      '/0',
    ],
  ])('[TE-83] reads a schema of %s', async ($schema, schema, body, path) => {
    const { verdict } = await check({ $schema, ...schema }, JSON.stringify(body))
    expect(verdict.errors).toMatchObject([{ path, keyword: 'type' }])
  })

  it('keeps schemas with one $id apart, however often they are made', async () => {
    const call = vi.fn()
    const tools = () =>
      ['string', 'number'].map((type) => ({
        name: type,
        inputSchema: { $id: 'urn:x:1', properties: { a: { type } } },
      }))
    const handler = createToolApi({ tools, call })
    for (let round = 0; round < 3; round++) {
      const asText = await ask(handler, '/explorer/tools/string/validate', { body: { a: 'x' } })
      const asNumber = await ask(handler, '/explorer/tools/number/validate', { body: { a: 'x' } })
      expect([asText.json, asNumber.json]).toMatchObject([{ valid: true }, { valid: false }])
    }
  })

  it('prints a Zod schema and checks with it', async () => {
    const schema = z.object({ city: z.string() })
    expect((await check(schema, { city: 1 })).verdict.errors).toMatchObject([{ path: '/city' }])
    expect((await check(schema, { city: 'Oslo' })).verdict).toEqual({ valid: true })
  })

  it('handles 256 optional members and a union at the root', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 256 }, (_, at) => [`p${at}`, { type: 'string' }]),
    )
    expect((await check({ type: 'object', properties }, { p255: 1 })).verdict.errors).toMatchObject(
      [{ path: '/p255' }],
    )
    expect(
      (await check({ anyOf: [{ type: 'string' }, { type: 'number' }] }, '{}')).verdict.valid,
    ).toBe(false)
  })
})
