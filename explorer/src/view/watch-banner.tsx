import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useExplorer } from '../model/explorer.ts'
import { usePolled } from '../model/poll.ts'

/** How the files of the service stand, as the server tells it. */
interface WatchStatus {
  readonly generation: number
  readonly error?: string
}

/** Shows what keeps the service from being loaded, and reads the list again when another version of it answers. */
export function WatchBanner(): JSX.Element | null {
  const { api, reload } = useExplorer()
  const read = async () => {
    const response = await fetch(`${api.base}/watch`)
    return (await response.json()) as WatchStatus
  }
  const { value } = usePolled<WatchStatus>({ generation: 0 }, read, [])
  const seen = useRef(0)
  useEffect(() => {
    if (seen.current !== 0 && seen.current !== value.generation) void reload()
    seen.current = value.generation
  }, [value.generation])
  if (value.error === undefined) return null
  return (
    <section class="watch-banner" role="alert" aria-label="The change cannot be loaded">
      <strong>The change cannot be loaded.</strong>
      <pre class="code">{value.error}</pre>
    </section>
  )
}
