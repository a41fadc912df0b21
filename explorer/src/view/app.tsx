import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { type Explorer, useExplorer } from '../model/explorer.ts'
import { formatToolRoute } from '../model/route.ts'
import { searchTools, toLabel } from '../model/search.ts'
import { findPanel, useProbes } from '../panels/index.ts'
import { Boundary } from './boundary.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { Palette } from './palette.tsx'
import { Sidebar } from './sidebar.tsx'
import { ToolView } from './tool-view.tsx'
import { Topbar } from './topbar.tsx'
import { WatchBanner } from './watch-banner.tsx'

/** The whole page. */
export function App(): JSX.Element {
  const explorer = useExplorer()
  const route = useCell(explorer.route)
  const [menu, setMenu] = useState(false)
  useProbes()
  useEffect(() => listenToKeys(explorer), [explorer])
  useEffect(() => setMenu(false), [route])
  useEffect(() => closeByEscape(menu, () => setMenu(false)), [menu])
  useDocumentTitle()
  const Panel = findPanel(route.view).View
  return (
    <div class={`shell ${menu ? 'is-menu-open' : ''}`}>
      <button type="button" class="skip" onClick={skipToMain}>
        Skip to the content
      </button>
      <Topbar menuOpen={menu} onMenu={() => setMenu(!menu)} />
      <Sidebar
        onPick={() => {
          if (!menu) return
          setMenu(false)
          skipToMain()
        }}
      />
      <main id="main" tabIndex={-1}>
        {explorer.serviceWatched && <WatchBanner />}
        <Boundary key={route.tool ?? route.view} name={route.tool ?? route.view}>
          {route.tool === undefined ? (
            <Panel />
          ) : (
            <ToolView key={route.tool} tool={route.tool} args={route.args} />
          )}
        </Boundary>
      </main>
      <Dialogs />
    </div>
  )
}

/** Tabs and bookmarks are told apart by their title. */
function useDocumentTitle(): void {
  const { route, index, title } = useExplorer()
  const { tool } = useCell(route)
  const entries = useCell(index)
  useEffect(() => {
    const label =
      entries.find((entry) => entry.tool.name === tool)?.label ??
      (tool && toLabel({ name: tool, description: '' }, undefined))
    document.title = label === undefined ? title : `${label} · ${title}`
  }, [tool, entries])
}

function closeByEscape(open: boolean, close: () => void): (() => void) | undefined {
  if (!open) return undefined
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

function Dialogs(): JSX.Element | null {
  const { dialog } = useExplorer()
  const open = useCell(dialog)
  const close = () => dialog.set('none')
  switch (open) {
    case 'palette':
      return <Palette onClose={close} />
    case 'credentials':
      return <CredentialsDialog onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
    case 'none':
      return null
  }
}

/** The hash belongs to the routes, so the jump is made by hand. */
function skipToMain(): void {
  document.getElementById('main')?.focus()
}

function listenToKeys(explorer: Explorer): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      explorer.dialog.set('palette')
      return
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
    if (explorer.dialog.get() !== 'none') return
    if (event.key === '/') {
      event.preventDefault()
      document.querySelector<HTMLInputElement>('#search')?.select()
    } else if (event.key === '?') explorer.dialog.set('help')
    else if (event.key === 'j') step(explorer, 1)
    else if (event.key === 'k') step(explorer, -1)
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

/** Opens the next or previous tool of what the list shows. */
function step(explorer: Explorer, by: number): void {
  const found = searchTools(explorer.index.get(), explorer.query.get(), explorer.filter.get())
  const current = found.findIndex(({ tool }) => tool.name === explorer.route.get().tool)
  const next = found[current === -1 ? 0 : current + by]
  if (next) explorer.go(formatToolRoute(next.tool.name))
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(?:input|textarea|select)$/i.test(target.tagName)
}
