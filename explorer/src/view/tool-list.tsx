import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { formatToolRoute } from '../model/route.ts'
import { type IndexedTool, searchTools } from '../model/search.ts'
import { toLine } from '../model/text.ts'
import { Badges, StabilityBadges } from './badges.tsx'
import { Trouble } from './controls.tsx'

const ROW_HEIGHT = 54
const HEAD_HEIGHT = 34
/** Rows drawn above and below what is seen. */
const MARGIN = 6

type Row =
  | { readonly kind: 'group'; readonly name: string; readonly count: number }
  | { readonly kind: 'tool'; readonly entry: IndexedTool; readonly position: number }

/** The tools that match the search; only the rows in sight exist. */
export function ToolList(): JSX.Element {
  const { tools, loadTools } = useExplorer()
  const load = useCell(tools)
  if (load.state === 'loading')
    return (
      <p class="list-note" role="status">
        Loading tools…
      </p>
    )
  if (load.state === 'failed')
    return <Trouble reason={load.reason} onRetry={() => void loadTools()} />
  return <Rows />
}

function Rows(): JSX.Element {
  const explorer = useExplorer()
  const index = useCell(explorer.index)
  const query = useCell(explorer.query)
  const filter = useCell(explorer.filter)
  const route = useCell(explorer.route)
  const found = useMemo(() => searchTools(index, query, filter), [index, query, filter])
  const rows = useMemo(() => toRows(found, query === ''), [found, query])
  const tops = useMemo(() => toTops(rows), [rows])
  const box = useRef<HTMLElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  const current = rows.findIndex((row) => row.kind === 'tool' && row.entry.tool.name === route.tool)
  const focusRow = useFocusRow(box, rows, tops)
  const reset = () => {
    explorer.query.set('')
    explorer.filter.set('all')
    document.querySelector<HTMLElement>('#search')?.focus()
  }

  useLayoutEffect(() => box.current?.scrollTo(0, 0), [query, filter])
  useEffect(() => revealRow(box.current, tops, current), [route.tool, index])
  useEffect(
    () => watchHeight(box.current, (height) => setView((seen) => ({ ...seen, height }))),
    [],
  )

  const first = Math.max(0, findRow(tops, view.top) - MARGIN)
  const last = Math.min(rows.length, findRow(tops, view.top + view.height) + 1 + MARGIN)
  return (
    <nav
      class="tool-list"
      aria-label="Tools"
      ref={box}
      onScroll={(event) =>
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
      }
      onKeyDown={focusRow}
    >
      <p class="list-count" role="status">
        {found.length.toLocaleString('en')} {found.length === 1 ? 'tool' : 'tools'}
        {query !== '' && ` for “${query}”`}
      </p>
      {found.length === 0 && index.length > 0 && (
        <button type="button" class="quiet-button list-reset" onClick={reset}>
          Show all tools
        </button>
      )}
      <div class="list-space" style={{ height: `${tops.at(-1) ?? 0}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <RowView
            key={row.kind === 'group' ? `g ${row.name}` : `t ${row.position}`}
            row={row}
            top={tops[first + at] ?? 0}
            place={first + at}
            isCurrent={first + at === current}
          />
        ))}
      </div>
    </nav>
  )
}

function RowView({
  row,
  top,
  place,
  isCurrent,
}: {
  readonly row: Row
  readonly top: number
  readonly place: number
  readonly isCurrent: boolean
}): JSX.Element {
  const { service } = useExplorer()
  const style = { transform: `translateY(${top}px)` }
  if (row.kind === 'group') {
    return (
      <h2 class="list-group" style={style}>
        {row.name || 'General'} <span>{row.count}</span>
      </h2>
    )
  }
  const { tool, label, group } = row.entry
  const facts = service.get()?.functions.get(label)?.at(-1)
  return (
    <a
      class="tool-row"
      href={formatToolRoute(tool.name)}
      style={style}
      data-place={place}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span class="row-line">
        <span class="row-name" title={label}>
          <span class="row-group">{label.slice(0, group.length)}</span>
          {label.slice(group.length)}
        </span>
        <StabilityBadges facts={facts} />
        <Badges annotations={tool.annotations} />
      </span>
      <span class="row-text" dir="auto">
        {toLine(tool.description)}
      </span>
    </a>
  )
}

function toRows(found: readonly IndexedTool[], grouped: boolean): readonly Row[] {
  const counts = new Map<string, number>()
  for (const { group } of found) counts.set(group, (counts.get(group) ?? 0) + 1)
  const rows: Row[] = []
  let open: string | undefined
  for (const [position, entry] of found.entries()) {
    if (grouped && counts.size > 1 && entry.group !== open) {
      open = entry.group
      rows.push({ kind: 'group', name: open, count: counts.get(open) ?? 0 })
    }
    rows.push({ kind: 'tool', entry, position })
  }
  return rows
}

/** Gives where each row begins, and at the end the height of all. */
function toTops(rows: readonly Row[]): readonly number[] {
  const tops = [0]
  for (const row of rows)
    tops.push((tops.at(-1) ?? 0) + (row.kind === 'group' ? HEAD_HEIGHT : ROW_HEIGHT))
  return tops
}

/** Finds the row at a height by halving. */
function findRow(tops: readonly number[], height: number): number {
  let low = 0
  let high = tops.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((tops[middle] ?? 0) <= height) low = middle
    else high = middle - 1
  }
  return low
}

/** Arrow keys walk through the rows, drawn or not. */
function useFocusRow(
  box: { readonly current: HTMLElement | null },
  rows: readonly Row[],
  tops: readonly number[],
): (event: KeyboardEvent) => void {
  return (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const from = Number((event.target as HTMLElement).dataset['place'] ?? Number.NaN)
    if (step === 0 || Number.isNaN(from)) return
    event.preventDefault()
    let to = from + step
    if (rows[to]?.kind === 'group') to += step
    if (to < 0) document.querySelector<HTMLElement>('#search')?.focus()
    if (rows[to] === undefined) return
    revealRow(box.current, tops, to)
    const focus = () => box.current?.querySelector<HTMLElement>(`[data-place="${to}"]`)?.focus()
    focus()
    // A row that was out of sight is drawn with the next frame.
    requestAnimationFrame(focus)
  }
}

function revealRow(box: HTMLElement | null, tops: readonly number[], row: number): void {
  const top = tops[row]
  if (box === null || top === undefined || row < 0) return
  const above = 60
  if (top < box.scrollTop) box.scrollTo(0, top - above)
  else if (top + ROW_HEIGHT + above > box.scrollTop + box.clientHeight) {
    box.scrollTo(0, top + ROW_HEIGHT + above - box.clientHeight)
  }
}

function watchHeight(
  box: HTMLElement | null,
  onHeight: (height: number) => void,
): (() => void) | undefined {
  if (box === null) return undefined
  const observer = new ResizeObserver(() => onHeight(box.clientHeight))
  observer.observe(box)
  return () => observer.disconnect()
}
