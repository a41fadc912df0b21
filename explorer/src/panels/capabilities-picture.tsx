import type { JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PictureCapability } from '../model/capability-picture.ts'
import { type Layout, layOut, type PlacedEdge } from '../model/graph-layout.ts'
import { type Item, listItems } from './capabilities-item.ts'
import { StateSign, StateTag, wordOf } from './capabilities-state.tsx'

/** Draws capabilities, what extends them and their operations; the reason shows on hover and focus. */
export function CapabilityPicture({
  capabilities,
}: {
  readonly capabilities: readonly PictureCapability[]
}): JSX.Element {
  const layout = useMemo(() => layOut(capabilities), [capabilities])
  const items = useMemo(() => listItems(layout), [layout])
  const [shown, setShown] = useState<string | undefined>(undefined)
  const [entry, setEntry] = useState<string | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const current = items.find(({ id }) => id === shown)
  const stop = items.some(({ id }) => id === entry) ? entry : items[0]?.id

  const show = (event: Event) => {
    const target = event.target as Element
    // Over the card nothing changes: it can be read, and its text selected.
    if (target.closest('.cap-card') !== null) return
    setShown(target.closest('[data-item]')?.getAttribute('data-item') ?? undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setShown(undefined)
    const next = step(items, stop, event.key)
    if (next === undefined) return
    event.preventDefault()
    setEntry(next.id)
    const drawn = frame.current?.querySelectorAll<SVGElement>('[data-item]')
    drawn?.[items.indexOf(next)]?.focus()
  }
  return (
    <>
      <p class="hint cap-hint">
        {layout.space && (
          <>
            All names begin with <code>{layout.space}</code>.{' '}
          </>
        )}
        Point at a box for the reason; with the keyboard, Tab into the picture and use the arrow
        keys.
      </p>
      <div class="cap-scroll" onPointerLeave={() => setShown(undefined)}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: listens for the boxes inside */}
        <div
          ref={frame}
          class="cap-frame"
          style={{ width: `${layout.width}px` }}
          onPointerOver={show}
          onFocusIn={show}
          onFocusOut={() => setShown(undefined)}
          onKeyDown={onKeyDown}
        >
          <Drawing layout={layout} items={items} shown={shown} stop={stop} />
          {current && <DetailCard item={current} />}
        </div>
      </div>
      <Left left={layout.left} />
    </>
  )
}

function Drawing({
  layout,
  items,
  shown,
  stop,
}: {
  readonly layout: Layout
  readonly items: readonly Item[]
  readonly shown: string | undefined
  readonly stop: string | undefined
}): JSX.Element {
  const { width, height, headings, edges } = layout
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no fieldset inside a drawing
    <svg
      class="cap-drawing"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label="Capabilities, extensions and operations"
    >
      {headings.map(({ x, text }) => (
        <text key={text} class="cap-heading" x={x} y={16}>
          {text}
        </text>
      ))}
      {edges.map((edge) => (
        <Edge key={`${edge.from}\n${edge.to}`} edge={edge} shown={shown} />
      ))}
      {items.map((item) => (
        <ItemBox key={item.id} item={item} near={item.id === shown} stop={item.id === stop} />
      ))}
    </svg>
  )
}

function Edge({
  edge,
  shown,
}: {
  readonly edge: PlacedEdge
  readonly shown: string | undefined
}): JSX.Element {
  const near = edge.from === shown || edge.to === shown
  return (
    <path
      class={`cap-edge ${edge.alive ? 'is-alive' : ''} ${near ? 'is-near' : ''}`}
      d={edge.path}
    />
  )
}

