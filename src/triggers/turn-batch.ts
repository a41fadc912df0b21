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
