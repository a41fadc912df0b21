import type { JSX, TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import type { Session } from '../model/session.ts'
import { JsonText } from './json-text.tsx'

/** Edits the arguments as JSON text, coloured as it is typed. */
export function JsonEditor({
  session,
  onRun,
}: {
  readonly session: Session
  readonly onRun: () => void
}): JSX.Element {
  const text = useCell(session.text)
  const problem = useCell(session.problem)
  const mirror = useRef<HTMLPreElement>(null)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      onRun()
    }
  }
  return (
    <>
      <div class="editor">
        <pre ref={mirror} class="editor-mirror" aria-hidden="true">
          <JsonText text={text} />
          {'\n'}
        </pre>
        <textarea
          class="editor-text"
          aria-label="Arguments as JSON"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'editor-problem'}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          rows={Math.max(3, text.split('\n').length)}
          value={text}
          onInput={(event) => session.edit(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onScroll={(event) =>
            mirror.current?.scrollTo(event.currentTarget.scrollLeft, event.currentTarget.scrollTop)
          }
        />
      </div>
      {problem && (
        <p class="field-error editor-problem" id="editor-problem" role="alert">
          {problem}
        </p>
      )}
    </>
  )
}
