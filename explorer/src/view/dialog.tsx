import type { ComponentChildren, JSX, TargetedMouseEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { IconButton } from './controls.tsx'

/** A window over the page; the browser keeps the focus inside and closes it on Escape. */
export function DialogWindow({
  title,
  onClose,
  children,
  class: name = '',
  bare = false,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly class?: string
  /** Without the line that holds the title. */
  readonly bare?: boolean
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  const onClick = (event: TargetedMouseEvent<HTMLDialogElement>) => {
    if (event.target === dialog.current) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click outside has its key, Escape
    <dialog
      ref={dialog}
      class={`dialog ${name}`}
      aria-label={title}
      onClose={onClose}
      onClick={onClick}
    >
      {!bare && (
        <header class="dialog-head">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
      )}
      {children}
    </dialog>
  )
}
