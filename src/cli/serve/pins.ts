import {
  existsSync,
  readFileSync,
  renameSync,
  unwatchFile,
  watchFile,
  writeFileSync,
} from 'node:fs'
import type { McpPins, McpSourcePins } from '../../sources/mcp/index.ts'
import { isRecord } from '../../values/index.ts'
import { UsageError } from '../command.ts'
import { explainFileError } from '../system-error.ts'

/** What a pin file says: the tools of each MCP server. */
export type PinFile = Readonly<Record<string, McpSourcePins>>

/** Reads a pin file; one that makes no sense is refused, as nothing in it may be trusted. */
export function readPinFile(path: string): PinFile {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(path, 'utf8'))
  } catch (thrown) {
    throw explainFileError(thrown) ?? new UsageError(`${path}: ${(thrown as Error).message}`)
  }
  const sources = isRecord(document) ? document['sources'] : undefined
  if (!isRecord(sources)) throw new UsageError(`${path} is not a pin file: it has no "sources"`)
  const wrong = Object.entries(sources).find(([, pins]) => !isSourcePins(pins))
  if (wrong !== undefined) {
    throw new UsageError(
      `${path}: sources.${wrong[0]} must have "approved" and "pending", objects of hashes`,
    )
  }
  return sources as unknown as PinFile
}

function isSourcePins(value: unknown): boolean {
  return isRecord(value) && isHashes(value['approved']) && isHashes(value['pending'])
}

function isHashes(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((hash) => typeof hash === 'string')
}

/** Writes a pin file as a whole: whoever reads at the same time sees the old one or the new one. */
export function writePinFile(path: string, sources: PinFile): void {
  const draft = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(draft, `${JSON.stringify({ sources }, undefined, 2)}\n`)
    renameSync(draft, path)
  } catch (thrown) {
    throw explainFileError(thrown) ?? thrown
  }
}

const LOOK_MS = 500

/** Opens a pin file for a gateway; approvals take effect while it runs. */
export function openPins(path: string): { readonly pins: McpPins; readonly close: () => void } {
  let sources: PinFile = existsSync(path) ? readPinFile(path) : {}
  let written = ''
  const listeners = new Set<() => void>()
  /** A file that somebody broke or removed approves nothing new. */
  const refresh = () => {
    try {
      sources = readPinFile(path)
    } catch {
      return
    }
    if (JSON.stringify(sources) === written) return
    for (const listener of [...listeners]) listener()
  }
  watchFile(path, { interval: LOOK_MS, persistent: false }, refresh)
  return {
    pins: {
      read: (source) => (Object.hasOwn(sources, source) ? sources[source] : undefined),
      write(source, pins) {
        const current = existsSync(path) ? readPinFile(path) : sources
        sources = { ...current, [source]: pins }
        written = JSON.stringify(sources)
        writePinFile(path, sources)
      },
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    close: () => unwatchFile(path, refresh),
  }
}
