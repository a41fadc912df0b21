import type { JSX } from 'preact'
import { type Block, parseText } from '../model/text.ts'

/** Shows a description; its little Markdown becomes elements, never HTML. */
export function Prose({
  text,
  class: name = 'prose',
}: {
  readonly text: string
  readonly class?: string
}): JSX.Element {
  return <div class={name}>{toElements(parseText(text))}</div>
}

function toElements(blocks: readonly Block[]): JSX.Element[] {
  const elements: JSX.Element[] = []
  let items: Block[] = []
  const flush = () => {
    if (items.length > 0)
      elements.push(
        <ul>
          {items.map((item) => (
            <li>{toRuns(item)}</li>
          ))}
        </ul>,
      )
    items = []
  }
  for (const block of blocks) {
    if (block.kind === 'item') items.push(block)
    else {
      flush()
      elements.push(<p>{toRuns(block)}</p>)
    }
  }
  flush()
  return elements
}

function toRuns({ runs }: Block): (JSX.Element | string)[] {
  return runs.map(({ text, style }) => {
    if (style === 'code') return <code>{text}</code>
    return style === 'strong' ? <strong>{text}</strong> : text
  })
}
