import type { JSX } from 'preact'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import type { HistoryEntry } from '../model/history.ts'
import { formatToolRoute } from '../model/route.ts'
import { Card } from './controls.tsx'
import { formatElapsed } from './result-view.tsx'

const SHOWN = 12

/** The calls made from this browser, of one tool or of all. */
export function HistoryView({
  tool,
  onPick,
}: {
  readonly tool?: string
  readonly onPick?: (entry: HistoryEntry) => void
}): JSX.Element | null {
  const { history } = useExplorer()
  const all = useCell(history.entries)
  const entries = tool === undefined ? all : all.filter((entry) => entry.tool === tool)
  if (entries.length === 0) return null
  return (
    <Card
      title="History"
      actions={
        <button type="button" class="quiet-button" onClick={() => history.clear(tool)}>
          Forget
        </button>
      }
    >
      <ul class="history">
        {entries.slice(0, SHOWN).map((entry) => (
          <li key={entry.at}>
            <HistoryRow entry={entry} showTool={tool === undefined} onPick={onPick} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function HistoryRow({
  entry,
  showTool,
  onPick,
}: {
  readonly entry: HistoryEntry
  readonly showTool: boolean
  readonly onPick: ((entry: HistoryEntry) => void) | undefined
}): JSX.Element {
  const content = (
    <>
      <span class={`dot ${entry.isError ? 'is-error' : 'is-good'}`} aria-hidden="true" />
      <span class="unseen">{entry.isError ? 'failed' : 'succeeded'}</span>
      <time dateTime={new Date(entry.at).toISOString()}>{formatTime(entry.at)}</time>
      {showTool && <strong>{entry.tool}</strong>}
      <code>{entry.body}</code>
      <span class="history-elapsed">{formatElapsed(entry.elapsed)}</span>
    </>
  )
  if (onPick === undefined) {
    return (
      <a class="history-row" href={formatToolRoute(entry.tool, entry.body)}>
        {content}
      </a>
    )
  }
  return (
    <button
      type="button"
      class="history-row"
      title="Use these arguments again"
      onClick={() => onPick(entry)}
    >
      {content}
    </button>
  )
}

function formatTime(at: number): string {
  const date = new Date(at)
  const today = date.toDateString() === new Date().toDateString()
  return today ? date.toLocaleTimeString() : date.toLocaleDateString()
}
