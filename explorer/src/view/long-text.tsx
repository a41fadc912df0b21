import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { JsonText } from './json-text.tsx'

/** Characters drawn before somebody asks for more: a browser lays out megabytes for half a minute. */
const CHUNK = 100_000

/** Shows text of any length, a part at a time. */
export function LongText({
  text,
  class: name,
  coloured = false,
}: {
  readonly text: string
  readonly class: string
  readonly coloured?: boolean
}): JSX.Element {
  const [shown, setShown] = useState(CHUNK)
  const part = text.length > shown ? text.slice(0, shown) : text
  return (
    <>
      <pre class={name} dir="auto">
        {coloured ? <JsonText text={part} /> : part}
      </pre>
      {text.length > shown && (
        <button type="button" class="quiet-button" onClick={() => setShown(shown * 2)}>
          Show more ({(text.length - shown).toLocaleString('en')} characters left)
        </button>
      )}
    </>
  )
}
