import type { JSX } from 'preact'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { formatToolRoute } from '../model/route.ts'
import type { IndexedTool } from '../model/search.ts'
import { toLine } from '../model/text.ts'
import { HistoryView } from '../view/history-view.tsx'
import { Prose } from '../view/prose.tsx'
import type { Panel } from './panel.ts'

const MAX_GROUPS = 24

/** The service at a glance. */
export const overviewPanel: Panel = {
  id: 'overview',
  title: 'Overview',
  icon: 'home',
  probe: () => Promise.resolve(true),
  View: OverviewView,
}

function OverviewView(): JSX.Element {
  const explorer = useExplorer()
  const index = useCell(explorer.index)
  const tools = useCell(explorer.tools)
  const isEmpty = tools.state === 'ready' && tools.value.length === 0
  const service = useCell(explorer.service)
  const executeEnabled = useCell(explorer.executeEnabled)
  return (
    <div class="panel overview">
      <header class="panel-head">
        <h2>{service?.title || explorer.title}</h2>
        {service?.version && <span class="version">v{service.version}</span>}
      </header>
      {service?.description && <Prose text={service.description} />}
      {index.length > 0 && <Counts index={index} />}
      {isEmpty && <p class="hint">This server has no tools yet.</p>}
      {!executeEnabled && (
        <p class="hint">
          Tools can be read and validated here. To run them, start the server with{' '}
          <code>--allow-execute</code>.
        </p>
      )}
      <Groups index={index} />
      <HistoryView />
      <p class="hint">
        Press <kbd>/</kbd> to search and <kbd>?</kbd> for all keys.
      </p>
    </div>
  )
}

function Counts({ index }: { readonly index: readonly IndexedTool[] }): JSX.Element {
  const count = (test: (entry: IndexedTool) => boolean) =>
    index.filter(test).length.toLocaleString('en')
  const facts: readonly (readonly [string, string])[] = [
    [count(() => true), index.length === 1 ? 'tool' : 'tools'],
    [count(({ tool }) => tool.annotations?.readOnlyHint === true), 'only read'],
    [count(({ tool }) => tool.annotations?.destructiveHint === true), 'marked destructive'],
  ]
  return (
    <dl class="counts">
      {facts.map(([number, meaning]) => (
        <div key={meaning}>
          <dt>{meaning}</dt>
          <dd>{number}</dd>
        </div>
      ))}
    </dl>
  )
}

function Groups({ index }: { readonly index: readonly IndexedTool[] }): JSX.Element | null {
  const groups = new Map<string, IndexedTool[]>()
  for (const entry of index)
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry].slice(0, 6))
  if (groups.size < 2) return null
  return (
    <div class="group-grid">
      {[...groups].slice(0, MAX_GROUPS).map(([group, entries]) => (
        <section key={group} class="group-card" aria-label={group || 'General'}>
          <h3>{group || 'General'}</h3>
          <ul>
            {entries.map(({ tool, label }) => (
              <li key={tool.name}>
                <a href={formatToolRoute(tool.name)}>
                  {label.slice(group.length).replace(/^(?:__|[./:])/, '')}
                </a>
                <span dir="auto">{toLine(tool.description)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
