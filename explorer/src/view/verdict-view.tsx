import type { JSX } from 'preact'
import { parsePointer } from '../../../src/values/json.ts'
import { toFieldId } from '../form/field-context.ts'
import { useCell } from '../model/cell.ts'
import type { Session } from '../model/session.ts'

/** Says whether the arguments are valid, and if not, where and why. */
export function VerdictView({ session }: { readonly session: Session }): JSX.Element {
  const verdict = useCell(session.verdict)
  return (
    <div class="verdict" aria-live="polite">
      {verdict?.state === 'valid' && <p class="is-good">Input is valid.</p>}
      {verdict?.state === 'failed' && <p class="is-error">{verdict.reason}</p>}
      {verdict?.state === 'invalid' && (
        <div class="is-error">
          <ul>
            {verdict.errors.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <button type="button" onClick={() => focusField(path)}>
                  <code>{path || '(root)'}</code>: {message}
                </button>
              </li>
            ))}
          </ul>
          <details>
            <summary>Answer of the server</summary>
            <pre class="code">{JSON.stringify(verdict.body, null, 2)}</pre>
          </details>
        </div>
      )}
    </div>
  )
}

/** Goes to the field a failure is about, or to the nearest one around it. */
function focusField(pointer: string): void {
  const segments = [...(parsePointer(pointer) ?? [])]
  while (segments.length > 0) {
    const element = document.getElementById(toFieldId(segments))
    if (element) {
      element.focus()
      return
    }
    segments.pop()
  }
}
