import { randomUUID } from 'node:crypto'
import { type Entry, type Store, storeKey } from '../../store/index.ts'
import type { Json } from '../../values/index.ts'
import { type HeldEntry, holdEntry } from '../lease.ts'
import { createWorkLists, type ListedItem, type WorkLists } from './lists.ts'

/** Names an item. */
export interface ItemName {
  readonly id: string
  /** Whose item it is, where ids are told apart by it. */
  readonly owner?: string
}

/** How items of one kind are kept. */
export interface LedgerOptions<Item> {
  /** Where an item is kept. */
  readonly key: (name: ItemName) => string
  /** Nothing more becomes of it: the first change to such a state is its end, and there is no other. */
  readonly isOver: (item: Item) => boolean
  /** Milliseconds that an item is kept in the state it has, unless a write says otherwise. */
  readonly keptMs: (item: Item) => number
  /** First part of the keys of what belongs to an item, such as its call and its outcome. */
  readonly parts?: string
  /** Prefixes of the lists that show an item, and the moment that sorts it; in none when absent. */
  readonly listed?: (item: Item) => { readonly prefixes: readonly string[]; readonly at: number }
  /** Lets items that are added together share list entries: cheaper, and kept until the last of them goes. */
  readonly sharedLists?: boolean
}

/** An item as it was read; replacing it needs the revision. */
export interface LedgerEntry<Item> {
  readonly item: Item
  readonly revision: number
  /** Milliseconds for which it is still kept, where the store has told. */
  readonly ttl?: number | null
}

/** How an item is written. */
export interface WriteOptions {
  /** Milliseconds that it is kept, other than its kind says. */
  readonly ttl?: number
  /** Leaves the disk to the next write; see `Store`. */
  readonly lazy?: boolean
  /** The run that has it from the start. */
  readonly run?: string
}

/** Says whose an item is for a run that wants to end it: still its own, ended by it before, or somebody else's. */
export type Whose = 'ours' | 'ended' | 'foreign'

/** What a change came to: the item as it is now, and whether this change made it so. */
export interface LedgerChange<Item> extends LedgerEntry<Item> {
  readonly changed: boolean
}

/** Which items of a list are wanted. */
export interface LedgerQuery<Item> {
  readonly limit: number
  /** The `cursor` of the page before. */
  readonly cursor?: string | undefined
  readonly matches?: (item: Item) => boolean
}

/** A page of a list, the newest first. */
export interface LedgerPage<Item> {
  readonly items: readonly Item[]
  /** Continues the list; absent on the last page. */
  readonly cursor?: string
}

/** Names what belongs to an item, such as `['outcome', run]`. */
export type PartName = readonly [string, ...string[]]

/** The items of one kind: every change is a comparison first, so that an end is recorded once. */
export interface Ledger<Item> {
  /** Keeps an item unless its name is taken; answers what is there then. It is in no list before `list`. */
  readonly add: (
    name: ItemName,
    item: Item,
    options?: WriteOptions,
  ) => Promise<LedgerEntry<Item> & { readonly created: boolean }>
  readonly read: (name: ItemName) => Promise<LedgerEntry<Item> | undefined>
  /** Replaces an item that was read; undefined when somebody else has replaced it since. */
  readonly replace: (name: ItemName, item: Item, revision: number) => Promise<number | undefined>
  /** Keeps an item that a run has from being given to another one: without renewal it is gone a lease later. */
  readonly hold: (
    name: ItemName,
    entry: LedgerEntry<Item>,
    lease: { readonly run: string; readonly leaseMs: number },
  ) => HeldEntry
  /**
   * Ends what a run has, also when a write that was reported as failed happened after all, or the item has run out
   * meanwhile; false when it is somebody else's.
   */
  readonly end: (
    name: ItemName,
    next: LedgerEntry<Item> & { readonly whose: (item: Item) => Whose },
    options?: WriteOptions,
  ) => Promise<boolean>
  /** Gives a name back that a run took. */
  readonly release: (name: ItemName, run: string) => Promise<void>
  /**
   * Changes an item, whoever else does; `decide` answers undefined to leave it. Undefined when it is gone. What was seen
   * of it last saves reading it.
   */
  readonly change: (
    name: ItemName,
    decide: (item: Item) => Item | undefined,
    seen?: LedgerEntry<Item>,
  ) => Promise<LedgerChange<Item> | undefined>
  /** Keeps something that belongs to an item, such as its call: small items are cheap to change. */
  readonly keepPart: (id: string, part: PartName, value: unknown, ttl: number) => Promise<void>
  readonly readPart: (id: string, part: PartName) => Promise<Json | undefined>
  readonly dropPart: (id: string, part: PartName) => Promise<void>
  /** Puts an item into its lists; again when its state has another retention. */
  readonly list: (name: ItemName, item: Item) => Promise<void>
  /** Takes an item out of its lists. */
  readonly unlist: (name: ItemName, item: Item) => Promise<void>
  /** Forgets an item as it was read; what somebody else has written since stays. */
  readonly removeSeen: (name: ItemName, seen: LedgerEntry<Item>) => Promise<void>
  /** Forgets an item. */
  readonly remove: (name: ItemName, item?: Item) => Promise<void>
  /** Reads a part of a list. A filter that matches little makes a short page with a cursor: 500 are looked at. */
  readonly page: (prefix: string, query: LedgerQuery<Item>) => Promise<LedgerPage<Item>>
}

const MOST_LOOKED_AT = 500

