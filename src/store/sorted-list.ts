/** Items in order, with insertion and removal at a cost that hardly grows with their number. */
export interface SortedList<Item> {
  add(item: Item): void
  remove(item: Item): void
  first(): Item | undefined
  /** Walks in order from the first item that is not before the given one; the list must not change meanwhile. */
  from(item: Item): Generator<Item>
}

const CHUNK = 512

/** Creates an empty list; `compare` must tell any two different items apart. */
export function createSortedList<Item>(
  compare: (left: Item, right: Item) => number,
): SortedList<Item> {
  const chunks: Item[][] = []

  function locate(item: Item): Place<Item> {
    const at = findChunk(item)
    const chunk = chunks[at]
    return { at, chunk, index: chunk ? findIndex(chunk, item) : 0 }
  }

  // Written out twice: a search that calls a condition per step takes twice as long, and every write searches.
  function findChunk(item: Item): number {
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const chunk = chunks[middle] as Item[]
      if (compare(chunk[chunk.length - 1] as Item, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  function findIndex(chunk: readonly Item[], item: Item): number {
    let low = 0
    let high = chunk.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(chunk[middle] as Item, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(item) {
      const { at, chunk, index } = locate(item)
      // Beyond the last item: fill the last chunk up, so that ascending insertions leave no half chunks.
      const target = chunk ?? chunks.at(-1)
      if (!target) {
        chunks.push([item])
        return
      }
      target.splice(chunk ? index : target.length, 0, item)
      if (target.length > CHUNK) {
        const cut = chunk ? CHUNK / 2 : CHUNK
        chunks.splice((chunk ? at : chunks.length - 1) + 1, 0, target.splice(cut))
      }
    },
    remove(item) {
      const { at, chunk, index } = locate(item)
      const found = chunk?.[index]
      if (!chunk || found === undefined || compare(found, item) !== 0) return
      chunk.splice(index, 1)
      if (chunk.length === 0) chunks.splice(at, 1)
    },
    first: () => chunks[0]?.[0],
    *from(item) {
      const { at, index } = locate(item)
      for (let next = at, start = index; next < chunks.length; next++, start = 0) {
        const chunk = chunks[next] ?? []
        for (let position = start; position < chunk.length; position++) {
          yield chunk[position] as Item
        }
      }
    },
  }
}

interface Place<Item> {
  readonly at: number
  readonly chunk: Item[] | undefined
  readonly index: number
}
