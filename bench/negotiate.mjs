// Negotiation and operation resolution, as ratios to JSON.parse of the same two profiles.
// Run: npx tsx --conditions=waymark-source bench/negotiate.mjs
import { existsSync, readFileSync } from 'node:fs'
import { createDocumentIndex } from '../src/capabilities/documents/index-document.ts'
import { negotiate } from '../src/capabilities/negotiate/negotiate.ts'
import { resolveOperations } from '../src/capabilities/negotiate/operations.ts'

const VERSION = '2026-04-08'
const SITE = `https://ucp.dev/${VERSION}`
const PUBLISHED = new URL(`../../shared/fixtures/ucp/published/${VERSION}/`, import.meta.url)

const full = [fullProfile('business'), fullProfile('platform')]
const documents = createDocumentIndex(publishedDocuments())

printFull()
printGrowth()

function printFull() {
  const texts = full.map((profile) => JSON.stringify(profile))
  const [business, platform] = full
  const set = resolve(business, platform)
  if (set.operations.length !== 13) throw new Error('the full profiles must resolve 13 operations')
  const parse = () => texts.map((text) => JSON.parse(text))
  const both = () => resolve(business, platform)
  const [parsing, negotiating] = measure([parse, both])
  console.log(
    `full ${VERSION} profiles, ${texts.join('').length} bytes, 13 operations, 2 transports`,
  )
  console.log(`  JSON.parse of both            ${micro(parsing)}`)
  console.log(`  negotiate and resolve         ${micro(negotiating)}   goal: under 200 µs`)
  console.log(
    `  ratio                         ${(negotiating / parsing).toFixed(2)}   goal: at most 3`,
  )
}

// JSON.parse is linear, so time that grows like n log n lets the ratio grow like log n at most.
// The ratio is taken between neighbours in time and survives a busy machine; the time does not.
function printGrowth() {
  console.log('capabilities per side, a third of them extensions')
  let before
  for (const size of [10, 100, 1000]) {
    const pair = [largeProfile(size, 'business'), largeProfile(size, 'platform')]
    const texts = pair.map((profile) => JSON.stringify(profile))
    const parse = () => texts.map((text) => JSON.parse(text))
    const [parsing, time] = measure([parse, () => resolve(...pair)], size === 1000 ? 40 : 200)
    const ratio = time / parsing
    const growth =
      before === undefined
        ? ''
        : `, ratio grew ${(ratio / before.ratio).toFixed(2)} times` +
          `   goal: at most ${(Math.log(size) / Math.log(before.size)).toFixed(2)}`
    console.log(`  ${String(size).padStart(5)}  ${micro(time)}  ratio ${ratio.toFixed(2)}${growth}`)
    before = { ratio, size }
  }
}

function resolve(business, platform) {
  const negotiation = negotiate({ business, platform, document: documents.find })
  return resolveOperations(negotiation, { documents, transports: ['rest', 'mcp'] })
}

