import type { ToolSpec } from '../../src/entries/tool-spec.ts'

const FIELD = {
  name: 'Row',
  arg: 'row',
  type: 'string',
  description: 'Which row.',
  required: true,
} as const

const SHAPE = {
  name: 'shape',
  type: 'object',
  description: 'What it looks like.',
  nullable: true,
  default: { height: 3 },
  properties: [
    {
      name: 'height',
      type: 'number',
      description: 'In metres.',
      minimum: 1,
      exclusive_maximum: 9,
      multiple_of: 0.5,
    },
    {
      name: 'leaves',
      type: 'array',
      description: 'Leaves.',
      min_items: 0,
      max_items: 5,
      unique_items: true,
      items: { type: 'string', enum: ['oak', 'elm'] },
    },
    {
      name: 'either',
      type: 'string',
      description: 'Either.',
      any_of: [{ type: 'string' }, { type: 'integer' }],
    },
  ],
} as const

const COMMON = {
  description: 'Something happened.',
  prompt: 'Look at {{id}}.',
  payload_map: { id: 'data.id', trigger: 'trigger.name' },
  payload: [{ name: 'data', type: 'object', description: 'What.', properties: [FIELD] }],
} as const

/** A tool spec that uses nearly every key there is. */
export const RICH_SPEC: ToolSpec = {
  domain: 'orchard',
  version: '1.0.0',
  base_url: 'https://orchard.example/v1',
  'x-note': { any: ['thing'] },
  auth: {
    type: 'oauth2',
    env: 'ORCHARD_CLIENT_ID',
    scopes: ['trees'],
    token_url: 'https://login.example/token',
    authorization_url: 'https://login.example/authorize',
    flow: 'client_credentials',
    also: [{ type: 'api_key', env: 'ORCHARD_KEY', in: 'header', header: 'X-Key', prefix: 'Key ' }],
  },
  tools: [
    {
      name: 'find_trees',
      description: 'Finds trees.',
      method: 'GET',
      path: '/rows/{Row}/trees',
      base_url: 'https://trees.example',
      params: [
        {
          ...FIELD,
          in: 'path',
          style: 'simple',
          explode: false,
          pattern: '^[a-z]+$',
          min_length: 1,
          max_length: 20,
        },
        {
          name: 'kind',
          type: 'array',
          description: 'Kinds.',
          in: 'query',
          style: 'form',
          explode: true,
          allow_reserved: true,
          default: ['oak'],
          items: { type: 'string' },
        },
        {
          name: 'X-Trace',
          arg: 'trace',
          type: 'string',
          description: 'Trace.',
          in: 'header',
          format: 'uuid',
        },
        { name: 'cursor', type: 'string', description: 'Where to go on.' },
        {
          name: 'limit',
          type: 'string',
          wire_type: 'integer',
          description: 'How many.',
          default: '10',
        },
      ],
      tags: ['trees'],
      read_only: true,
      response: { pick: ['trees.id'], max_bytes: 1000, max_items: 10 },
      paginate: { style: 'cursor', cursor: 'cursor', limit: 'limit', items: 'trees', next: 'next' },
    },
    {
      name: 'plant_tree',
      description: 'Plants a tree.',
      method: 'POST',
      path: '/trees',
      auth: { type: 'bearer', env: 'ORCHARD_PLANT_TOKEN' },
      content_type: 'multipart',
      body: [
        FIELD,
        SHAPE,
        {
          name: 'photo',
          type: 'string',
          format: 'binary',
          description: 'A photo.',
          content_type: 'image/png',
        },
      ],
      destructive: false,
      deprecated: true,
    },
    {
      name: 'replace_rows',
      description: 'Replaces all rows.',
      method: 'PUT',
      path: '/rows',
      content_type: 'json',
      media_type: 'application/vnd.rows+json',
      body_root: {
        type: 'array',
        items: { type: 'object', properties: [FIELD] },
        description: 'Rows.',
      },
    },
    { name: 'count_rings', description: 'Counts rings.', params: [SHAPE] },
  ],
  triggers: [
    {
      type: 'webhook',
      name: 'on_delivery',
      ...COMMON,
      path: '/webhooks/delivery',
      event: 'delivered',
      secret_env: 'ORCHARD_SECRET',
      signature: { scheme: 'standard', header: 'X-Signature' },
      tool: 'count_rings',
      arguments: { shape: { height: 2 } },
      attempts: 3,
      timeout: { value: 5, unit: 'second' },
      concurrency: 2,
    },
    {
      type: 'schedule',
      name: 'each_hour',
      ...COMMON,
      cron: '0 * * * *',
      timezone: 'Europe/Berlin',
      overlap: 'skip',
      catch_up: 'one',
      jitter: { value: 1, unit: 'minute' },
    },
    { type: 'emit', name: 'on_event', ...COMMON, event: 'tree.planted' },
    {
      type: 'queue',
      name: 'on_message',
      ...COMMON,
      queue_url: 'redis://127.0.0.1/trees',
      queue_env: 'ORCHARD_QUEUE',
    },
    {
      type: 'file',
      name: 'on_file',
      ...COMMON,
      watch_path: './inbox',
      events: ['create'],
      poll: true,
    },
  ],
}

