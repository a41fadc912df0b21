import { describe, expect, it } from 'vitest'
import { createMcpHandler } from 'waymark/mcp'
import { z } from 'zod'
import type { FunctionDefinition } from '../../src/core/function.ts'
import type { Schema } from '../../src/schema/schema.ts'
import { buildOpenApi } from '../../src/surfaces/documents/openapi.ts'
import { modernClient } from '../mcp/wire.ts'
import { call } from '../support/forrst.ts'
import { front, start } from '../support/front.ts'
import { define, serviceOf } from '../support/service.ts'
import { DOORS, MISSPELT, messagesOf, orders } from './orders.ts'

const NOT_ONE = 'statsu: is not an argument of orders.list'

describe('as reported: a function that describes no arguments', () => {
  const nothing: Readonly<Record<string, Partial<FunctionDefinition>>> = {
    'no input': {},
    'an empty list': { arguments: [] },
    '{type: object}': { input: { type: 'object' } },
    'a schema of nothing': { input: {} },
    'an empty Zod object': { input: z.object({}) },
    'a composition of nothing': { input: { allOf: [{ type: 'object' }] } },
  }
  for (const [kind, more] of Object.entries(nothing)) {
    it.each(Object.entries(DOORS))(`with ${kind} takes none over %s`, async (_, door) => {
      const { service, ran } = orders(undefined, more)
      await door(service, MISSPELT)
      expect(ran).toEqual([])
      expect(await door(service, {})).not.toContain('not an argument')
    })

    it(`with ${kind} says so in every document`, async () => {
      const { service } = orders(undefined, more)
      const listed = await modernClient(createMcpHandler(service)).request('tools/list')
      expect(listed.result['tools']).toMatchObject([
        { inputSchema: { type: 'object', additionalProperties: false } },
      ])
      const { post } = buildOpenApi(service).paths['/api/orders.list'] as { post: object }
      expect(JSON.stringify(post)).toMatch(/(additional|unevaluated)Properties":false/)
      const remote = await front(await start(service))
      expect(await messagesOf(remote.service, MISSPELT)).toEqual([NOT_ONE])
    })
  }

  const open: Readonly<Record<string, Partial<FunctionDefinition>>> = {
    'the switch': { unknownArguments: 'ignore' },
    'the switch and a list': {
      arguments: [{ name: 'limit', schema: {} }],
      unknownArguments: 'ignore',
    },
    'additionalProperties: true': { input: { type: 'object', additionalProperties: true } },
    'an empty loose object': { input: z.looseObject({}) },
    'z.any()': { input: z.any() },
    'a number of members': { input: { type: 'object', minProperties: 1 } },
    'a rule for their names': { input: { type: 'object', propertyNames: { minLength: 2 } } },
    'one value': { input: { const: MISSPELT } },
  }
  it.each(Object.entries(open))('takes others with %s, and says so', async (_, more) => {
    const { service, ran } = orders(undefined, more)
    await call(service, { function: 'orders.list', arguments: MISSPELT })
    expect(ran).toEqual([MISSPELT])
    const listed = await modernClient(createMcpHandler(service)).request('tools/list')
    expect(JSON.stringify(listed.result['tools'])).not.toContain('"additionalProperties":false')
    const remote = await front(await start(service))
    expect(await messagesOf(remote.service, MISSPELT)).toBeUndefined()
    expect(ran).toEqual([MISSPELT, MISSPELT])
  })
})

async function refusals(input: Schema, args: Record<string, unknown>): Promise<string[]> {
  const service = serviceOf([define({ input, handler: () => 'ran' as never })])
  const { body } = await call(service, { function: 'orders.get', arguments: args as never })
  return (body.errors ?? []).map(({ message }) => message)
}

const closed = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
  additionalProperties: false,
})
const FORMS = ['status', 'number'] as const
const zodForms = FORMS.map((name) => z.object({ [name]: z.string() }))
const SCHEMAS: readonly (readonly [string, Schema])[] = [
  ['z.union', z.union(zodForms)],
  ['z.union with other types', z.union([z.string(), ...zodForms, z.null()]) as never],
  ['anyOf', { anyOf: FORMS.map(closed) }],
  ['oneOf', { oneOf: FORMS.map(closed) }],
]

describe('as reported: a choice of objects', () => {
  it.each(SCHEMAS)('names the argument that no form knows: %s', async (_kind, input) => {
    expect(await refusals(input, { status: 'a', z: 1 })).toEqual([
      'z: is not an argument of orders.get',
    ])
    expect(await refusals(input, { status: 'a', numbr: 1 })).toEqual([
      'numbr: is not an argument of orders.get; did you mean "number"?',
    ])
  })

  it.each(SCHEMAS)('says what each form does not know otherwise: %s', async (_kind, input) => {
    const [message] = await refusals(input, { status: 'a', number: 'b' })
    expect(message).toContain('number is not a known property')
    expect(message).toContain('status is not a known property')
  })

  it.each(SCHEMAS)('takes what one form knows: %s', async (_kind, input) => {
    expect(await refusals(input, { status: 'a' })).toEqual([])
  })
})

describe('as reported: suggestions', () => {
  it('are made also where names may match a pattern', async () => {
    const input = {
      type: 'object',
      properties: { status: {} },
      patternProperties: { '^x-': {} },
    }
    expect(await refusals(input, { statsu: 'a', 'x-a': 1 })).toEqual([
      'statsu: is not an argument of orders.get; did you mean "status"?',
    ])
  })

  it.each([
    ['z', 'a'],
    ['zz', 'id'],
    ['i', 'id'],
    ['id', 'q'],
    ['abc', 'a'],
    ['od', 'id'],
  ])('are not made for %s where there is %s', async (given, name) => {
    const input = { type: 'object', properties: { [name]: {} } }
    expect(await refusals(input, { [given]: 1 })).toEqual([
      `${given}: is not an argument of orders.get`,
    ])
  })

  it.each([
    ['ID', 'id'],
    ['ids', 'id'],
    ['lmit', 'limit'],
  ])('are made for %s where there is %s', async (given, name) => {
    const input = { type: 'object', properties: { [name]: {} } }
    expect(await refusals(input, { [given]: 1 })).toEqual([
      `${given}: is not an argument of orders.get; did you mean "${name}"?`,
    ])
  })
})

describe('beside it', () => {
  it('names it in a choice inside an object, and with a wrong constant', async () => {
    const inner = z.object({ by: z.union(zodForms) })
    expect(await refusals(inner, { by: { status: 'a', z: 1 } })).toEqual([
      'by.z: is not a known property',
    ])
    const told = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), one: z.string().optional() }),
      z.object({ kind: z.literal('b'), two: z.string().optional() }),
    ])
    const messages = await refusals(told, { kind: 'c', zebra: 1 })
    expect(messages.join()).toContain('zebra: is not an argument of orders.get')
    expect(messages.join()).toContain('kind')
    expect(await refusals(told, { kind: 'a', two: 'x' })).toEqual([
      'two: is not an argument of orders.get',
    ])
  })

  it('does not repeat a long name', async () => {
    const [message] = await refusals(z.union(zodForms), { status: 'a', ['n'.repeat(500)]: 1 })
    expect(message?.length).toBeLessThan(200)
    expect(message).toContain('that is not known')
  })
})
