import type { JSX } from 'preact'

/** Chips that narrow a list to one state; the empty state means all. */
export function StateFilter({
  states,
  state,
  onChange,
}: {
  readonly states: readonly string[]
  readonly state: string
  readonly onChange: (state: string) => void
}): JSX.Element {
  return (
    <div class="filters">
      {states.map((id) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-pressed={id === state}
          onClick={() => onChange(id)}
        >
          {id || 'all'}
        </button>
      ))}
    </div>
  )
}
