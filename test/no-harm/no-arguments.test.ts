import { describe, expect, it } from 'vitest'
import { createMcpHandler } from 'waymark/mcp'
import { z } from 'zod'
import type { FunctionDefinition } from '../../src/core/function.ts'
import { buildOpenApi } from '../../src/surfaces/rest/openapi.ts'
import { modernClient } from '../mcp/wire.ts'
import { call } from '../support/forrst.ts'
import { front, start } from '../support/front.ts'
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