function ItemBox({
  item,
  near,
  stop,
}: {
  readonly item: Item
  readonly near: boolean
  readonly stop: boolean
}): JSX.Element {
  const { box, mood } = item
  const middle = box.height / 2
  const large = item.kind === 'capability'
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it only shows; the focus is for reading
    <g
      class={`cap-item is-${item.kind} is-${mood} ${near ? 'is-near' : ''}`}
      transform={`translate(${box.x} ${box.y})`}
      role="img"
      aria-label={item.spoken}
      tabindex={stop ? 0 : -1}
      data-item={item.id}
    >
      <rect
        y={large ? 0 : 2}
        width={box.width}
        height={large ? box.height : box.height - 4}
        rx={large ? 10 : 7}
      />
      <StateSign mood={mood} x={large ? 24 : 16} y={middle} radius={large ? 12 : 8} />
      {/* A drawing inside the drawing cuts off what is too long. */}
      <svg
        x={large ? 46 : 32}
        width={box.width - (large ? 54 : 40)}
        height={box.height}
        aria-hidden="true"
      >
        {large ? <CapabilityText item={item} /> : <OperationText item={item} />}
      </svg>
    </g>
  )
}

function CapabilityText({ item }: { readonly item: Item }): JSX.Element {
  const { above, label, mood, brief } = item
  const top = above === '' ? 0 : 16
  return (
    <>
      <text class="cap-space" y={18}>
        {cut(above, 27)}
      </text>
      <text class="cap-label" y={top + 20}>
        {cut(label, 20)}
      </text>
      <text class="cap-word" y={top + 38}>
        {wordOf(mood)}
      </text>
      <text class="cap-brief" y={top + 54}>
        {brief}
      </text>
    </>
  )
}

function OperationText({ item }: { readonly item: Item }): JSX.Element {
  return (
    <>
      <text class="cap-operation" y={15.5}>
        {cut(item.label, 31)}
      </text>
      <text class="cap-way" y={28.5}>
        {cut(item.brief, 42)}
      </text>
    </>
  )
}

/** The box has room for about so many letters; the card shows the rest. */
function cut(text: string, letters: number): string {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text
}

const CARD_OVERLAP = 3
const CARD_MARGIN = 8

function DetailCard({ item }: { readonly item: Item }): JSX.Element {
  const card = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const place = () => card.current && placeCard(card.current)
    place()
    addEventListener('scroll', place, true)
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place, true)
      removeEventListener('resize', place)
    }
  }, [item])
  return (
    // The box itself says all of this to screen readers.
    <div ref={card} class="cap-card" aria-hidden="true">
      <p class="cap-card-name">{item.title}</p>
      <p class="cap-card-reason">
        <StateTag mood={item.mood} /> {item.reason}
      </p>
      <dl>
        {item.facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Below its box, or above where there is no room; touching it, so that the pointer can go over. */
function placeCard(card: HTMLElement): void {
  const box = card.parentElement?.querySelector('.cap-item.is-near > rect')?.getBoundingClientRect()
  if (box === undefined) return
  const { width, height } = card.getBoundingClientRect()
  const below = box.bottom - CARD_OVERLAP
  const fits = below + height + CARD_MARGIN <= innerHeight
  const top = fits ? below : Math.max(CARD_MARGIN, box.top + CARD_OVERLAP - height)
  const left = Math.max(CARD_MARGIN, Math.min(box.left + 12, innerWidth - width - CARD_MARGIN))
  card.style.top = `${top}px`
  card.style.left = `${left}px`
}

function Left({ left }: { readonly left: Layout['left'] }): JSX.Element | null {
  const parts = [
    left.capabilities > 0 && `${left.capabilities} capabilities`,
    left.operations > 0 && `${left.operations} operations`,
  ].filter(Boolean)
  if (parts.length === 0) return null
  return <p class="hint cap-hint">Not drawn: {parts.join(' and ')}. The table has them all.</p>
}

/** Up and down go through everything; left and right along the lines. */
function step(items: readonly Item[], from: string | undefined, key: string): Item | undefined {
  const at = items.findIndex(({ id }) => id === from)
  const item = items[at]
  const byId = (wanted: string | undefined) => items.find(({ id }) => id === wanted)
  switch (key) {
    case 'ArrowDown':
      return items[at + 1]
    case 'ArrowUp':
      return items[at - 1]
    case 'ArrowRight':
      return byId(item?.right)
    case 'ArrowLeft':
      return byId(item?.left)
    case 'Home':
      return items[0]
    case 'End':
      return items.at(-1)
    default:
      return undefined
  }
}
