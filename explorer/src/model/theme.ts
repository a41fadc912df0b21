import { type Cell, createCell } from './cell.ts'
import type { KeyValue } from './history.ts'

/** Light or dark, by choice or as the system has it. */
export interface Theme {
  readonly current: Cell<'light' | 'dark'>
  readonly toggle: () => void
}

/** Also read by the script in the page's head, which sets the theme before anything is drawn. */
const KEY = 'waymark-explorer:theme'

/** Makes the theme of a page. */
export function createTheme(page: Window, storage: KeyValue | undefined): Theme {
  const root = page.document.documentElement
  const current = createCell<'light' | 'dark'>(root.dataset['theme'] === 'dark' ? 'dark' : 'light')
  return {
    current,
    toggle() {
      const next = current.get() === 'dark' ? 'light' : 'dark'
      root.dataset['theme'] = next
      current.set(next)
      try {
        storage?.setItem(KEY, next)
      } catch {
        // The choice then lasts as long as the page.
      }
    },
  }
}
