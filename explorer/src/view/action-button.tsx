import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

/** A button that has the service do something, and says why when that is refused. */
export function ActionButton({
  label,
  act,
  onEnd,
}: {
  readonly label: string
  readonly act: () => Promise<unknown>
  /** Runs when it is over, whatever came of it. */
  readonly onEnd: () => void
}): JSX.Element {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState('')
  const run = async () => {
    setBusy(true)
    setRefusal('')
    try {
      await act()
    } catch (thrown) {
      setRefusal(thrown instanceof Error ? thrown.message : 'It did not work.')
    }
    setBusy(false)
    onEnd()
  }
  return (
    <>
      <button type="button" class="quiet-button" disabled={busy} onClick={() => void run()}>
        {label}
      </button>
      {refusal && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
    </>
  )
}
