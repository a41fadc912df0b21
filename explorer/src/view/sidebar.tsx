import type { JSX, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { formatToolRoute } from '../model/route.ts'
import { type Filter, searchTools } from '../model/search.ts'
import { Icon } from './icon.tsx'
import { ToolList } from './tool-list.tsx'

const FILTERS: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['readOnly', 'Read only'],
  ['changes', 'Writes'],
  ['destructive', 'Destructive'],
]

/** Search, filters and the list. */
export function Sidebar({ onPick }: { readonly onPick: () => void }): JSX.Element {
  const onClick = (event: TargetedMouseEvent<HTMLElement>) => {
    if (event.target instanceof Element && event.target.closest('.tool-row')) onPick()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the rows are links; a key that follows one is a click
    <aside class="sidebar" aria-label="Find a tool" onClick={onClick}>
      <SearchBox />
      <Filters />
      <ToolList />
    </aside>
  )
}

function SearchBox(): JSX.Element {
  const explorer = useExplorer()
  const query = useCell(explorer.query)
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault()
      document.querySelector<HTMLElement>('.tool-row')?.focus()
    } else if (event.key === 'Enter') {
      const [first] = searchTools(explorer.index.get(), explorer.query.get(), explorer.filter.get())
      if (first) explorer.go(formatToolRoute(first.tool.name))
    } else if (event.key === 'Escape') {
      explorer.query.set('')
      event.currentTarget.blur()
    }
  }
  return (
    <div class="search">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        aria-label="Search tools"
        placeholder="Search tools"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => explorer.query.set(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <kbd>/</kbd>
    </div>
  )
}

function Filters(): JSX.Element {
  const { filter } = useExplorer()
  const current = useCell(filter)
  return (
    <fieldset class="filters">
      <legend class="unseen">Show which tools</legend>
      {FILTERS.map(([id, label]) => (
        <button
          key={id}
          type="button"
          class="chip"
          aria-pressed={id === current}
          onClick={() => filter.set(id)}
        >
          {label}
        </button>
      ))}
    </fieldset>
  )
}