// Interleaved, so that a busy moment of the machine hits all candidates alike; median of the samples.
function measure(candidates, samples = 200) {
  const times = candidates.map(() => [])
  for (let warm = 0; warm < 2000; warm += 1) for (const run of candidates) run()
  for (let sample = 0; sample < samples; sample += 1) {
    for (const [index, run] of candidates.entries()) {
      const rounds = 20
      const start = performance.now()
      for (let round = 0; round < rounds; round += 1) run()
      times[index].push((performance.now() - start) / rounds)
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[list.length >> 1] * 1e3)
}

function micro(microseconds) {
  return `${microseconds.toFixed(1).padStart(8)} µs`
}

function fullProfile(side) {
  const roots = {
    checkout: [
      'create_checkout',
      'get_checkout',
      'update_checkout',
      'complete_checkout',
      'cancel_checkout',
    ],
    cart: ['create_cart', 'get_cart', 'update_cart', 'cancel_cart'],
    'catalog.search': ['search_catalog'],
    'catalog.lookup': ['lookup_catalog', 'get_product'],
    order: ['get_order'],
  }
  const extensions = {
    fulfillment: ['checkout'],
    discount: ['checkout', 'cart'],
    buyer_consent: ['checkout'],
    ap2_mandate: ['checkout'],
  }
  const capabilities = {}
  for (const [name, operations] of Object.entries(roots)) {
    capabilities[`dev.ucp.shopping.${name}`] = [
      { ...entity('shopping', name), ...(side === 'business' && { operations }) },
    ]
  }
  for (const [name, parents] of Object.entries(extensions)) {
    const names = parents.map((parent) => `dev.ucp.shopping.${parent}`)
    capabilities[`dev.ucp.shopping.${name}`] = [
      { ...entity('shopping', name), extends: names.length === 1 ? names[0] : names },
    ]
  }
  capabilities['dev.ucp.common.identity_linking'] = [
    { ...entity('common', 'identity_linking'), ...(side === 'business' && { operations: [] }) },
  ]
  return {
    ucp: { version: VERSION, services: services(side), capabilities, payment_handlers: handlers() },
    signing_keys: keys(),
  }
}

function entity(folder, name) {
  const file = name.replace('.', '_')
  return {
    version: VERSION,
    spec: `${SITE}/specification/${name.replace('.', '/')}`,
    schema: `${SITE}/schemas/${folder}/${file}.json`,
  }
}

function services(side) {
  const binding = (transport, file) => ({
    version: VERSION,
    spec: `${SITE}/specification/overview`,
    transport,
    schema: `${SITE}/services/shopping/${file}`,
    ...(side === 'business' &&
      transport !== 'embedded' && { endpoint: `https://shop.example/ucp/${transport}` }),
  })
  return {
    'dev.ucp.shopping': [
      binding('rest', 'rest.openapi.json'),
      binding('mcp', 'mcp.openrpc.json'),
      binding('embedded', 'embedded.openrpc.json'),
    ],
  }
}

function handlers() {
  const handler = (name, host) => [
    {
      id: name,
      version: '2026-01-11',
      spec: `https://${host}/ucp`,
      schema: `https://${host}/ucp/schema.json`,
      config: { merchant: '42' },
    },
  ]
  return {
    'com.google.pay': handler('gpay', 'pay.google.com'),
    'dev.shopify.shop_pay': handler('shop_pay', 'shopify.dev'),
  }
}

function keys() {
  return [
    {
      kid: 'k1',
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      alg: 'ES256',
      use: 'sig',
    },
  ]
}

function largeProfile(size, side) {
  const capabilities = {}
  for (let index = 0; index < size; index += 1) {
    const name = `example.acme.shop.c${index}`
    const root = index % 3 !== 2
    capabilities[name] = [
      {
        version: '2026-03-01',
        spec: `https://acme.example/docs/c${index}`,
        schema: `https://acme.example/ucp/c${index}.json`,
        ...(root
          ? { operations: [`op_${index}`] }
          : { extends: [`example.acme.shop.c${index - 1}`, `example.acme.shop.c${index - 2}`] }),
      },
    ]
  }
  const service = {
    version: '2026-03-01',
    spec: 'https://acme.example/docs',
    transport: 'rest',
    schema: 'https://acme.example/rest.json',
  }
  return {
    ucp: {
      version: VERSION,
      services: {
        'example.acme.shop': [
          { ...service, ...(side === 'business' && { endpoint: 'https://shop.example/acme' }) },
        ],
      },
      capabilities,
      payment_handlers: {},
    },
  }
}

function publishedDocuments() {
  const paths = {}
  for (let index = 0; index < 1000; index += 1)
    paths[`/op-${index}`] = { post: { operationId: `op_${index}` } }
  const found = { 'https://acme.example/rest.json': { openapi: '3.1.0', paths } }
  const names = ['services/shopping/rest.openapi.json', 'services/shopping/mcp.openrpc.json']
  for (const name of ['fulfillment', 'discount', 'buyer_consent', 'ap2_mandate'])
    names.push(`schemas/shopping/${name}.json`)
  for (const name of names) {
    const file = new URL(name, PUBLISHED)
    if (!existsSync(file))
      throw new Error(`${file.pathname} is missing: the bench reads the published documents`)
    found[`${SITE}/${name}`] = JSON.parse(readFileSync(file, 'utf8'))
  }
  return found
}
