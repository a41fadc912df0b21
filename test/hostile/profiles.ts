import {
  CHECKOUT,
  DISCOUNT,
  FULFILLMENT,
  MCP_URL,
  ORDER,
  openRpc,
  REST_URL,
  SHOPPING,
  VERSION,
} from '../support/ucp.ts'

const SCHEMA = 'https://ucp.dev/schemas/shopping'

/** A profile that uses nearly every member there is. */
export const RICH_PROFILE = {
  ucp: {
    version: VERSION,
    supported_versions: { '2026-01-23': 'https://shop.example/ucp-2026-01-23.json' },
    services: SHOPPING,
    capabilities: {
      [CHECKOUT]: [
        {
          version: VERSION,
          spec: 'https://ucp.dev/checkout',
          schema: `${SCHEMA}/checkout.json`,
          operations: ['create_checkout', 'get_checkout'],
          config: { any: ['thing'] },
        },
        { version: '2026-01-23', schema: `${SCHEMA}/checkout-old.json`, operations: [] },
      ],
      [DISCOUNT]: [
        {
          version: VERSION,
          schema: `${SCHEMA}/discount.json`,
          extends: CHECKOUT,
          requires: {
            protocol: { min: '2026-01-01', max: '2027-01-01' },
            capabilities: { [CHECKOUT]: { min: '2026-01-01' } },
          },
        },
      ],
      [FULFILLMENT]: [
        { version: VERSION, schema: `${SCHEMA}/fulfillment.json`, extends: [CHECKOUT, ORDER] },
      ],
      [ORDER]: [
        {
          version: VERSION,
          schema: `${SCHEMA}/order.json`,
          config: { webhook_url: 'https://shop.example/hook' },
        },
      ],
    },
    payment_handlers: {
      'com.pay.handler': [
        {
          id: 'one',
          version: VERSION,
          schema: 'https://pay.com/schema.json',
          config: { merchant: 'm' },
        },
      ],
    },
  },
  signing_keys: [
    { kid: 'k1', kty: 'EC', crv: 'P-256', x: 'AA', y: 'BB', alg: 'ES256', use: 'sig' },
  ],
  keys: [{ kid: 'k2', kty: 'OKP', crv: 'Ed25519', x: 'AA' }],
}

/** The documents the profile names, by URL. */
export const RICH_DOCUMENTS: Readonly<Record<string, unknown>> = {
  [REST_URL]: {
    openapi: '3.1.0',
    info: { title: 'Shop', version: VERSION },
    servers: [{ url: 'https://shop.example' }],
    paths: {
      '/checkouts': {
        parameters: [
          { name: 'UCP-Agent', in: 'header', required: true, schema: { type: 'string' } },
        ],
        post: {
          operationId: 'create_checkout',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `${SCHEMA}/checkout.json` } } },
          },
          responses: { 201: { content: { 'application/json': { schema: { type: 'object' } } } } },
        },
      },
      '/checkouts/{id}': {
        get: {
          operationId: 'get_checkout',
          parameters: [{ $ref: '#/components/parameters/id' }],
          responses: {},
        },
      },
    },
    components: {
      parameters: { id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    },
    webhooks: { order: { post: { operationId: 'order_event' } } },
  },
  [MCP_URL]: {
    ...openRpc('create_checkout'),
    methods: [
      {
        name: 'get_checkout',
        params: [
          { name: 'id', required: true, schema: { type: 'string' } },
          { $ref: '#/components/contentDescriptors/meta' },
        ],
        result: { name: 'checkout', schema: { type: 'object' } },
      },
    ],
    components: { contentDescriptors: { meta: { name: 'meta', schema: { type: 'object' } } } },
  },
  [`${SCHEMA}/checkout.json`]: {
    $id: `${SCHEMA}/checkout.json`,
    type: 'object',
    required: ['line_items'],
    properties: {
      line_items: { type: 'array', items: { type: 'object' }, ucp_request: 'required' },
      id: { type: 'string', ucp_request: { create: 'omit', update: 'optional' } },
    },
    $defs: { [CHECKOUT]: { type: 'object' } },
  },
  [`${SCHEMA}/discount.json`]: {
    name: DISCOUNT,
    version: VERSION,
    requires: {
      protocol: { min: '2026-01-01' },
      capabilities: { [CHECKOUT]: { min: '2026-01-01' } },
    },
    $defs: {
      [CHECKOUT]: {
        allOf: [
          { $ref: `${SCHEMA}/checkout.json` },
          { type: 'object', properties: { discounts: { type: 'object' } } },
        ],
      },
    },
  },
}
