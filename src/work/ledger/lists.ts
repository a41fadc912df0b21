import {
  type Entry,
  newestFirst,
  refuseArgument,
  type Store,
  storeKey,
  toCursor,
} from '../../store/index.ts'
import { isRecord, toText } from '../../values/index.ts'

/** An item in one list. */
export interface ListedItem {
  readonly prefix: string
  /** Epoch milliseconds; the newest comes first. */
  readonly at: number
  readonly id: string
}

/** Where an item stands in a list. */
export interface ListPlace {
  readonly id: string
  /** Continues the list after it. */
  readonly cursor: string
}

/** Lists of ids in a store, the newest first: a page costs the same however long the list is. */
export interface WorkLists {
  readonly add: (places: readonly ListedItem[], ttl: number) => Promise<void>
  readonly remove: (places: readonly ListedItem[]) => Promise<void>
  readonly read: (
    prefix: string,
    part: { readonly limit: number; readonly cursor: string | undefined },
  ) => Promise<{ readonly places: readonly ListPlace[]; readonly more: boolean }>
}

const MOST_SHARED = 200

/** Opens lists; `shared` gathers what comes before the event loop goes on into one entry per list. */
export function createWorkLists(store: Store, shared: boolean): WorkLists {
  async function put(items: readonly ListedItem[], ttl: number): Promise<void> {
    const newest = items.at(-1)
    if (newest === undefined) return
    const ids = items.map(({ id }) => id).reverse()
    await store.put(keyOf(newest), ids, { ttl })
  }

  const gather = createTurnBatch<Gathered>(MOST_SHARED, async (gathered) => {
    const byList = new Map<string, { readonly items: ListedItem[]; ttl: number }>()
    for (const { place, ttl } of gathered) {
      const group = byList.get(place.prefix) ?? { items: [], ttl }
      group.items.push(place)
      group.ttl = Math.max(group.ttl, ttl)
      byList.set(place.prefix, group)
    }
    await Promise.all(Array.from(byList.values(), ({ items, ttl }) => put(items, ttl)))
  })

  return {
    async add(places, ttl) {
      const write = (place: ListedItem) => (shared ? gather({ place, ttl }) : put([place], ttl))
      await Promise.all(places.map(write))
    },
    async remove(places) {
      await Promise.all(places.map((place) => store.delete(keyOf(place))))
    },
    async read(prefix, { limit, cursor }) {
      const from = cursor === undefined ? undefined : requireCursor(cursor)
      const after = from && { cursor: toCursor(prefix + from.place) }
      const page = await store.listByPrefix(prefix, { limit, ...after })
      const begun = from && from.used > 0 ? await store.get(prefix + from.place) : undefined
      const places = [
        ...(begun ? toPlaces(prefix, begun).slice(from?.used) : []),
        ...page.entries.flatMap((entry) => toPlaces(prefix, entry)),
      ]
      const more = page.cursor !== undefined || places.length > limit
      return { places: places.slice(0, limit), more }
    },
  }
}

interface Gathered {
  readonly place: ListedItem
  readonly ttl: number
}

function keyOf({ prefix, at, id }: ListedItem): string {
  return prefix + storeKey(newestFirst(at), id)
}

/** Earlier releases wrote an id, or an object with one, where a list of ids is written now. */
function toPlaces(prefix: string, { key, value }: Entry): readonly ListPlace[] {
  const ids = Array.isArray(value) ? value : [isRecord(value) ? value['id'] : value]
  const place = key.slice(prefix.length)
  return ids.map((id, index) => {
    const used = index + 1
    return { id: toText(id), cursor: used === ids.length ? place : `${place}.${used}` }
  })
}

/** A place in a list, and how much of the entry there was read when there is more in it. */
function requireCursor(cursor: string): { readonly place: string; readonly used: number } {
  const [, place, used = '0'] = /^(\d{16}:[\w%-]{1,200})(?:\.(\d{1,3}))?$/.exec(cursor) ?? []
  if (place !== undefined) return { place, used: Number(used) }
  return refuseArgument('cursor', 'must be the cursor of an earlier page of the same list')
}

/** Adds an item; resolves when what became of its batch is done. */
type AddToBatch<Item> = (item: Item) => Promise<void>

/** Gathers the items that come before the event loop goes on and writes them together, at most `size` at a time. */
function createTurnBatch<Item>(
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