/** Opens the items of one kind in a store. */
export function createLedger<Item>(store: Store, options: LedgerOptions<Item>): Ledger<Item> {
  const { key: keyOf, isOver, keptMs, parts = '', listed } = options
  const lists = createWorkLists(store, options.sharedLists === true)
  const partKey = (id: string, [part, ...more]: PartName) =>
    storeKey(`${parts}-${part}`, id, ...more)

  async function read(name: ItemName) {
    const entry = await store.get(keyOf(name))
    return entry && toEntry<Item>(entry)
  }

  async function add(name: ItemName, item: Item, { ttl, lazy = false, run }: WriteOptions = {}) {
    const put = await store.putIfAbsent(keyOf(name), toJson(item), {
      ttl: ttl ?? keptMs(item),
      lazy,
      ...(run !== undefined && { owner: run }),
    })
    return put.created
      ? { created: true, item, revision: put.revision }
      : { created: false, ...toEntry<Item>(put.entry) }
  }

  function placesOf({ id }: ItemName, item: Item | undefined): readonly ListedItem[] {
    const { prefixes = [], at = 0 } = (item && listed?.(item)) ?? {}
    return prefixes.map((prefix) => ({ prefix, at, id }))
  }

  return {
    read,
    add,
    async replace(name, item, revision) {
      const ttl = keptMs(item)
      const swap = await store.compareAndSet(keyOf(name), toJson(item), { revision, ttl })
      return swap.swapped ? swap.revision : undefined
    },
    hold: (name, { item, revision }, { run: owner, leaseMs }) =>
      holdEntry(store, { key: keyOf(name), value: toJson(item), revision, owner, leaseMs }),
    async end(name, { item, revision: seen, whose }, writing = {}) {
      const ttl = writing.ttl ?? keptMs(item)
      for (let revision = seen; ; ) {
        const fenced = { revision, ttl, owner: null }
        const swap = await store.compareAndSet(keyOf(name), toJson(item), fenced)
        if (swap.swapped) return true
        if (swap.entry === undefined) {
          const put = await add(name, item, writing)
          return put.created || whose(put.item) === 'ended'
        }
        const now = toEntry<Item>(swap.entry)
        const found = whose(now.item)
        if (found !== 'ours') return found === 'ended'
        revision = now.revision
      }
    },
    async release(name, run) {
      await store.deleteIfOwner(keyOf(name), run)
    },
    async change(name, decide, seen) {
      let entry = seen ?? (await read(name))
      while (entry !== undefined) {
        const { item, revision } = entry
        const next = decide(item)
        if (next === undefined) return { item, revision, changed: false }
        // What goes on is kept as long as it was given when it began.
        const ttl = isOver(next) ? keptMs(next) : 'keep'
        const swap = await store.compareAndSet(keyOf(name), toJson(next), { revision, ttl })
        if (swap.swapped) return { item: next, revision: swap.revision, changed: true }
        entry = swap.entry && toEntry<Item>(swap.entry)
      }
      return undefined
    },
    async keepPart(id, part, value, ttl) {
      await store.put(partKey(id, part), toStoredJson(value), { ttl })
    },
    readPart: async (id, part) => (await store.get(partKey(id, part)))?.value,
    async dropPart(id, part) {
      await store.delete(partKey(id, part))
    },
    async list(name, item) {
      await lists.add(placesOf(name, item), keptMs(item))
    },
    unlist: (name, item) => lists.remove(placesOf(name, item)),
    async removeSeen(name, { item, revision }) {
      // Stores delete by owner and not by revision: whoever marks the revision as its own may delete it.
      const owner = randomUUID()
      const fenced = { revision, ttl: 'keep', owner } as const
      const { swapped } = await store.compareAndSet(keyOf(name), toJson(item), fenced)
      if (swapped) await store.deleteIfOwner(keyOf(name), owner)
    },
    async remove(name, item) {
      await store.delete(keyOf(name))
      await lists.remove(placesOf(name, item))
    },
    page: (prefix, query) => readPage(lists, { prefix, ...query }, read),
  }
}

async function readPage<Item>(
  lists: WorkLists,
  { prefix, limit, cursor, matches }: LedgerQuery<Item> & { readonly prefix: string },
  read: (item: { readonly id: string }) => Promise<LedgerEntry<Item> | undefined>,
): Promise<LedgerPage<Item>> {
  const items: Item[] = []
  let place = cursor
  for (let looked = 0; looked < MOST_LOOKED_AT; ) {
    const part = await lists.read(prefix, {
      limit: looked === 0 ? limit : Math.max(limit, 100),
      cursor: place,
    })
    const found = await Promise.all(part.places.map(({ id }) => read({ id })))
    for (const [index, entry] of found.entries()) {
      if (entry && (matches === undefined || matches(entry.item))) items.push(entry.item)
      if (items.length < limit) continue
      const isLast = !part.more && index === found.length - 1
      return isLast ? { items } : withCursor(items, part.places[index]?.cursor)
    }
    if (!part.more) return { items }
    place = part.places.at(-1)?.cursor
    looked += found.length
  }
  return withCursor(items, place)
}

function withCursor<Item>(items: readonly Item[], cursor: string | undefined): LedgerPage<Item> {
  return { items, ...(cursor !== undefined && { cursor }) }
}

/** Writes a value as the JSON that a store keeps: what JSON cannot hold stays behind. */
export function toStoredJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}

// Items are made of JSON; what is undefined in one is left out by every store.
function toJson<Item>(item: Item): Json {
  return item as unknown as Json
}

function toEntry<Item>({ value, revision, ttl }: Entry): LedgerEntry<Item> {
  return { item: value as unknown as Item, revision, ttl }
}
