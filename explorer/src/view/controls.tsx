import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** A button that shows an icon and says what it does. */
export function IconButton({
  icon,
  label,
  onClick,
  disabled = false,
  expanded,
}: {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => void
  readonly disabled?: boolean
  /** Whether what it opens is open. */
  readonly expanded?: boolean
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      aria-expanded={expanded}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

const COPIED_MS = 1500

/** Copies text and tells whether it could; away from https and localhost browsers have only the old way. */
async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- a page that came over plain http has no other clipboard
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

/** Copies text, and says so for a moment. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: () => string
  readonly label?: string
}): JSX.Element {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => writeClipboard(text()).then(setCopied)
  return (
    <button type="button" class="quiet-button" onClick={() => void copy()}>
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{copied ? 'Copied!' : label}</span>
    </button>
  )
}

/** Saves something as a file. */
export function SaveButton({
  onSave,
  name,
}: {
  readonly onSave: () => void
  /** Of the file, where there are several. */
  readonly name?: string
}): JSX.Element {
  return (
    <button type="button" class="quiet-button" onClick={onSave}>
      <Icon name="download" size={14} />
      Download{name !== undefined && ` ${name}`}
    </button>
  )
}

/** One choice of a tab bar. */
export interface Tab {
  readonly id: string
  readonly label: string
}

/** A row of tabs; arrow keys move between them. */
export function Tabs({
  tabs,
  current,
  onChange,
  label,
}: {
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly onChange: (id: string) => void
  readonly label: string
}): JSX.Element {
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const at = tabs.findIndex(({ id }) => id === current)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onChange(next.id)
    const bar = event.currentTarget as HTMLElement
    requestAnimationFrame(() => bar.querySelector<HTMLElement>('[aria-selected="true"]')?.focus())
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map(({ id, label: text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChange(id)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

/** What the chosen tab shows. */
export function TabPanel({
  tabs,
  current,
  children,
  class: name,
}: {
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly children: ComponentChildren
  readonly class?: string
}): JSX.Element {
  const label = tabs.find(({ id }) => id === current)?.label
  return (
    <div role="tabpanel" aria-label={label} class={name}>
      {children}
    </div>
  )
}

/** A framed part of the page with a heading of its own. */
export function Card({
  title,
  actions,
  children,
  id,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  readonly id?: string
}): JSX.Element {
  return (
    <section class="card" aria-label={title} id={id}>
      <header class="card-head">
        <h3>{title}</h3>
        {actions && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}

/** Says that something went wrong, and offers to try again. */
export function Trouble({
  reason,
  onRetry,
}: {
  readonly reason: string
  readonly onRetry?: () => void
}): JSX.Element {
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <p>{reason}</p>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
