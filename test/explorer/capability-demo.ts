import { type App, allSurfaces, createApp, createService, defineFunction } from 'waymark'

const SPACE = 'example.shop.store'
const ORIGIN = 'https://shop.example'
const VERSION = '2026-08-25'

const FUNCTIONS = [
  ['catalog.search', 'catalog.search', 'Search the catalogue'],
  ['carts.create', 'cart', 'Start a cart'],
  ['carts.get', 'cart', 'Look at a cart'],
  ['carts.update', 'cart', 'Change what is in a cart'],
  ['checkout.create', 'checkout', 'Start a checkout'],
  ['checkout.complete', 'checkout', 'Pay and place the order'],
  ['orders.get', 'order', 'Look at an order'],
  ['orders.cancel', 'order', 'Cancel an order'],
  ['loyalty.redeem', 'loyalty', 'Redeem points'],
] as const

const CAPABILITIES: readonly (readonly [string, ...string[]])[] = [
  ['catalog.search'],
  ['cart'],
  ['checkout'],
  ['order'],
  ['loyalty'],
  ['discount', 'checkout', 'cart'],
  ['coupon', 'discount'],
  ['fulfillment', 'checkout'],
  ['tracking', 'order'],
  ['tracking.live', 'tracking'],
]

/** A shop that publishes its profile: roots, an extension of two of them, chains of extensions. */
export function createShop(): App {
  const functions = FUNCTIONS.map(([name, capability, summary]) =>
    defineFunction({
      name,
      version: '1.0.0',
      summary,
      capability: `${SPACE}.${capability}`,
      input: { type: 'object', properties: { id: { type: 'string' } } },
      handler: () => ({ id: 'x_1' }),
    }),
  )
  const service = createService({
    name: 'shop',
    info: { title: 'Harbour Shop', version: '1.0.0' },
    functions,
  })
  return createApp(service, {
    surfaces: allSurfaces({
      profile: {
        version: VERSION,
        origin: ORIGIN,
        service: SPACE,
        capabilities: CAPABILITIES.map(([name, ...parents]) => ({
          name: `${SPACE}.${name}`,
          schema: `${ORIGIN}/schemas/${name}.json`,
          ...(parents.length > 0 && { extends: parents.map((parent) => `${SPACE}.${parent}`) }),
        })),
      },
    }),
  })
}

/** A platform that lacks one root, has another in an older version, and names one the shop does not have. */
export function buildPlatform(
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const have = (name: string, version = VERSION) => [
    `${SPACE}.${name}`,
    [{ version, schema: `${ORIGIN}/schemas/${name}.json` }],
  ]
  return {
    ucp: {
      version: VERSION,
      services: { [SPACE]: [{ version: VERSION, transport: 'rest' }] },
      capabilities: {
        ...Object.fromEntries([
          ...['cart', 'checkout', 'catalog.search', 'discount', 'fulfillment'].map((name) =>
            have(name),
          ),
          have('order', '2026-04-08'),
          have('tracking'),
          have('tracking.live'),
        ]),
        'example.agent.wallet': [{ version: VERSION }],
        ...changes,
      },
    },
  }
}
