import { describe, expect, it } from 'vitest'
import { createFixture } from '../../../test/mcp/fixture-service.ts'
import { createShop } from '../../../test/mcp/shop.ts'
import { legacyClient, modernClient } from '../../../test/mcp/wire.ts'
import { createMcpHandler } from '../../entries/mcp.ts'
import type { JsonObject } from '../../values/json.ts'

const shop = () =>
  createMcpHandler(createShop({ components: { schemas: { Sku: { type: 'string' } } } }))

async function read(uri: string): Promise<unknown> {
  const { result } = await modernClient(shop()).request('resources/read', { uri })
  const [{ text }] = result['contents'] as [{ text: string }]
  return JSON.parse(text)
}

describe('resources of a service', () => {
  it('are the document, each shared schema and each example', async () => {
    const { result } = await modernClient(shop()).request('resources/list')
    expect((result['resources'] as JsonObject[]).map(({ uri }) => uri)).toEqual([
      'waymark://document',
      'waymark://schemas/Sku',
      'waymark://examples/shop.order/one%20article',
    ])
  })

  it('can be read', async () => {
    expect(await read('waymark://document')).toMatchObject({ info: { title: 'Shop' } })
    expect(await read('waymark://schemas/Sku')).toMatchObject({ type: 'string' })
    expect(await read('waymark://examples/shop.order/one%20article')).toMatchObject({
      function: 'shop.order',
      version: '2.0.0',
      result: { value: { id: 'order-1' } },
    })
  })

  it('show each function by its name, whichever name that is', async () => {
    for (const name of ['shop.order', 'shop__order']) {
      expect(await read(`waymark://functions/${name}`)).toMatchObject({
        name: 'shop.order',
        errors: [{ code: 'SHOP_SOLD_OUT' }],
      })
    }
  })

  it('do not show what is hidden or does not exist, in the words of each era', async () => {
    for (const uri of [
      'waymark://functions/shop.hidden',
      'waymark://nothing',
      'file:///etc/passwd',
    ]) {
      const modern = await modernClient(shop()).request('resources/read', { uri })
      expect(modern.error).toMatchObject({ code: -32602, data: { uri } })
      const legacy = await (await legacyClient(shop())).request('resources/read', { uri })
      expect(legacy.error.code).toBe(-32002)
    }
  })

  it('come in pages', async () => {
    const handler = createMcpHandler(createShop(), { pageSize: 1 })
    const client = modernClient(handler)
    const first = await client.request('resources/list')
    expect(first.result['resources']).toHaveLength(1)
    const cursor = String(first.result['nextCursor'])
    const second = await client.request('resources/list', { cursor })
    expect(second.result['resources']).toHaveLength(1)
    expect(second.result['nextCursor']).toBeUndefined()
  })

  it('are bytes in base64 where they are not text', async () => {
    const { service, options } = createFixture()
    const client = modernClient(createMcpHandler(service, options))
    const { result } = await client.request('resources/read', { uri: 'test://static-binary' })
    expect(result['contents']).toEqual([
      {
        uri: 'test://static-binary',
        mimeType: 'image/png',
        blob: expect.stringMatching(/^iVBOR/),
      },
    ])
  })
})

describe('prompts of a service', () => {
  it('are its examples, with arguments that may be changed', async () => {
    const client = modernClient(shop())
    const { result } = await client.request('prompts/list')
    expect(result['prompts']).toEqual([
      {
        name: 'shop__order__one-article',
        title: 'Orders one article',
        description: 'Orders one article',
        arguments: [
          { name: 'sku', description: 'sku-1 when absent', required: false },
          { name: 'count', description: '1 when absent', required: false },
        ],
      },
    ])
    const asItIs = await client.request('prompts/get', { name: 'shop__order__one-article' })
    expect(JSON.stringify(asItIs.result['messages'])).toContain('order-1')
    const changed = await client.request('prompts/get', {
      name: 'shop__order__one-article',
      arguments: { sku: 'sku-9', count: '3' },
    })
    const [message] = changed.result['messages'] as [{ content: { text: string } }]
    expect(message.content.text).toContain('"sku": "sku-9"')
    expect(message.content.text).toContain('"count": 3')
    expect(changed.result['messages']).toHaveLength(1)
  })

  it('refuse what they cannot fill in', async () => {
    const { service, options } = createFixture()
    const client = modernClient(createMcpHandler(service, options))
    const get = async (name: string, input: JsonObject) =>
      (await client.request('prompts/get', { name, arguments: input })).error
    expect((await get('nothing', {})).message).toContain('Unknown prompt')
    expect((await get('test_prompt_with_arguments', { arg1: 'a' })).message).toContain('arg2')
    expect((await get('test_prompt_with_arguments', { arg1: 1, arg2: 'b' })).message).toContain(
      'arg1 must be a string',
    )
  })
})

describe('completion', () => {
  const complete = async (ref: JsonObject, argument: JsonObject) => {
    const { service, options } = createFixture()
    const client = modernClient(createMcpHandler(service, options))
    return client.request('completion/complete', { ref, argument })
  }

  it('suggests values of prompt arguments and of names in templates', async () => {
    const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' }
    const word = await complete(prompt, { name: 'arg1', value: 'te' })
    expect(word.result['completion']).toEqual({ values: ['testing'], total: 1, hasMore: false })
    const template = { type: 'ref/resource', uri: 'waymark://functions/{name}' }
    const names = await complete(template, { name: 'name', value: 'fixture.gr' })
    expect(names.result['completion']).toMatchObject({ values: ['fixture.greet'] })
  })

  it.each([
    [{ type: 'ref/nothing' }, { name: 'a', value: '' }],
    [
      { type: 'ref/prompt', name: 'nothing' },
      { name: 'a', value: '' },
    ],
    [{ type: 'ref/prompt', name: 'test_simple_prompt' }, { name: 'a' }],
  ])('refuses %j', async (ref, argument) => {
    expect((await complete(ref, argument)).error.code).toBe(-32602)
  })
})
