import type { DiscoveryDocument } from '../../src/discovery/decode.ts'

const id = { name: 'id', required: true, schema: { type: 'string' } }

/** A small document with one of everything that is awkward. */
export const kitchenDocument: DiscoveryDocument = {
  forrst: '0.1.0',
  discovery: '0.1',
  info: { title: 'Kitchen Service', version: '2.0.0' },
  functions: [
    { name: 'orders.get', version: '1.0.0', stability: 'stable', arguments: [id] },
    {
      name: 'orders.get',
      version: '2.1.0',
      stability: 'stable',
      summary: 'Get an order',
      arguments: [id],
      sideEffects: [],
      result: { name: 'order', schema: { $ref: '#/components/schemas/Order' } },
      errors: [
        {
          code: 'ORDER_GONE',
          message: 'It was deleted',
          data: {
            type: 'object',
            required: ['deleted_at'],
            properties: { deleted_at: { type: 'string', format: 'date-time' } },
          },
        },
        { code: 'NOT_FOUND', message: 'There is none' },
      ],
      links: [
        {
          name: 'Dishes of the order',
          function: 'orders',
          params: { order: '$result.id', all: true },
        },
        { name: 'Elsewhere', function: 'x.y', server: { name: 'other', url: 'https://other' } },
      ],
    },
    {
      name: 'orders.get',
      version: '2.0.0',
      stability: 'deprecated',
      deprecated: { reason: 'Lacks the table', sunset: '2027-01-01' },
      arguments: [id],
      result: { name: 'order', schema: { type: 'object' } },
    },
    { name: 'orders.get', version: '3.0.0-beta.1', stability: 'experimental', arguments: [id] },
    {
      name: 'orders',
      version: '1.0.0',
      stability: 'stable',
      summary: 'A function and a namespace',
    },
    {
      name: 'orders.watch',
      version: '1.0.0',
      stability: 'stable',
      arguments: [id],
      result: { name: 'count', schema: { type: 'integer' } },
      extensions: [{ urn: 'urn:forrst:ext:stream' }],
    },
    {
      name: 'orders.cook',
      version: '1.0.0',
      stability: 'stable',
      arguments: [id],
      result: { name: 'dish', schema: { type: 'string' } },
      errors: [{ code: 'OVEN_COLD', message: 'The oven is cold' }],
      extensions: [{ urn: 'urn:cline:forrst:ext:async' }],
      sideEffects: ['update'],
    },
    {
      name: 'dishes.list',
      version: '1.0.0',
      stability: 'stable',
      arguments: [],
      sideEffects: [],
      result: {
        name: 'dishes',
        schema: {
          type: 'array',
          items: {
            type: 'object',
            required: ['id'],
            properties: {
              id: { type: 'string' },
              hot: { type: 'boolean' },
              price: { type: 'number' },
            },
          },
        },
      },
      query: {
        filters: { allowed: ['hot', 'price', 'chef'], operators: ['equals', 'in', 'greater_than'] },
        sorts: { allowed: ['price'] },
        fields: { allowed: ['hot', 'price'] },
        relationships: { allowed: ['chef'] },
        pagination: { strategies: ['cursor'] },
      },
    },
    { name: 'then', version: '1.0.0', stability: 'stable' },
    { name: 'class.delete', version: '1.0.0', stability: 'stable', arguments: [] },
    { name: 'constructor.name', version: '1.0.0', stability: 'stable' },
    { name: 'urn:acme:kitchen:fn:close', version: '1.0.0', stability: 'stable', arguments: [id] },
  ],
  components: {
    schemas: {
      Order: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          table: { type: ['integer', 'null'] },
          parent: { $ref: '#/components/schemas/Order' },
        },
      },
      Method: { type: 'string', description: 'Has the name of a part' },
    },
    resources: {
      dishes: {
        type: 'dishes',
        attributes: { price: { schema: { type: 'number' }, filterOperators: ['gt', 'between'] } },
      },
    },
  },
}
