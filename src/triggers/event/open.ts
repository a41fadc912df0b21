import { createEventBus, type EventBus } from './bus.ts'

/** How a bus is opened. */
export interface OpenEventBusOptions {
  /** Keeps several systems on one server apart; `waymark` when absent. */
  readonly namespace?: string
  /** Milliseconds after which an event whose process died goes to another; 30,000 when absent. */
  readonly redeliverMs?: number
  /** Loads an optional package; `import` when absent. */
  readonly load?: (name: string) => Promise<unknown>
}

/** Opens the bus at an address: `memory:`, `nats://127.0.0.1:4222` or `redis://127.0.0.1:6379`. */
export async function openEventBus(
  url: string,
  options: OpenEventBusOptions = {},
): Promise<EventBus> {
  const scheme = /^([a-z]+):/.exec(url)?.[1] ?? ''
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined
  if (open) return open(url, options)
  // Not the address itself: it may hold a password.
  throw new TypeError(
    `The scheme of a bus address must be one of memory:, nats://HOST:PORT or redis://HOST:PORT, ${scheme === '' ? 'it has none' : `not ${scheme}:`}`,
  )
}

type Opener = (url: string, options: OpenEventBusOptions) => Promise<EventBus>

const openRedis: Opener = async (url, options) =>
  (await import('./redis.ts')).openRedisBus(url, options)

const openNats: Opener = async (url, options) =>
  (await import('./nats.ts')).openNatsBus(url, options)

const OPENERS: Readonly<Record<string, Opener>> = {
  memory: async () => createEventBus(),
  nats: openNats,
  tls: openNats,
  redis: openRedis,
  rediss: openRedis,
}
