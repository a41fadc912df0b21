import { isRecord } from '../../../src/values/json.ts'
import { type Cell, createCell } from './cell.ts'
import { hideSecrets } from './secrets.ts'
import type { Schema } from './types.ts'

/** One call, as it is remembered in this browser. */
export interface HistoryEntry {
  readonly tool: string
  readonly at: number
  readonly body: string
  readonly status: number
  readonly isError: boolean
  readonly elapsed: number
}

/** The calls made from this page. */
export interface History {
  readonly entries: Cell<readonly HistoryEntry[]>
  readonly add: (entry: HistoryEntry, schema: Schema) => void
  readonly clear: (tool?: string) => void
}

/** The members of Storage that are used. */
export interface KeyValue {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, value: string) => void
  readonly removeItem: (key: string) => void
}

const MAX_ENTRIES = 100
const MAX_BODY = 20_000

/** Makes the history of one mount; it lives in this browser only. */
export function createHistory(storage: KeyValue | undefined, base: string): History {
  const key = `waymark-explorer:${base}:history`
  const entries = createCell<readonly HistoryEntry[]>(readEntries(storage, key))
  const write = (next: readonly HistoryEntry[]) => {
    entries.set(next)
    try {
      if (next.length === 0) storage?.removeItem(key)
      else storage?.setItem(key, JSON.stringify(next))
    } catch {
      // A full or forbidden storage costs the memory of calls, not the page.
    }
  }
  return {
    entries,
    add(entry, schema) {
      if (entry.body.length > MAX_BODY) return
      const kept = { ...entry, body: hideSecrets(entry.body, schema) }
      write([kept, ...entries.get()].slice(0, MAX_ENTRIES))
    },
    clear(tool) {
      write(tool === undefined ? [] : entries.get().filter((entry) => entry.tool !== tool))
    },
  }
}

function readEntries(storage: KeyValue | undefined, key: string): readonly HistoryEntry[] {
  try {
    const stored = JSON.parse(storage?.getItem(key) ?? '[]') as unknown
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  return (
    isRecord(value) &&
    typeof value['tool'] === 'string' &&
    typeof value['body'] === 'string' &&
    typeof value['at'] === 'number' &&
    typeof value['elapsed'] === 'number'
  )
}
