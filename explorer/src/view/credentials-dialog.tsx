import type { JSX } from 'preact'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { IconButton } from './controls.tsx'
import { DialogWindow } from './dialog.tsx'
import { Icon } from './icon.tsx'

/** Takes the token and other headers that go with every request. */
export function CredentialsDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { credentials } = useExplorer()
  const token = useCell(credentials.token)
  const keep = useCell(credentials.keep)
  return (
    <DialogWindow title="Authorization" onClose={onClose} class="credentials">
      <div class="field">
        <div class="field-head">
          <label class="field-name" for="token">
            Token
          </label>
          <span class={`badge ${token.trim() ? 'good' : 'bad'}`}>
            {token.trim() ? 'Token set' : 'No token'}
          </span>
        </div>
        <input
          id="token"
          class="mono"
          type="text"
          placeholder="Bearer eyJhbGci..."
          autofocus
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => credentials.token.set(event.currentTarget.value)}
        />
        <p class="field-help">
          Sent as a Bearer token with every request. It stays in the memory of this page and is gone
          when you close or reload it.
        </p>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={keep}
          onChange={(event) => credentials.keep.set(event.currentTarget.checked)}
        />
        <span>Keep it until this tab is closed (session storage)</span>
      </label>
      <ExtraHeaders />
    </DialogWindow>
  )
}

function ExtraHeaders(): JSX.Element {
  const { credentials } = useExplorer()
  const extra = useCell(credentials.extra)
  const change = (at: number, member: 'name' | 'value', text: string) =>
    credentials.extra.set(
      extra.map((header, place) => (place === at ? { ...header, [member]: text } : header)),
    )
  return (
    <fieldset class="field">
      <legend class="field-name">Other headers</legend>
      {extra.map(({ name, value }, at) => (
        <div class="header-row" key={at}>
          <input
            type="text"
            aria-label={`Name of header ${at + 1}`}
            placeholder="X-Tenant"
            value={name}
            onInput={(event) => change(at, 'name', event.currentTarget.value)}
          />
          <input
            type="text"
            aria-label={`Value of header ${at + 1}`}
            value={value}
            onInput={(event) => change(at, 'value', event.currentTarget.value)}
          />
          <IconButton
            icon="close"
            label={`Remove header ${at + 1}`}
            onClick={() => credentials.extra.set(extra.filter((_header, place) => place !== at))}
          />
        </div>
      ))}
      <button
        type="button"
        class="quiet-button add"
        onClick={() => credentials.extra.set([...extra, { name: '', value: '' }])}
      >
        <Icon name="plus" size={14} />
        Add header
      </button>
    </fieldset>
  )
}
