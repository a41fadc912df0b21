import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Block, parseText, type Run } from '../model/text.ts'

/** Shows a description; its little Markdown becomes elements, never HTML. */
export function Prose({
  text,
  class: name = 'prose',
}: {
  readonly text: string
  readonly class?: string
}): JSX.Element {
  const [whole, setWhole] = useState(false)
  const isCut = text.length > MAX_SHOWN && !whole
  return (
    <div class={name}>
      {toElements(parseText(isCut ? text.slice(0, MAX_SHOWN) : text))}
      {isCut && (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all of it
        </button>
      )}
    </div>
  )
}

/** Nobody describes a tool in more; laying out more is what a hostile one would ask for. */
const MAX_SHOWN = 20_000

function toElements(blocks: readonly Block[]): JSX.Element[] {
  const elements: JSX.Element[] = []
  let items: JSX.Element[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'item' || block.kind === 'step') {
      items.push(<li dir="auto">{block.runs.map(toRun)}</li>)
      if (blocks[at + 1]?.kind === block.kind) continue
      elements.push(block.kind === 'item' ? <ul>{items}</ul> : <ol>{items}</ol>)
      items = []
    } else elements.push(toElement(block))
  }
  return elements
}

function toElement(block: Block): JSX.Element {
  if (block.kind === 'code') return <pre class="prose-code">{block.text}</pre>
  const runs = block.runs.map(toRun)
  // Whatever reads first decides the direction: a description may be Hebrew on an English page.
  return <p dir="auto">{block.kind === 'heading' ? <strong>{runs}</strong> : runs}</p>
}

function toRun({ text, style, href }: Run): JSX.Element | string {
  if (href !== undefined)
    return (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    )
  if (style === 'code') return <code>{text}</code>
  if (style === 'emphasis') return <em>{text}</em>
  return style === 'strong' ? <strong>{text}</strong> : text
}