const TREE = {
  type: 'object',
  title: 'Tree',
  description: 'A tree.',
  required: ['id', 'kind'],
  discriminator: { propertyName: 'kind', mapping: { oak: '#/components/schemas/Oak' } },
  properties: {
    id: {
      type: 'string',
      format: 'uuid',
      readOnly: true,
      minLength: 1,
      maxLength: 40,
      pattern: '^t',
    },
    kind: { type: ['string', 'null'], enum: ['oak', 'elm', null], default: 'oak', example: 'oak' },
    height: { type: 'number', minimum: 0, exclusiveMaximum: 90, multipleOf: 0.5, writeOnly: true },
    rings: {
      type: 'array',
      items: { $ref: '#/components/schemas/Ring' },
      minItems: 0,
      maxItems: 9,
      uniqueItems: true,
    },
    notes: { type: 'object', additionalProperties: { type: 'string' }, nullable: true },
  },
  additionalProperties: false,
}

/** An OpenAPI 3.1 document that uses nearly every part an import looks at. */
export const RICH_OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Orchard', version: '1.0.0', description: 'Trees.' },
  servers: [
    {
      url: 'https://{place}.orchard.example/v1',
      variables: { place: { default: 'north', enum: ['north', 'south'] } },
    },
  ],
  security: [{ key: [] }, { login: ['trees'] }],
  tags: [{ name: 'trees', description: 'All about trees.' }],
  paths: {
    '/rows/{row}/trees': {
      summary: 'Trees of a row',
      parameters: [{ $ref: '#/components/parameters/Row' }],
      servers: [{ url: '/v2' }],
      get: {
        operationId: 'findTrees',
        summary: 'Finds trees.',
        description: 'Finds trees of a row.',
        tags: ['trees'],
        deprecated: true,
        parameters: [
          {
            name: 'kind',
            in: 'query',
            style: 'form',
            explode: false,
            allowReserved: true,
            schema: { type: 'array', items: { type: 'string' } },
            examples: { one: { value: ['oak'] } },
          },
          {
            name: 'filter',
            in: 'query',
            content: { 'application/json': { schema: { type: 'object' } } },
          },
          {
            name: 'X-Trace',
            in: 'header',
            required: false,
            schema: { type: 'string', format: 'uuid' },
          },
          { name: 'limit', in: 'query', schema: { type: 'integer', default: 10, maximum: 100 } },
          { name: 'cursor', in: 'query', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'Some trees.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    trees: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
                    next: { type: 'string' },
                  },
                },
                example: { trees: [] },
              },
            },
          },
          default: { $ref: '#/components/responses/Failed' },
        },
        security: [{ basic: [] }],
      },
      post: {
        operationId: 'plantTree',
        requestBody: { $ref: '#/components/requestBodies/Planting' },
        responses: { 201: { description: 'Planted.' } },
        callbacks: {
          grown: {
            '{$request.body#/url}': { post: { responses: { 200: { description: 'Seen.' } } } },
          },
        },
      },
    },
  },
  webhooks: {
    delivered: {
      post: {
        operationId: 'onDelivered',
        summary: 'A tree was delivered.',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Ring' } } },
        },
      },
    },
  },
  components: {
    parameters: {
      Row: {
        name: 'row',
        in: 'path',
        required: true,
        schema: { type: 'string' },
        description: 'A row.',
      },
    },
    requestBodies: {
      Planting: {
        required: true,
        description: 'What to plant.',
        content: {
          'multipart/form-data': {
            schema: {
              allOf: [
                { $ref: '#/components/schemas/Tree' },
                { type: 'object', properties: { photo: { type: 'string', format: 'binary' } } },
              ],
            },
            encoding: { photo: { contentType: 'image/png', style: 'form', explode: true } },
          },
        },
      },
    },
    responses: {
      Failed: {
        description: 'It failed.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
    schemas: {
      Tree: TREE,
      Ring: {
        type: 'object',
        properties: {
          year: { type: 'integer', format: 'int64' },
          inner: { $ref: '#/components/schemas/Ring' },
        },
      },
      Oak: {
        allOf: [{ $ref: '#/components/schemas/Tree' }],
        oneOf: [{ required: ['id'] }, { const: 1 }],
        anyOf: [{ not: {} }],
      },
    },
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'A key.' },
      basic: { type: 'http', scheme: 'basic' },
      login: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://login.example/token',
            scopes: { trees: 'Trees.' },
          },
          authorizationCode: { tokenUrl: '/token', authorizationUrl: '/authorize', scopes: {} },
        },
      },
      open: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/.well-known' },
    },
  },
}

