import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { modernClient } from '../../../../test/mcp/wire.ts'
import { fc } from '../../../../test/support/property.ts'
import { serviceOf } from '../../../../test/support/service.ts'
import type { Components } from '../../../core/description.ts'
import { defineFunction } from '../../../core/function.ts'
import { createMcpHandler, type McpHandlerOptions } from '../../../entries/mcp.ts'
import { closeArguments } from '../../../schema/arguments.ts'
import type { JsonSchema, Schema } from '../../../schema/schema.ts'

interface Listed {
  readonly inputSchema: Record<string, unknown>
  readonly outputSchema?: Record<string, unknown>
}

/** Gives the schemas of a function as `tools/list` shows them. */
async function listed(
  schemas: { readonly input?: Schema; readonly output?: Schema },
  { components = {}, ...options }: McpHandlerOptions & { readonly components?: Components } = {},
): Promise<Listed> {
  const service = serviceOf(
    [defineFunction({ name: 'a.tool', version: '1.0.0', ...schemas, handler: () => ({}) })],
    { components, validateResults: false },
  )
  const { result } = await modernClient(createMcpHandler(service, options)).request('tools/list')
  return (result['tools'] as [Listed])[0]
}

const UNSAFE_ROOT = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', '$schema']

describe('schemas that every client accepts', () => {
  it('hoists the forms of a union and says which belong together', async () => {
    const { inputSchema } = await listed({
      input: {
        oneOf: [
          {
            type: 'object',
            properties: { email: { type: 'string' }, note: { type: 'string' } },
            required: ['email'],
            additionalProperties: false,
          },
          {
            type: 'object',
            properties: { phone: { type: 'string' }, note: { type: 'integer' } },
            required: ['phone'],
            additionalProperties: false,
          },
        ],
      },
    })
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        email: { type: 'string' },
        note: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        phone: { type: 'string' },
      },
      additionalProperties: false,
      description: 'Give one of: email; or phone.',
    })
  })

  it('merges what must all hold, and keeps what every form needs', async () => {
    const { inputSchema } = await listed({
      input: {
        type: 'object',
        description: 'An address.',
        properties: { a: { type: 'string' } },
        required: ['a'],
        allOf: [
          { properties: { b: { type: 'string' } }, required: ['b'] },
          { anyOf: [{ required: ['c', 'd'] }, { required: ['d'] }] },
        ],
        minProperties: 2,
      },
    })
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: {}, d: {} },
      required: ['a', 'b', 'd'],
      additionalProperties: false,
      description: 'An address. Further rules are checked when the tool is called.',
    })
  })

  it('writes references out, and keeps one to itself', async () => {
    const components: Components = {
      schemas: {
        Money: { type: 'object', properties: { amount: { type: 'number' } } },
        Node: {
          type: 'object',
          properties: { next: { $ref: '#/components/schemas/Node' } },
        },
      },
    }
    const { inputSchema } = await listed(
      {
        input: {
          type: 'object',
          properties: {
            price: { $ref: '#/components/schemas/Money' },
            node: { $ref: '#/components/schemas/Node' },
          },
        },
      },
      { components },
    )
    const { properties } = inputSchema as { properties: Record<string, unknown> }
    expect(properties['price']).toEqual(components.schemas?.['Money'])
    expect(JSON.stringify(inputSchema)).not.toContain('#/components/')
    expect(() => new Ajv2020({ strict: false }).compile(inputSchema)).not.toThrow()
  })

  it('takes a reference at the root for what it means', async () => {
    const components: Components = {
      schemas: { Order: { type: 'object', properties: { id: { type: 'string' } } } },
    }
    const input = { $ref: '#/components/schemas/Order' }
    const { inputSchema } = await listed({ input }, { components })
    expect(inputSchema).toEqual({ ...components.schemas?.['Order'], additionalProperties: false })
  })

  it('does not write a schema out a million times', async () => {
    const schemas: Record<string, JsonSchema> = { L0: { type: 'string' } }
    for (let level = 1; level <= 30; level += 1) {
      const reference = { $ref: `#/components/schemas/L${level - 1}` }
      schemas[`L${level}`] = { type: 'object', properties: { a: reference, b: reference } }
    }
    const input = { type: 'object', properties: { root: { $ref: '#/components/schemas/L30' } } }
    const { inputSchema } = await listed({ input }, { components: { schemas } })
    expect(JSON.stringify(inputSchema).length).toBeLessThan(20_000)
    expect(() => new Ajv2020({ strict: false }).compile(inputSchema)).not.toThrow()
  })

  it('shows a Zod union of objects as a plain object', async () => {
    const { inputSchema } = await listed({
      input: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('card'), number: z.string() }),
        z.object({ kind: z.literal('cash') }),
      ]) as unknown as Schema,
    })
    expect(inputSchema['type']).toBe('object')
    expect(inputSchema['required']).toEqual(['kind'])
    expect(Object.keys(inputSchema).filter((key) => UNSAFE_ROOT.includes(key))).toEqual([])
  })

  it('accepts the arguments that any of the forms accepts', async () => {
    const leaf = fc.constantFrom<JsonSchema>(
      { type: 'string' },
      { type: 'integer' },
      {},
      { const: 1 },
    )
    const object = fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), leaf, { maxKeys: 3 }),
        required: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
      })
      .map(({ properties, required }): JsonSchema => ({ type: 'object', properties, required }))
    const closed = object.map((open): JsonSchema => ({ ...open, additionalProperties: false }))
    const schema = fc.oneof(
      object,
      closed,
      fc.record({ anyOf: fc.array(closed, { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(object, { minLength: 1, maxLength: 2 }) }),
      fc
        .tuple(object, fc.array(closed, { minLength: 1, maxLength: 2 }))
        .map(([root, oneOf]): JsonSchema => ({ ...root, oneOf })),
    )
    const value = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.oneof(fc.string(), fc.integer(), fc.constant(1)),
    )
    await fc.assert(
      fc.asyncProperty(
        schema,
        fc.array(value, { minLength: 5, maxLength: 5 }),
        async (input, values) => {
          const ajv = new Ajv2020({ strict: false })
          const { inputSchema } = await listed({ input })
          expect(Object.keys(inputSchema).filter((key) => UNSAFE_ROOT.includes(key))).toEqual([])
          const accepts = ajv.compile(closeArguments(input))
          const shows = ajv.compile(inputSchema)
          for (const candidate of values)
            if (accepts(candidate)) expect(shows(candidate)).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('leaves the schema of a result what it is, because clients check by it', async () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect((await listed({ output: list })).outputSchema).toEqual(list)
    const union = { anyOf: [{ type: 'object', required: ['a'] }, { type: 'object' }] }
    expect((await listed({ output: union })).outputSchema).toEqual({ type: 'object', ...union })
  })
})

describe('schemas in full', () => {
  it('are passed on as they are, with the shared ones they need', async () => {
    const input = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { price: { $ref: '#/components/schemas/Money' } },
      if: { required: ['price'] },
    }
    const components: Components = { schemas: { Money: { type: 'number' } } }
    const { inputSchema } = await listed({ input }, { components, schemas: 'full' })
    expect(inputSchema).toEqual({
      ...input,
      properties: { price: { $ref: '#/$defs/Money' } },
      $defs: { Money: { type: 'number' } },
      unevaluatedProperties: false,
    })
  })
})
