import { describe, expect, it } from 'vitest'
import { run, V3, withOperation } from '../../../test/openapi/import-document.ts'

describe('triggers', () => {
  const event = {
    post: {
      summary: 'A tree fell.',
      requestBody: {
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string', readOnly: true, description: 'Id.' } },
            },
          },
        },
      },
    },
  }

  it('[TS-193] come from webhooks and x-webhooks', () => {
    const { spec } = run({
      ...V3,
      openapi: '3.1.0',
      paths: { '/x': { get: {} } },
      webhooks: { 'tree.fell': event },
      'x-webhooks': { treeFell: event },
    })
    expect(spec.triggers).toEqual([
      {
        type: 'webhook',
        name: 'on_tree_fell',
        description: 'A tree fell.',
        path: '/webhooks/orchard/tree-fell',
        event: 'tree.fell',
        secret_env: 'ORCHARD_WEBHOOK_SECRET',
        payload: [{ name: 'id', type: 'string', required: true, description: 'Id.' }],
      },
      expect.objectContaining({ name: 'on_tree_fell_2', path: '/webhooks/orchard/tree-fell-2' }),
    ])
  })

  it('come from callbacks, and the tool says which URL to give', () => {
    const callbacks = { onFell: { '{$request.body#/callbackUrl}': event } }
    const { spec } = run(withOperation({ callbacks }))
    expect(spec.triggers).toMatchObject([
      { name: 'on_one_on_fell', event: 'onFell', 'x-expression': '{$request.body#/callbackUrl}' },
    ])
    expect(spec.tools[0]?.description).toBe(
      'Does one thing. Calls back (onFell) at the URL in callbackUrl',
    )
  })

  it('a document may hold nothing but webhooks', () => {
    expect(run({ ...V3, openapi: '3.1.0', webhooks: { fell: event } }).spec).toMatchObject({
      tools: [],
      triggers: [{ name: 'on_fell' }],
    })
  })
})