/** A Swagger 2 document that uses nearly every part an import looks at. */
export const RICH_SWAGGER = {
  swagger: '2.0',
  info: { title: 'Orchard', version: '1.0.0' },
  host: 'orchard.example',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json'],
  security: [{ key: [] }],
  parameters: { Row: { name: 'row', in: 'path', required: true, type: 'string' } },
  responses: { Failed: { description: 'It failed.' } },
  securityDefinitions: {
    key: { type: 'apiKey', in: 'query', name: 'key' },
    basic: { type: 'basic' },
    login: {
      type: 'oauth2',
      flow: 'application',
      tokenUrl: 'https://login.example/token',
      scopes: { trees: 'Trees.' },
    },
  },
  paths: {
    '/rows/{row}': {
      parameters: [{ $ref: '#/parameters/Row' }],
      get: {
        operationId: 'findTrees',
        tags: ['trees'],
        parameters: [
          {
            name: 'kind',
            in: 'query',
            type: 'array',
            collectionFormat: 'multi',
            items: { type: 'string', enum: ['oak'] },
            default: ['oak'],
          },
          { name: 'X-Trace', in: 'header', type: 'string', maxLength: 3 },
        ],
        responses: {
          200: { description: 'Trees.', schema: { $ref: '#/definitions/Tree' } },
          default: { $ref: '#/responses/Failed' },
        },
      },
      post: {
        operationId: 'plantTree',
        consumes: ['multipart/form-data'],
        parameters: [{ name: 'photo', in: 'formData', type: 'file', required: true }],
        responses: { 201: { description: 'Planted.' } },
        security: [{ basic: [] }],
      },
      put: {
        operationId: 'replaceTree',
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/Tree' } },
        ],
        responses: {
          200: {
            description: 'Replaced.',
            schema: { type: 'array', items: { $ref: '#/definitions/Tree' } },
          },
        },
      },
    },
  },
  definitions: {
    Tree: {
      type: 'object',
      required: ['id'],
      discriminator: 'kind',
      properties: {
        id: { type: 'string' },
        kind: { type: 'string', 'x-nullable': true },
        height: { type: 'number', format: 'double' },
      },
    },
  },
}

