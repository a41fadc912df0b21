import type { JSX } from 'preact'
import { DialogWindow } from './dialog.tsx'
import { shortcutKey } from './topbar.tsx'

/** Lists the keys. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const command = shortcutKey()
  const keys: readonly (readonly [string, string])[] = [
    ['/', 'Search'],
    [`${command} K`, 'Jump to a tool or a command'],
    ['↓ ↑', 'Walk through the list'],
    ['Enter', 'Open the first or the focused tool'],
    ['J  K', 'Next tool, previous tool'],
    [`${command} Enter`, 'Execute'],
    [`${command} Shift Enter`, 'Validate'],
    ['Esc', 'Leave the field, close the window'],
    ['?', 'This list'],
  ]
  return (
    <DialogWindow title="Keyboard" onClose={onClose} class="help">
      <dl class="keys">
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </DialogWindow>
  )
}
