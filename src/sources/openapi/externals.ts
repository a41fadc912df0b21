import { toReason } from '../../values/index.ts'
import type { SpecProblem } from '../tool-spec/index.ts'
import { type ImportOptions, type ImportResult, importOpenApi } from './import.ts'
import { parseDocument } from './load.ts'

/** How external documents are got. */
export interface ReadExternalsOptions {
  /**
   * Reads the text of an external document; throws when it may not or cannot. The caller decides
   * what is allowed: same directory, any file, or public addresses through a guarded fetch.
   */
  readonly fetchDocument: (address: string) => Promise<string>
  /** Tells which addresses may be asked for; all that `fetchDocument` answers when absent. */
  readonly allow?: (address: string) => boolean
  /** Most documents; 100 when absent. */
  readonly maxDocuments?: number
  /** Most characters of all of them together; 64 Mi when absent. */
  readonly maxLength?: number
}

/** How a document is imported with others that it refers to. */
export interface ExternalOptions extends ImportOptions, ReadExternalsOptions {}

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
  const { found, failures } = await readExternals(
    (externals) => importOpenApi(document, { ...options, externals }),
    options,
    options.externals,
  )
  return withFailures(
    found,
    failures.map(({ address, reason }) => explain(address, reason, options.file)),
  )
}

/** An external document that was asked for and could not be read. */
export interface ExternalFailure {
  readonly address: string
  readonly reason: string
}

/** What was found, and what it was found with. */
export interface ExternalsRead<Found> {
  readonly found: Found
  readonly externals: ReadonlyMap<string, unknown>
  readonly failures: readonly ExternalFailure[]
}

const AT_ONCE = 8

/** Looks again and again, each time with the documents that were wanted before, until nothing more can be had. */
export async function readExternals<Found extends { readonly wanted: readonly string[] }>(
  look: (externals: ReadonlyMap<string, unknown>) => Found,
  { fetchDocument, allow = () => true, ...limits }: ReadExternalsOptions,
  known?: ReadonlyMap<string, unknown>,
): Promise<ExternalsRead<Found>> {
  const { maxDocuments = 100, maxLength = 64 * 1024 * 1024 } = limits
  const externals = new Map(known)
  const failures: ExternalFailure[] = []
  const tried = new Set<string>()
  let length = 0
  const read = async (address: string): Promise<string | undefined> => {
    if (length > maxLength) return `all together are longer than ${maxLength} characters`
    try {
      const text = await fetchDocument(address)
      length += text.length
      if (length > maxLength) return `all together are longer than ${maxLength} characters`
      return addTo(externals, address, text)
    } catch (thrown) {
      return toReason(thrown)
    }
  }
  for (;;) {
    const found = look(externals)
    const missing = found.wanted.filter((address) => !tried.has(address) && allow(address))
    const next = missing.slice(0, Math.max(0, maxDocuments - tried.size))
    if (next.length === 0) return { found, externals, failures }
    for (const address of next) tried.add(address)
    for (let from = 0; from < next.length; from += AT_ONCE) {
      const batch = next.slice(from, from + AT_ONCE)
      const reasons = await Promise.all(batch.map(read))
      for (const [index, reason] of reasons.entries()) {
        if (reason !== undefined) failures.push({ address: batch[index] ?? '', reason })
      }
    }
  }
}

function addTo(externals: Map<string, unknown>, address: string, text: string): string | undefined {
  const parsed = parseDocument(text, { file: address })
  if (!parsed.ok) return parsed.problems[0]?.message ?? 'it cannot be read'
  externals.set(address, parsed.document)
  return undefined
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
