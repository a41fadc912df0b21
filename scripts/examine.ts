import { importOpenApi, listOperations, loadOpenApi } from '../src/entries/openapi.ts'
import { formatProblems, formatToolSpec, parseToolSpec } from '../src/entries/tool-spec.ts'
import type { ToolSpec } from '../src/sources/tool-spec/types.ts'

/** What became of one document. */
export interface DocumentReport {
  readonly file: string
  readonly operations: number
  /** Operations that became no tool, each with a warning W100. */
  readonly skipped: number
  readonly tools: number
  readonly warnings: ReadonlyMap<string, number>
  /** What must not happen: a crash, an invalid spec, an operation that vanished. */
  readonly failures: readonly string[]
  /** The spec, as read back from its own text. */
  readonly spec?: ToolSpec
  readonly text?: string
}

/** Takes the text of a document through list, import, write and validate. */
export function examineText(file: string, text: string): DocumentReport {
  const nothing = { file, operations: 0, skipped: 0, tools: 0, warnings: new Map() }
  const loaded = loadOpenApi(text, { file })
  if (!loaded.ok) return { ...nothing, failures: [formatProblems(loaded.problems, 'text')] }
  const { operations } = listOperations(loaded.document)
  const imported = importOpenApi(loaded.document, { file })
  if (!imported.ok) {
    const failures = [formatProblems(imported.problems, 'text')]
    return { ...nothing, operations: operations.length, failures }
  }
  const warnings = new Map<string, number>()
  for (const { code } of imported.warnings) warnings.set(code, (warnings.get(code) ?? 0) + 1)
  const { spec } = imported
  const written = formatToolSpec(spec)
  const parsed = parseToolSpec(written, { file })
  const skipped = operations.filter((operation) => operation.skipped !== undefined).length
  const report = {
    file,
    operations: operations.length,
    skipped,
    tools: spec.tools.length,
    warnings,
  }
  const failures = [
    ...(parsed.ok ? [] : [formatProblems(parsed.problems, 'text')]),
    ...(parsed.ok && JSON.stringify(parsed.spec) !== JSON.stringify(spec)
      ? ['the written spec reads back as another value']
      : []),
    ...(spec.tools.length + skipped === operations.length
      ? []
      : [`${operations.length} operations, but ${spec.tools.length} tools and ${skipped} skipped`]),
    ...((warnings.get('W100') ?? 0) >= skipped ? [] : ['an operation was dropped without W100']),
  ]
  return { ...report, failures, ...(parsed.ok && { spec: parsed.spec, text: written }) }
}