/** A discovery document that uses nearly every part there is. */
export const RICH_DISCOVERY = {
  forrst: '0.1.0',
  discovery: '0.1.0',
  info: {
    title: 'Orchard',
    version: '1.0.0',
    description: 'Trees and **rows**.',
    termsOfService: 'https://orchard.example/terms',
    contact: { name: 'Ada', url: 'https://orchard.example', email: 'ada@orchard.example' },
    license: { name: 'MIT', url: 'https://orchard.example/license' },
  },
  servers: [
    {
      name: 'north',
      url: 'https://{place}.orchard.example/forrst',
      summary: 'The first.',
      variables: { place: { default: 'north', enum: ['north', 'south'], description: 'Where.' } },
      extensions: [{ urn: 'urn:forrst:ext:caching', version: '1.0.0' }],
    },
  ],
  functions: [
    {
      name: 'trees.find',
      version: '1.0.0',
      stability: 'stable',
      summary: 'Finds trees.',
      description: 'Finds trees of a row.',
      arguments: [
        {
          name: 'row',
          required: true,
          schema: { type: 'string', minLength: 1 },
          description: 'A row.',
          summary: 'Row',
          deprecated: false,
        },
        { $ref: '#/components/contentDescriptors/Limit' },
      ],
      result: {
        name: 'trees',
        schema: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
      },
      errors: [
        {
          code: 'TREES_NONE',
          message: 'There are none.',
          data: { type: 'object', properties: { row: { type: 'string' } } },
        },
        { $ref: '#/components/errors/Felled' },
      ],
      tags: [
        { $ref: '#/components/tags/Trees' },
        { name: 'rows', summary: 'Rows', externalDocs: { url: 'https://orchard.example/rows' } },
      ],
      links: [
        {
          name: 'first',
          function: 'trees.plant',
          params: { kind: '$result.0.kind' },
          summary: 'Again',
          server: { name: 'north', url: 'https://orchard.example' },
        },
        { $ref: '#/components/links/Again' },
      ],
      examples: [
        {
          name: 'one',
          summary: 'One',
          params: [{ name: 'row', value: 'a' }, { $ref: '#/components/examples/Ten' }],
          result: { name: 'trees', value: [{ id: 't1', kind: 'oak' }] },
        },
        { $ref: '#/components/examplePairings/None' },
      ],
      query: {
        filters: {
          allowed: ['kind'],
          related: { owner: ['name'] },
          operators: ['equals', 'in'],
          maxConditions: 3,
        },
        sorts: { allowed: ['kind'], maxFields: 2, default: { field: 'kind', direction: 'asc' } },
        fields: { allowed: ['id', 'kind'], default: ['id'], related: { owner: ['name'] } },
        relationships: { allowed: ['owner'], maxDepth: 2 },
        pagination: {
          strategies: ['offset', 'cursor'],
          defaultStrategy: 'offset',
          defaultSize: 5,
          maxSize: 20,
        },
      },
      sideEffects: [],
      simulations: [
        {
          name: 'found',
          input: { row: 'a' },
          output: [{ id: 't1', kind: 'oak' }],
          metadata: { note: 'x' },
        },
        {
          name: 'none',
          input: { row: 'b' },
          error: { code: 'TREES_NONE', message: 'None.', data: { row: 'b' } },
        },
      ],
      extensions: [
        { urn: 'urn:forrst:ext:caching', version: '1.0.0', ttl: { value: 1, unit: 'minute' } },
      ],
      externalDocs: { url: 'https://orchard.example/find', description: 'More.' },
    },
    {
      name: 'trees.watch',
      version: '2.0.0-beta.1',
      stability: 'experimental',
      arguments: [
        {
          name: 'shape',
          schema: {
            type: 'object',
            properties: {
              kind: { enum: ['oak', 'elm'] },
              rings: { type: 'integer', minimum: 1, maximum: 9 },
            },
            required: ['kind'],
            additionalProperties: false,
          },
        },
      ],
      sideEffects: ['create'],
      deprecated: { reason: 'It is old.', sunset: '2030-01-01' },
      extensions: [
        {
          urn: 'urn:forrst:ext:stream',
          item: { type: 'object', properties: { n: { type: 'integer' } } },
        },
      ],
    },
  ],
  components: {
    schemas: {
      Tree: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', pattern: '^t[0-9]$', format: 'uuid', description: 'Which.' },
          kind: { $ref: '#/components/schemas/Kind' },
          owner: {
            anyOf: [
              { type: 'null' },
              { allOf: [{ type: 'object', properties: { name: { type: 'string' } } }] },
            ],
          },
        },
      },
      Kind: { type: 'string', enum: ['oak', 'elm'], default: 'oak' },
    },
    contentDescriptors: {
      Limit: { name: 'limit', schema: { type: 'integer', minimum: 1, default: 10 } },
    },
    errors: { Felled: { code: 'TREES_FELLED', message: 'It is gone.' } },
    examples: { Ten: { name: 'limit', value: 10 } },
    examplePairings: {
      None: {
        name: 'none',
        params: [{ name: 'row', value: 'b' }],
        result: { name: 'trees', value: [] },
      },
    },
    links: { Again: { name: 'again', function: 'trees.find', params: { row: '$params.row' } } },
    tags: { Trees: { name: 'trees', description: 'Trees.' } },
    resources: {
      tree: {
        type: 'tree',
        description: 'A tree.',
        attributes: {
          kind: {
            schema: { type: 'string' },
            filterable: true,
            filterOperators: ['equals'],
            sortable: true,
            sparse: true,
          },
        },
        relationships: {
          owner: { resource: 'person', cardinality: 'one', includable: true, nested: ['name'] },
        },
        meta: { type: 'object' },
      },
    },
  },
}
