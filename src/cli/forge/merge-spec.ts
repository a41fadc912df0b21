import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GeneratedFile } from '../../codegen/index.ts'
import {
  formatConflict,
  mergeToolSpecs,
  parseToolSpec,
  type SpecProblem,
  type ToolSpec,
} from '../../sources/tool-spec/index.ts'
import { UsageError } from '../command.ts'
import { FoundProblems } from './report.ts'

/** A spec that is to be written. */
export interface IncomingSpec {
  readonly spec: ToolSpec
  readonly text: string
  /** True for an import, which the next one is compared with; a draft stands for itself. */
  readonly isImport: boolean
}

/** What becomes of a spec in a folder where one may be already. */
export interface MergedSpec {
  readonly text: string
  /** The spec, and the record of the import. */
  readonly files: readonly GeneratedFile[]
  readonly conflicts: readonly SpecProblem[]
  /** Fields that came in from the new import. */
  readonly taken: readonly string[]
}

/** Reads a file of the folder that is written to; undefined when it is not there. */
export type ReadEarlier = (path: string) => string | undefined

/** Brings a spec together with the one a person may have edited since the last import. */
export function mergeIntoFolder(read: ReadEarlier, incoming: IncomingSpec): MergedSpec {
  const path = specPath(incoming.spec.domain)
  const recordPath = `.forge/${path}`
  const edited = read(path)
  const record = incoming.isImport ? read(recordPath) : undefined
  const records = incoming.isImport ? [{ path: recordPath, text: incoming.text }] : []
  if (edited === undefined || edited === record) {
    const { text } = incoming
    const taken = edited === undefined || edited === text ? [] : compareTools(edited, incoming.spec)
    return { text, files: [{ path, text }, ...records], conflicts: [], taken }
  }
  const base = record === undefined ? undefined : parseToolSpec(record)
  const merged = mergeToolSpecs({
    // Without a record nothing is known to be unedited: all that is there stays.
    base: base?.ok ? base.spec : { domain: incoming.spec.domain, tools: [] },
    edited,
    incoming: incoming.spec,
    file: path,
  })
  if (!merged.ok) throw new FoundProblems(merged.problems)
  const { text, taken } = merged
  const conflicts = merged.conflicts.map((conflict): SpecProblem => {
    const [, message = ''] = formatConflict(conflict).split(/: (?=changed here|removed here)/)
    const hint = `the new import has ${shorten(conflict.incoming)}`
    const place = { file: path, line: 0, column: 0, path: conflict.path }
    return { severity: 'warning', code: 'CONFLICT', ...place, message, hint }
  })
  return { text, files: [{ path, text }, ...records], conflicts, taken }
}

/** Lists the tools that came and went, in a file nobody edited. */
function compareTools(before: string, { tools }: ToolSpec): string[] {
  const parsed = parseToolSpec(before)
  const old = new Set(parsed.ok ? parsed.spec.tools.map(({ name }) => name) : [])
  const now = new Set(tools.map(({ name }) => name))
  return [...new Set([...old, ...now])]
    .filter((name) => old.has(name) !== now.has(name))
    .map((name) => `tools(${name})`)
}

/** Names the file of a domain's spec. */
export function specPath(domain: string): string {
  return `${domain}.tool-spec.yaml`
}

/** Reads a file that may not be there. */
export function readIfThere(folder: string, path: string): string | undefined {
  try {
    return readFileSync(join(folder, path), 'utf8')
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new UsageError(`${join(folder, path)} cannot be read or written: ${message}`)
  }
}

function shorten(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
