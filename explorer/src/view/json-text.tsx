import type { JSX } from 'preact'

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
/** Colouring longer text would cost more than it helps. */
const MAX_COLOURED = 60_000

/** Shows JSON text in colour. */
export function JsonText({ text }: { readonly text: string }): JSX.Element {
  return <>{text.length > MAX_COLOURED ? text : colour(text)}</>
}

function colour(text: string): (JSX.Element | string)[] {
  const parts: (JSX.Element | string)[] = []
  let from = 0
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > from) parts.push(text.slice(from, match.index))
    const [whole, string, colon, number] = match
    if (string !== undefined && colon !== undefined)
      parts.push(<span class="j-key">{string}</span>, colon)
    else
      parts.push(<span class={string ? 'j-string' : number ? 'j-number' : 'j-word'}>{whole}</span>)
    from = match.index + whole.length
  }
  parts.push(text.slice(from))
  return parts
}
