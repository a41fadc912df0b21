import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { type Explorer, useExplorer } from '../model/explorer.ts'
import { formatToolRoute } from '../model/route.ts'
import { searchTools } from '../model/search.ts'
import { usePanels } from '../panels/index.ts'
import { DialogWindow } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'

const MAX_ITEMS = 30

interface Item {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly icon: IconName
  readonly act: () => void
}

/** Jumps anywhere and does anything, from the keyboard. */
export function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const explorer = useExplorer()
  const index = useCell(explorer.index)
  const panels = usePanels()
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const items = useMemo(() => {
    const goTo = panels.map(({ id, title, icon }) => ({
      id: `panel-${id}`,
      label: `Go to ${title}`,
      hint: 'panel',
      icon,
      act: () => explorer.go(`#/${id}`),
    }))
    const commands = [...goTo, ...createCommands(explorer)].filter(({ label }) =>
      label.toLowerCase().includes(query.toLowerCase()),
    )
    const tools = searchTools(index, query)
      .slice(0, MAX_ITEMS)
      .map(({ tool, label }) => ({
        id: `tool-${tool.name}`,
        label,
        hint: tool.description,
        icon: 'play' as const,
        act: () => explorer.go(formatToolRoute(tool.name)),
      }))
    return query === '' ? [...commands, ...tools] : [...tools, ...commands]
  }, [index, query, panels])
  const run = (item: Item | undefined) => {
    onClose()
    item?.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') run(items[chosen])
    if (step === 0) return
    event.preventDefault()
    const next = (chosen + step + items.length) % Math.max(1, items.length)
    setChosen(next)
    document.querySelector(`#palette-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <DialogWindow title="Jump to" onClose={onClose} class="palette" bare>
      <input
        class="palette-input"
        type="text"
        role="combobox"
        aria-label="Find a tool or a command"
        aria-expanded="true"
        aria-controls="palette-items"
        aria-activedescendant={items.length > 0 ? `palette-${chosen}` : undefined}
        placeholder="Find a tool or a command"
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteItems items={items} chosen={chosen} onRun={run} />
    </DialogWindow>
  )
}

function PaletteItems({
  items,
  chosen,
  onRun,
}: {
  readonly items: readonly Item[]
  readonly chosen: number
  readonly onRun: (item: Item) => void
}): JSX.Element {
  if (items.length === 0) return <p class="empty">Nothing matches.</p>
  return (
    <div id="palette-items" class="palette-items" role="listbox" aria-label="Tools and commands">
      {items.map((item, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input has the focus and the keys
        <div
          key={item.id}
          id={`palette-${at}`}
          role="option"
          aria-selected={at === chosen}
          onClick={() => onRun(item)}
        >
          <Icon name={item.icon} size={14} />
          <span class="palette-label">{item.label}</span>
          <span class="palette-hint">{item.hint}</span>
        </div>
      ))}
    </div>
  )
}

function createCommands(explorer: Explorer): readonly Item[] {
  const { theme, dialog, history } = explorer
  return [
    {
      id: 'theme',
      label: 'Switch between light and dark',
      hint: 'command',
      icon: 'moon',
      act: theme.toggle,
    },
    {
      id: 'token',
      label: 'Set the token',
      hint: 'command',
      icon: 'key',
      act: () => dialog.set('credentials'),
    },
    {
      id: 'help',
      label: 'Show keyboard shortcuts',
      hint: 'command',
      icon: 'keyboard',
      act: () => dialog.set('help'),
    },
    {
      id: 'reload',
      label: 'Reload the list of tools',
      hint: 'command',
      icon: 'reset',
      act: () => void explorer.loadTools(),
    },
    {
      id: 'forget',
      label: 'Forget the history of calls',
      hint: 'command',
      icon: 'history',
      act: () => history.clear(),
    },
  ]
}
