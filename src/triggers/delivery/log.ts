import { type Entry, type Store, storeKey, storePrefix } from '../../store/index.ts'
import type { Json } from '../../values/index.ts'
import type { Delivery, DeliveryState } from './delivery.ts'
import { createDeliveryLists } from './lists.ts'

/** Which deliveries are wanted. */
export interface DeliveryQuery {
  readonly trigger?: string
  /** A page of any state but `dead` may be shorter than its limit. */
  readonly state?: DeliveryState
  /** At most 100; 20 when absent. */
  readonly limit?: number
  /** The `cursor` of the page before. */
  readonly cursor?: string
}

/** A page of deliveries, the newest first. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[]
  /** Continues the listing; absent on the last page. */
  readonly cursor?: string
}

/** A delivery as it was read; writing it back needs its revision. */
export interface DeliveryEntry {
  readonly delivery: Delivery
  readonly revision: number
}

/** How a delivery is first written. */
export interface CreateOptions {
  /** Its source holds it until it is done: a power cut makes it come again, with this record or without. */
  readonly keptBySource?: boolean
}

/** The deliveries of a service in its store. */
export interface DeliveryLog {
  /** Keeps a delivery unless its event was seen before; answers what is there then. */
  readonly create: (
    delivery: Delivery,
    options?: CreateOptions,
  ) => Promise<DeliveryEntry & { readonly created: boolean }>
  readonly read: (id: string) => Promise<DeliveryEntry | undefined>
  /** Replaces a delivery; undefined when somebody else has written it since it was read. */
  readonly write: (delivery: Delivery, revision: number) => Promise<number | undefined>
  /** Puts a new delivery into the lists. */
  readonly index: (delivery: Delivery) => Promise<void>
  /** Puts a delivery into the dead-letter list. */
  readonly bury: (delivery: Delivery) => Promise<void>
  /** Takes a delivery out of the dead-letter list. */
  readonly unearth: (delivery: Delivery) => Promise<void>
  readonly list: (query?: DeliveryQuery) => Promise<DeliveryPage>
}

/** How long deliveries are kept, in milliseconds. */
export interface Retention {
  /** Also how long copies of an event are recognised; a week when absent, an hour in memory. */
  readonly doneMs?: number
  /** 30 days when absent, a day in memory. */
  readonly deadMs?: number
}

const HOUR = 3_600_000

/** Opens the deliveries of a service. */
export function createDeliveryLog(
  store: Store,
  service: string,
  retention: Retention = {},
): DeliveryLog {
  const inMemory = store.kind === 'memory'
  const doneMs = retention.doneMs ?? (inMemory ? HOUR : 7 * 24 * HOUR)
  const deadMs = retention.deadMs ?? (inMemory ? 24 * HOUR : 30 * 24 * HOUR)
  const logMs = Math.max(doneMs, HOUR)
  const lists = createDeliveryLists(store, service, { logMs, deadMs })
  const prefix = storePrefix('trigger', service, 'delivery')
  const keyOf = (id: string) => prefix + storeKey(id)
  const ttlOf = ({ state }: Delivery) => (state === 'dead' ? deadMs : logMs)

  return {
    async create(delivery, { keptBySource = false } = {}) {
      const result = await store.putIfAbsent(keyOf(delivery.id), toJson(delivery), {
        ttl: ttlOf(delivery),
        lazy: keptBySource,
      })
      return result.created
        ? { created: true, delivery, revision: result.revision }
        : { created: false, ...toEntry(result.entry) }
    },
    async read(id) {
      const entry = await store.get(keyOf(id))
      return entry && toEntry(entry)
    },
    async write(delivery, revision) {
      const ttl = ttlOf(delivery)
      const result = await store.compareAndSet(keyOf(delivery.id), toJson(delivery), {
        revision,
        ttl,
      })
      return result.swapped ? result.revision : undefined
    },
    index: lists.add,
    bury: lists.bury,
    unearth: lists.unearth,
    async list({ trigger, state, limit = 20, cursor } = {}) {
      const page = await lists.read(state === 'dead' ? 'dead' : 'log', {
        trigger,
        limit: Math.min(Math.max(limit, 1), 100),
        cursor,
      })
      const found = await Promise.all(page.ids.map((id) => store.get(keyOf(id))))
      return {
        deliveries: found
          .flatMap((entry) => (entry ? [toEntry(entry).delivery] : []))
          .filter((delivery) => state === undefined || delivery.state === state),
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      }
    },
  }
}

function toJson(delivery: Delivery): Json {
  return delivery as unknown as Json
}

function toEntry({ value, revision }: Entry): DeliveryEntry {
  return { delivery: value as unknown as Delivery, revision }
}
