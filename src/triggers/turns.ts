/** Creates what runs items at once, but no more than some in one turn of the event loop; the rest follows in order. */
export function createTurns<Item>(
  perTurn: number,
  run: (item: Item) => void,
): (item: Item) => void {
  const waiting: Item[] = []
  let room = perTurn

  function turn(): void {
    room = perTurn
    const items = waiting.splice(0, perTurn)
    if (items.length > 0) setImmediate(turn)
    room -= items.length
    for (const item of items) run(item)
  }

  return (item) => {
    if (room === perTurn) setImmediate(turn)
    if (room === 0) {
      waiting.push(item)
      return
    }
    room -= 1
    run(item)
  }
}
