import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { MAX_PROFILE_LENGTH } from '../model/judgement.ts'
import { Card } from '../view/controls.tsx'

const PLACEHOLDER = `{
  "ucp": {
    "version": "2026-04-08",
    "capabilities": { … }
  }
}`

/** Takes the profile of a platform: pasted, from a file, or the service's own. */
export function PlatformInput({
  text,
  wrong,
  own,
  onChange,
}: {
  readonly text: string
  readonly wrong: boolean
  readonly own: unknown
  readonly onChange: (text: string) => void
}): JSX.Element {
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const write = (next: string) => {
    setProblem(undefined)
    onChange(next)
  }
  const load = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > MAX_PROFILE_LENGTH) {
      setProblem(`${file.name} is larger than 1 MiB; that is no profile.`)
      return
    }
    try {
      write(await file.text())
    } catch {
      setProblem(`${file.name} could not be read.`)
    }
  }
  return (
    <Card
      title="Platform profile"
      actions={text !== '' && <ClearButton onClear={() => write('')} />}
    >
      <textarea
        class="profile-text"
        aria-label="Platform profile as JSON"
        aria-invalid={wrong}
        aria-describedby={wrong ? 'verdict' : undefined}
        placeholder={PLACEHOLDER}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        rows={8}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer?.files ?? []
          if (file === undefined) return
          event.preventDefault()
          void load(file)
        }}
      />
      {problem && (
        <p class="field-error editor-problem" role="alert">
          {problem}
        </p>
      )}
      <div class="actions">
        <FileButton onFile={load} />
        <button
          type="button"
          class="button"
          onClick={() => write(`${JSON.stringify(own, undefined, 2)}\n`)}
        >
          Use this service’s own profile
        </button>
      </div>
    </Card>
  )
}

function ClearButton({ onClear }: { readonly onClear: () => void }): JSX.Element {
  return (
    <button type="button" class="quiet-button" onClick={onClear}>
      Clear
    </button>
  )
}

function FileButton({
  onFile,
}: {
  readonly onFile: (file: File | undefined) => Promise<void>
}): JSX.Element {
  return (
    <label class="button file-button">
      Load a file
      <input
        type="file"
        class="unseen"
        accept=".json,application/json"
        onChange={(event) => {
          const input = event.currentTarget
          void onFile(input.files?.[0])
          // The same file again, changed since, must count as a change.
          input.value = ''
        }}
      />
    </label>
  )
}
