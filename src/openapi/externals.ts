import type { SpecProblem } from '../spec/problem.ts'
import { type ImportOptions, type ImportResult, importOpenApi } from './import.ts'
import { parseDocument } from './load.ts'

/** How external documents are got. */
export interface ExternalOptions extends ImportOptions {
  /**
   * Reads the text of an external document; throws when it may not or cannot. The caller decides
   * what is allowed: same directory, any file, or public addresses through a guarded fetch.
   */
  readonly fetchDocument: (address: string) => Promise<string>
  /** Tells which addresses may be asked for; all that `fetchDocument` answers when absent. */
  readonly allow?: (address: string) => boolean
  /** Most documents; 100 when absent. */
  readonly maxDocuments?: number
}

/** Makes an `allow` for files beside a document or below: nothing above it, nothing elsewhere. */
export function allowSameFolder(url: string): (address: string) => boolean {
  const folder = url.slice(0, url.lastIndexOf('/') + 1)
  return (address) => {
    const isLocal = !/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('file:')
    const steps = address.split(/[/\\]|%2f|%5c/i)
    return (
      isLocal &&
      address.startsWith(folder) &&
      !address.startsWith('/', folder.length) &&
      !steps.includes('..')
    )
  }
}

/** Imports a document, fetching the external documents that the imported operations refer to. */
export async function importWithExternals(
  document: unknown,
  options: ExternalOptions,
): Promise<ImportResult> {
  const { fetchDocument, allow = () => true, maxDocuments = 100, ...rest } = options
  const externals = new Map<string, unknown>(options.externals)
  const failures: SpecProblem[] = []
  const tried = new Set<string>()
  for (;;) {
    const result = importOpenApi(document, { ...rest, externals })
    const missing = result.wanted.filter((address) => !tried.has(address) && allow(address))
    const next = missing.slice(0, Math.max(0, maxDocuments - tried.size))
    if (next.length === 0) return withFailures(result, failures)
    for (const address of next) tried.add(address)
    const texts = await Promise.allSettled(next.map((address) => fetchDocument(address)))
    for (const [index, settled] of texts.entries()) {
      const address = next[index] ?? ''
      const failure =
        settled.status === 'rejected'
          ? reasonOf(settled.reason)
          : addTo(externals, address, settled.value)
      if (failure !== undefined) failures.push(explain(address, failure, options.file))
    }
  }
}

function addTo(externals: Map<string, unknown>, address: string, text: string): string | undefined {
  const parsed = parseDocument(text, { file: address })
  if (!parsed.ok) return parsed.problems[0]?.message ?? 'it cannot be read'
  externals.set(address, parsed.document)
  return undefined
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

function explain(address: string, reason: string, file = '<openapi>'): SpecProblem {
  const message = `the external document ${address.slice(0, 200)} is not read: ${reason}`
  return { severity: 'warning', code: 'W114', file, line: 0, column: 0, path: '', message }
}

function withFailures(result: ImportResult, failures: readonly SpecProblem[]): ImportResult {
  if (failures.length === 0) return result
  if (result.ok) return { ...result, warnings: [...failures, ...result.warnings] }
  return { ...result, problems: [...result.problems, ...failures] }
}
