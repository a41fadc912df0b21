import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Icon, type IconName } from './icon.tsx'

/** A button that shows an icon and says what it does. */
export function IconButton({
  icon,
  label,
  onClick,
  disabled = false,
}: {
  readonly icon: IconName
  readonly label: string
  readonly onClick: () => void
  readonly disabled?: boolean
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

const COPIED_MS = 1500

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
  const copy = () =>
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => undefined,
    )
  return (
    <button type="button" class="quiet-button" onClick={() => void copy()}>
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{copied ? 'Copied!' : label}</span>
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
