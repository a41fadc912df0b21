/** Compiles a pattern in which `%` stands for any run of characters; case counts and nothing else is special. */
export function compileLike(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('%')
  if (pieces.length === 1) return (text) => text === pattern
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '')
  return (text) => {
    if (text.length < first.length + last.length) return false
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let from = first.length
    // The earliest place for each piece leaves the most room for the rest, so no place is ever tried twice.
    for (const piece of middle) {
      const at = text.indexOf(piece, from)
      if (at === -1 || at + piece.length > end) return false
      from = at + piece.length
    }
    return true
  }
}
