import {
  type Entry,
  newestFirst,
  type Store,
  storeKey,
  storePrefix,
  toCursor,
} from '../../store/index.ts'

/** Adds an item; resolves when what became of its batch is done. */
export type AddToBatch<Item> = (item: Item) => Promise<void>

/** Gathers the items that come before the event loop goes on and writes them together, at most `size` at a time. */
export function createTurnBatch<Item>(
  size: number,
  write: (items: readonly Item[]) => Promise<void>,
): AddToBatch<Item> {
  let open: { readonly items: Item[]; readonly written: Promise<void> } | undefined

  function begin(): { readonly items: Item[]; readonly written: Promise<void> } {
    const items: Item[] = []
    // Not later: what is written now still shares a transaction with what else this moment brings.
    const written = new Promise<void>((resolve) => process.nextTick(resolve)).then(() => {
      if (open?.items === items) open = undefined
      return write(items)
    })
    return { items, written }
  }

  return (item) => {
    if (open === undefined || open.items.length === size) open = begin()
    open.items.push(item)
    return open.written
  }
}

/** What a list needs to know of a delivery. */
export interface Listed {
  readonly id: string
  readonly trigger: string
  /** Epoch milliseconds. */
  readonly receivedAt: number
}

/** Which part of a list is wanted. */
export interface ListPart {
  readonly trigger: string | undefined
  readonly limit: number
  /** The `cursor` of the part before. */
  readonly cursor: string | undefined
}

/** A part of a list: ids of deliveries, the newest first. */
export interface IdPage {
  readonly ids: readonly string[]
  readonly cursor: string | undefined
}

/** The lists of deliveries in a store: all in the order they came, and the dead letters; each also by trigger. */
export interface DeliveryLists {
  /** Resolves when the delivery is listed. */
  readonly add: (delivery: Listed) => Promise<void>
  readonly bury: (delivery: Listed) => Promise<void>
  readonly unearth: (delivery: Listed) => Promise<void>
  readonly read: (list: 'log' | 'dead', part: ListPart) => Promise<IdPage>
}

/** How long list entries are kept, in milliseconds. */
export interface ListRetention {
  readonly logMs: number
  readonly deadMs: number
}

const MAX_PER_ENTRY = 100

/** Opens the lists of a service. */
export function createDeliveryLists(
  store: Store,
  service: string,
  { logMs, deadMs }: ListRetention,
): DeliveryLists {
  const prefixOf = (list: 'log' | 'dead', trigger?: string) =>
    trigger === undefined
      ? storePrefix('trigger', service, list)
      : storePrefix('trigger', service, `${list}-of`, trigger)
  const keyOf = (prefix: string, { receivedAt, id }: Listed) =>
    prefix + storeKey(newestFirst(receivedAt), id)

  /** One entry for all: a list key of its own would cost a delivery as much as its record. */
  async function putTogether(prefix: string, deliveries: readonly Listed[]): Promise<void> {
    const newest = deliveries.at(-1)
    if (newest === undefined) return
    const ids = deliveries.map(({ id }) => id).reverse()
    await store.put(keyOf(prefix, newest), ids, { ttl: logMs })
  }

  const log = createTurnBatch<Listed>(MAX_PER_ENTRY, async (deliveries) => {
    await Promise.all([
      putTogether(prefixOf('log'), deliveries),
      ...Array.from(groupByTrigger(deliveries), ([trigger, own]) =>
        putTogether(prefixOf('log', trigger), own),
      ),
    ])
  })

  const deadKeys = (delivery: Listed) =>
    [prefixOf('dead'), prefixOf('dead', delivery.trigger)].map((prefix) => keyOf(prefix, delivery))

  return {
    add: log,
    async bury(delivery) {
      const ids = [delivery.id]
      await Promise.all(deadKeys(delivery).map((key) => store.put(key, ids, { ttl: deadMs })))
    },
    async unearth(delivery) {
      await Promise.all(deadKeys(delivery).map((key) => store.delete(key)))
    },
    read: (list, part) => readPart(store, prefixOf(list, part.trigger), part),
  }
}

function groupByTrigger(deliveries: readonly Listed[]): ReadonlyMap<string, Listed[]> {
  const groups = new Map<string, Listed[]>()
  for (const delivery of deliveries) {
    const group = groups.get(delivery.trigger)
    if (group) group.push(delivery)
    else groups.set(delivery.trigger, [delivery])
  }
  return groups
}

async function readPart(
  store: Store,
  prefix: string,
  { limit, cursor }: ListPart,
): Promise<IdPage> {
  const from = cursor === undefined ? undefined : parseCursor(cursor)
  const page = await store.listByPrefix(prefix, { limit, ...(from && { cursor: from.after }) })
  // The listing has refused a cursor that leads elsewhere.
  const begun = from && from.used > 0 ? await store.get(from.key) : undefined
  const ids: string[] = []
  let place: { readonly key: string; readonly used: number; readonly total: number } | undefined
  const entries = begun ? [begun, ...page.entries] : page.entries
  for (const [index, entry] of entries.entries()) {
    if (ids.length === limit) return { ids, cursor: place && formatCursor(place) }
    const all = toIds(entry)
    const skipped = index === 0 && begun ? (from?.used ?? 0) : 0
    const taken = all.slice(skipped, skipped + limit - ids.length)
    ids.push(...taken)
    place = { key: entry.key, used: skipped + taken.length, total: all.length }
  }
  const more = page.cursor !== undefined || (place !== undefined && place.used < place.total)
  return { ids, cursor: more && place ? formatCursor(place) : undefined }
}

/** A cursor of the store, and how much of the entry it names was read when there is more in it. */
function parseCursor(cursor: string): {
  readonly after: string
  readonly key: string
  readonly used: number
} {
  const [, after = cursor, used = '0'] = /^([\w-]+)\.(\d{1,3})$/.exec(cursor) ?? []
  return { after, key: Buffer.from(after, 'base64url').toString(), used: Number(used) }
}

function formatCursor(place: {
  readonly key: string
  readonly used: number
  readonly total: number
}): string {
  const after = toCursor(place.key)
  return place.used < place.total ? `${after}.${place.used}` : after
}

function toIds({ value }: Entry): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}
