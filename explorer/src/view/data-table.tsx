import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

const CHUNK = 100
const MAX_COLUMNS = 30
const MAX_CELL = 200

/** Shows a list of objects as rows and columns. */
export function DataTable({
  rows,
}: {
  readonly rows: readonly Record<string, unknown>[]
}): JSX.Element {
  const [shown, setShown] = useState(CHUNK)
  const names = [...new Set(rows.slice(0, 50).flatMap(Object.keys))]
  const columns = names.slice(0, MAX_COLUMNS)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class="table-scroll" tabIndex={0} aria-label="Result as a table">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                class={rows.every((row) => typeof row[column] === 'number') ? 'numeric' : undefined}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shown).map((row) => (
            <tr>
              {columns.map((column) => (
                <td key={column} class={typeof row[column] === 'number' ? 'numeric' : undefined}>
                  {toCell(Object.hasOwn(row, column) ? row[column] : undefined)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {names.length > columns.length && (
        <p class="notice">{names.length - columns.length} more columns are in the result</p>
      )}
      {rows.length > shown && (
        <button type="button" class="quiet-button" onClick={() => setShown(shown + CHUNK * 5)}>
          Show more ({rows.length - shown} left)
        </button>
      )}
    </section>
  )
}

function toCell(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text
}
