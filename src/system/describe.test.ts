import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'

describe('urn:cline:forrst:fn:describe', () => {
  const address = { type: 'object', properties: { street: { type: 'string' } } }
  const input = {
    type: 'object',
    properties: {
      customer_id: { type: 'string' },
      shipping_address: { $ref: '#/components/schemas/address' },
      parent: { $ref: '#/$defs/order' },
    },
    required: ['customer_id'],
    $defs: { order: { type: 'object', properties: { parent: { $ref: '#/$defs/order' } } } },
  }
  const service = serviceOf(
    [
      {
        name: 'orders.create',
        version: '1.0.0',
        description: 'Original version',
        writes: ['create'],
        deprecated: { reason: 'Use version 2.0.0', sunset: '2025-06-01' },
        handler: () => null,
      },
      {
        name: 'orders.create',
        version: '2.0.0',
        description: 'Create a new order',
        sideEffects: ['create', 'sends_email'],
        input,
        output: { type: 'object' },
        accepts: { supported: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:tracing'] },
        handler: () => null,
      },
      {
        name: 'orders.create',
        version: '3.0.0',
        stability: 'beta',
        description: 'Beta with async support',
        handler: () => null,
      },
      { name: 'orders.create', version: '0.9.0', stability: 'removed', handler: () => null },
      {
        name: 'orders.list',
        version: '1.0.0',
        readOnly: true,
        query: {
          filters: { allowed: ['id', 'status'], related: { customer: ['id'] } },
          sorts: { allowed: ['created_at'] },
          fields: { allowed: ['id'], related: { customer: ['name'] } },
          relationships: { allowed: ['customer'] },
          pagination: {
            strategies: ['cursor', 'offset', 'page', 'keyset'],
            defaultSize: 50,
            maxSize: 100,
          },
        },
        handler: () => [],
        resources: () => ({ data: [] }),
      },
    ],
    { components: { schemas: { address } } },
  )
  const describeIt = (input: object) =>
    call(service, { function: 'urn:cline:forrst:fn:describe', arguments: input })
  const described = async (input: object) =>
    (await describeIt(input)).body.result as {
      versions: Record<string, unknown>[]
      [member: string]: unknown
    }

  it('[F-125] needs to know which function', async () => {
    const { status, body } = await describeIt({})
    expect([status, body.errors?.[0]]).toMatchObject([
      400,
      { code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/function' } },
    ])
  })

  it('[F-126][F-127][F-129][F-136][F-141] explains the function and every version that was not removed', async () => {
    const result = await described({ function: 'orders.create', include_schema: false })
    expect(result).toMatchObject({
      function: 'orders.create',
      description: 'Create a new order',
      side_effects: ['create'],
      recommended_version: '2.0.0',
    })
    expect(result.versions.map(({ version, stability }) => [version, stability])).toEqual([
      ['1.0.0', 'stable'],
      ['2.0.0', 'stable'],
      ['3.0.0', 'beta'],
    ])
  })

  it('[F-128] says that a read-only function has no side effects', async () => {
    expect(await described({ function: 'orders.list' })).toMatchObject({ side_effects: [] })
  })

  it('[F-130] explains one version when asked for it', async () => {
    const { versions } = await described({ function: 'orders.create', version: '1.0.0' })
    expect(versions).toHaveLength(1)
  })

  it('[F-135] shows deprecation as an object, not as stability', async () => {
    const { versions } = await described({ function: 'orders.create', version: '1.0.0' })
    expect(versions[0]).toMatchObject({
      stability: 'stable',
      deprecated: { reason: 'Use version 2.0.0', sunset: '2025-06-01' },
    })
  })

  it('[F-131][F-132][F-133][F-134] includes schemas whose references resolve inside, unless told not to', async () => {
    const { versions } = await described({ function: 'orders.create', version: '2.0.0' })
    expect(versions[0]?.['schema']).toEqual({
      arguments: {
        type: 'object',
        properties: {
          customer_id: { type: 'string' },
          shipping_address: { $ref: '#/definitions/address' },
          parent: { $ref: '#/definitions/order' },
        },
        required: ['customer_id'],
        additionalProperties: false,
      },
      returns: { type: 'object' },
      definitions: {
        address,
        order: { type: 'object', properties: { parent: { $ref: '#/definitions/order' } } },
      },
    })
    const bare = await described({ function: 'orders.create', include_schema: false })
    expect(bare.versions.every((version) => !('schema' in version))).toBe(true)
  })

  it('[F-137][F-138][F-139] shows what can be queried, in the words of seed 001', async () => {
    const { versions } = await described({ function: 'orders.list' })
    expect(versions[0]).toMatchObject({
      pagination: {
        styles: ['cursor', 'offset', 'keyset'],
        default_style: 'cursor',
        default_limit: 50,
        max_limit: 100,
      },
      capabilities: {
        filters: { self: ['id', 'status'], customer: ['id'] },
        sorts: ['created_at'],
        fields: { self: ['id'], customer: ['name'] },
        relationships: ['customer'],
      },
    })
  })

  it('[F-140] shows which extensions a version accepts, or which it refuses', async () => {
    const { versions } = await described({ function: 'orders.create', include_schema: false })
    expect(versions.map(({ extensions }) => extensions)).toEqual([
      { excluded: ['urn:forrst:ext:caching'] },
      { supported: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:tracing'] },
      undefined,
    ])
    const list = await described({ function: 'orders.list' })
    expect(list.versions[0]?.['extensions']).toEqual({
      excluded: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:dry-run'],
    })
  })

  it('answers for an unknown function and version with pointers to the argument', async () => {
    const unknown = await describeIt({ function: 'no.such' })
    expect(unknown.body.errors?.[0]).toMatchObject({
      code: 'FUNCTION_NOT_FOUND',
      source: { pointer: '/call/arguments/function' },
    })
    const version = await describeIt({ function: 'orders.create', version: '9.0.0' })
    expect(version.body.errors?.[0]).toMatchObject({
      code: 'VERSION_NOT_FOUND',
      source: { pointer: '/call/arguments/version' },
      details: { available_versions: ['1.0.0', '2.0.0', '3.0.0'] },
    })
  })
})

describe('urn:cline:forrst:ext:discovery:fn:describe of one function', () => {
  it('leaves no reference that leads out of it', async () => {
    const order = { type: 'object', properties: { id: { type: 'string' } } }
    const service = serviceOf(
      [
        {
          name: 'orders.get',
          version: '1.0.0',
          arguments: [{ name: 'id', schema: { type: 'string' } }],
          result: { name: 'order', schema: { $ref: '#/components/schemas/Order' } },
          errors: [{ $ref: '#/components/errors/Gone' }],
          examples: [{ $ref: '#/components/examplePairings/One' }],
          handler: () => ({}),
        },
      ],
      {
        components: {
          schemas: { Order: order },
          errors: {
            Gone: {
              code: 'ORDERS_GONE',
              message: 'Gone',
              data: { $ref: '#/components/schemas/Order' },
            },
          },
          examples: { Order: { value: { id: 'a' } } },
          examplePairings: {
            One: {
              name: 'one',
              params: [{ value: 'a' }],
              result: { $ref: '#/components/examples/Order' },
            },
          },
        },
      },
    )
    const { body } = await call(service, {
      function: 'urn:cline:forrst:ext:discovery:fn:describe',
      arguments: { function: 'orders.get' },
    })
    expect(body).toMatchObject({
      errors: [{ code: 'ORDERS_GONE', data: order }],
      examples: [{ result: { value: { id: 'a' } } }],
    })
    expect(JSON.stringify(body)).not.toContain('$ref')
  })

  it('keeps what refers to itself where its references lead, and tells of the other versions', async () => {
    const node = (next: string) => ({
      type: 'object',
      properties: { next: { $ref: '#/$defs/Node' }, [next]: { type: 'string' } },
    })
    const tree = (next: string) => ({ $ref: '#/$defs/Node', $defs: { Node: node(next) } })
    const service = serviceOf(
      ['1.0.0', '2.0.0'].map((version) => ({
        name: 'trees.get',
        version,
        input: {
          type: 'object',
          properties: { from: { $ref: '#/$defs/Node' } },
          $defs: { Node: node('a') },
        },
        output: tree('b'),
        item: { $ref: '#/components/schemas/Leaf' },
        errors: [{ code: 'TREES_BAD', message: 'Bad', data: tree('c') }],
        handler: () => ({}),
      })),
      {
        components: {
          schemas: {
            Leaf: { type: 'object', properties: { leaf: { $ref: '#/components/schemas/Leaf' } } },
          },
        },
      },
    )
    const { body } = await call(service, {
      function: 'urn:cline:forrst:ext:discovery:fn:describe',
      arguments: { function: 'trees.get' },
    })
    expect(body).toMatchObject({ version: '2.0.0', 'x-other-versions': ['1.0.0'] })
    const references = JSON.stringify(body).match(/"\$ref":"[^"]+"/g) ?? []
    expect(references.length).toBeGreaterThan(3)
    const ends = new Map<string, unknown>()
    for (const text of references) {
      const [, name = ''] = /#\/definitions\/([^"]+)/.exec(text) ?? []
      const { definitions } = body as unknown as { definitions: Record<string, unknown> }
      expect(definitions[name], text).toBeDefined()
      ends.set(name, definitions[name])
    }
    expect(ends.size).toBe(4)
  })
})

describe('recommended_version', () => {
  it('names the best version there is when none is stable, and the others', async () => {
    const service = serviceOf(
      ['0.1.0-alpha.1', '0.2.0-beta.1'].map((version) => ({
        name: 'orders.predict',
        version,
        handler: () => 1,
      })),
    )
    const { body } = await call(service, {
      function: 'urn:cline:forrst:fn:describe',
      arguments: { function: 'orders.predict', version: '0.1.0-alpha.1' },
    })
    expect(body.result).toMatchObject({
      recommended_version: '0.2.0-beta.1',
      other_versions: ['0.2.0-beta.1'],
    })
  })
})
