import type { JSX } from 'preact'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { usePanels } from '../panels/index.ts'
import { IconButton } from './controls.tsx'
import { Icon, Mark } from './icon.tsx'

/** Title, panels, and what concerns the whole page. */
export function Topbar({
  menuOpen,
  onMenu,
}: {
  readonly menuOpen: boolean
  readonly onMenu: () => void
}): JSX.Element {
  const explorer = useExplorer()
  return (
    <header class="topbar">
      <span class="menu-button">
        <IconButton icon="menu" label="List of tools" expanded={menuOpen} onClick={onMenu} />
      </span>
      <a class="brand" href="#/">
        <Mark />
        <h1 class="brand-title">{explorer.title}</h1>
      </a>
      <PanelNav />
      <span class="topbar-space" />
      <button type="button" class="palette-button" onClick={() => explorer.dialog.set('palette')}>
        <Icon name="search" size={14} />
        <span>Jump to…</span>
        <kbd>{shortcutKey()} K</kbd>
      </button>
      <TokenButton />
      <ThemeButton />
      <IconButton
        icon="keyboard"
        label="Keyboard shortcuts"
        onClick={() => explorer.dialog.set('help')}
      />
    </header>
  )
}

/** The key that goes with letters for commands on this machine. */
export function shortcutKey(): string {
  return /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl'
}

function PanelNav(): JSX.Element {
  const { route } = useExplorer()
  const panels = usePanels()
  const { view } = useCell(route)
  return (
    <nav class="panel-nav" aria-label="Panels">
      {panels.map(({ id, title, icon, Status }) => (
        <a key={id} href={`#/${id}`} aria-current={view === id ? 'page' : undefined}>
          {Status ? <Status /> : <Icon name={icon} size={14} />}
          {title}
        </a>
      ))}
    </nav>
  )
}

function TokenButton(): JSX.Element {
  const { credentials, dialog } = useExplorer()
  const set = useCell(credentials.token).trim() !== ''
  return (
    <button
      type="button"
      class={`token-button ${set ? 'is-set' : ''}`}
      onClick={() => dialog.set('credentials')}
    >
      <Icon name="key" />
      <span class="unseen">Authorization: </span>
      <span>{set ? 'Token set' : 'No token'}</span>
    </button>
  )
}

function ThemeButton(): JSX.Element {
  const { theme } = useExplorer()
  const dark = useCell(theme.current) === 'dark'
  return (
    <IconButton
      icon={dark ? 'sun' : 'moon'}
      label={dark ? 'Use the light theme' : 'Use the dark theme'}
      onClick={theme.toggle}
    />
  )
}
