import { type Store, storeKey, storePrefix } from '../../store/index.ts'
import { createLedger, type LedgerEntry, type Whose } from '../../work/index.ts'
import { type Delivery, type DeliveryState, isDeliveryOver } from './delivery.ts'

/** Which deliveries are wanted. */
export interface DeliveryQuery {
  readonly trigger?: string
  /** A page of any state may be shorter than its limit. */
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
export type DeliveryEntry = LedgerEntry<Delivery>

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
  /** Ends an attempt, also when an earlier try to do so was told as failed; false when somebody else has the delivery. */
  readonly end: (delivery: Delivery, revision: number) => Promise<boolean>
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
  const listOf = (list: 'log' | 'dead', trigger?: string) =>
    trigger === undefined
      ? storePrefix('trigger', service, list)
      : storePrefix('trigger', service, `${list}-of`, trigger)
  const open = (list: 'log' | 'dead', sharedLists: boolean) =>
    createLedger<Delivery>(store, {
      key: ({ id }) => storeKey('trigger', service, 'delivery', id),
      isOver: isDeliveryOver,
      keptMs: ({ state }) => (state === 'dead' ? deadMs : logMs),
      listed: ({ trigger, receivedAt }) => ({
        prefixes: [listOf(list), listOf(list, trigger)],
        at: receivedAt,
      }),
      sharedLists,
    })
  const log = open('log', true)
  const letters = open('dead', false)

  return {
    create: (delivery, { keptBySource = false } = {}) =>
      log.add(delivery, delivery, { lazy: keptBySource }),
    read: (id) => log.read({ id }),
    write: (delivery, revision) => log.replace(delivery, delivery, revision),
    end: (item, revision) => log.end(item, { item, revision, whose: toWhose(item) }),
    index: (delivery) => log.list(delivery, delivery),
    bury: (delivery) => letters.list(delivery, delivery),
    unearth: (delivery) => letters.unlist(delivery, delivery),
    async list({ trigger, state, limit = 20, cursor } = {}) {
      const page = await log.page(listOf(state === 'dead' ? 'dead' : 'log', trigger), {
        limit: Math.min(Math.max(limit, 1), 100),
        cursor,
        matches: (delivery) => state === undefined || delivery.state === state,
      })
      return {
        deliveries: page.items,
        ...(page.cursor !== undefined && { cursor: page.cursor }),
      }
    },
  }
}

/** An attempt has one number: whoever takes a delivery over counts on. */
function toWhose({ round, tried }: Delivery): (now: Delivery) => Whose {
  return (now) =>
    now.round !== round || now.tried !== tried
      ? 'foreign'
      : now.state === 'running'
        ? 'ours'
        : 'ended'
}
