import {
  type ImportOptions,
  type ImportResult,
  type ImportWarning,
  importWithExternals,
  listOperations,
  type OperationListing,
  type OperationRow,
  parseDocument,
} from '../../sources/openapi/index.ts'
import { toShort } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import {
  countOf,
  createPaint,
  createProgressLine,
  formatJson,
  formatTable,
  printableLine,
} from '../print.ts'
import { type OpenedSource, openSource, readerOf, readImportOptions } from './import-source.ts'
import { readSource } from './read-source.ts'
import { FoundProblems, readFormat, reportProblems } from './report.ts'

/** Codes that mean a tool can do less than its operation. */
const LOSSES: readonly string[] = ['W100', 'W101', 'W102', 'W105', 'W108', 'W112', 'W114']

/** Shows what an API description offers, and what an import would lose. */
export async function runList(input: CommandInput): Promise<number> {
  const format = readFormat(input)
  if (format === 'github') throw new UsageError('--list prints text or json, not github')
  const opened = openSource(await readSource(readTextFlag(input, 'list') ?? '', input.io))
  if (opened.kind !== 'openapi') {
    throw new UsageError(
      `${opened.source.file} is not an API description (openapi, swagger); --list shows the operations of one`,
    )
  }
  const examined = await examine(opened, input)
  const { listing, warnings } = examined
  if (format === 'json') {
    input.io.out(formatJson(toPlainListing(opened.source.file, examined)))
    return EXIT.ok
  }
  input.io.out(formatListing(opened.source.file, listing, { warnings, input }))
  reportProblems(input, warnings)
  return EXIT.ok
}

/** What an API description offers, and what an import would lose. */
export interface Examined {
  readonly listing: OperationListing
  readonly warnings: readonly ImportWarning[]
}

/** Finds out what an API description offers to the filters of the flags. */
export async function examine(
  opened: Extract<OpenedSource, { readonly kind: 'openapi' }>,
  input: CommandInput,
): Promise<Examined> {
  const { source, document } = opened
  const options: ImportOptions = {
    ...readImportOptions(input, source),
    missingReference: 'warning',
  }
  const reader = readerOf(source, input)
  const externals = new Map<string, unknown>()
  const progress = createProgressLine(input.io)
  const result = await importWithExternals(document, {
    ...options,
    ...reader,
    onProgress: ({ done, total }) =>
      progress.show(`Reading ${source.file}: ${done} of ${total} operations`),
    // Operations may live in other documents; the listing needs those as well.
    fetchDocument: async (address) => {
      const text = await reader.fetchDocument(address)
      const parsed = parseDocument(text, { file: address })
      if (parsed.ok) externals.set(address, parsed.document)
      return text
    },
  })
  progress.end()
  return {
    listing: listOperations(document, { ...options, externals }),
    warnings: lossesOf(result),
  }
}

function lossesOf(result: ImportResult): readonly ImportWarning[] {
  if (result.ok) return result.warnings
  // Nothing to import is a fine answer to the question what there is; a mistyped pick is not.
  if (result.problems.some(({ code }) => code === 'E084')) throw new FoundProblems(result.problems)
  return result.problems.filter(({ severity }) => severity === 'warning')
}

function formatListing(
  file: string,
  listing: OperationListing,
  { warnings, input }: { warnings: readonly ImportWarning[]; input: CommandInput },
): string {
  const { title, format, operations, total, unreadable } = listing
  const paint = createPaint(input.io)
  const lossy = namesOf(warnings)
  const clean = printableLine
  const rows = operations.map((row) => [
    isMarked(row, lossy) ? `${clean(row.name)} ${paint.warn('!')}` : clean(row.name),
    row.method,
    clean(row.path),
    paint.dim(clean(row.tags.join(', ')).slice(0, 30)),
    paint.dim(toShort(clean(row.summary ?? ''), 59)),
  ])
  const shown =
    operations.length === total
      ? countOf(total, 'operation')
      : `${operations.length} of ${total} operations`
  const marked = operations.filter((row) => isMarked(row, lossy)).length
  return [
    `${paint.bold(clean(file))}  ${clean(format)}  ${clean(title)}\n\n`,
    formatTable(rows),
    ...unreadable.map(({ path, reason }) => `  ! ${clean(path)}: ${clean(reason)}\n`),
    `\n${shown}`,
    marked > 0 ? `; ! marks ${marked} that lose something or cannot become a tool\n` : '\n',
  ].join('')
}

/** Writes what was found as data. */
export function toPlainListing(
  file: string,
  { listing, warnings }: Examined,
): Readonly<Record<string, unknown>> {
  const plain = ({ code, path, message }: ImportWarning): unknown => ({ code, path, message })
  return {
    file,
    format: listing.format,
    title: listing.title,
    total: listing.total,
    operations: listing.operations.map((row) => ({
      ...row,
      warnings: warnings.filter(({ tool }) => tool === row.name).map(plain),
    })),
    unreadable: listing.unreadable,
    warnings: warnings.filter(({ tool }) => tool === undefined).map(plain),
  }
}

function namesOf(warnings: readonly ImportWarning[]): ReadonlySet<string> {
  return new Set(warnings.filter(({ code }) => LOSSES.includes(code)).map(({ tool }) => tool ?? ''))
}

function isMarked({ name, skipped }: OperationRow, lossy: ReadonlySet<string>): boolean {
  return skipped !== undefined || lossy.has(name)
}
