import type { JSX } from 'preact'
import type { Explorer } from '../model/explorer.ts'
import type { IconName } from '../view/icon.tsx'

/** A view of the service beside its tools. A new one needs this, and a line in `index.ts`. */
export interface Panel {
  /** Its place in the address: `#/id`. */
  readonly id: string
  readonly title: string
  readonly icon: IconName
  /** Finds out whether the service has what the panel shows; hidden until it says yes. */
  readonly probe: (explorer: Explorer) => Promise<boolean>
  readonly View: () => JSX.Element
  /** Drawn instead of the icon, to tell the state at a glance. */
  readonly Status?: () => JSX.Element
}
