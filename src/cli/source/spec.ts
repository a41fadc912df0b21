import { importWithExternals } from '../../sources/openapi/index.ts'
import {
  checkToolSpec,
  formatProblems,
  parseToolSpec,
  type ToolSpec,
} from '../../sources/tool-spec/index.ts'
import { type Io, UsageError } from '../command.ts'
import { createExternalReader, type SourceText } from '../forge/read-source.ts'

/** A tool spec with what a person should know about how it was made. */
export interface NotedSpec {
  readonly spec: ToolSpec
  readonly notes: readonly string[]
}

/** Reads a tool spec; throws a UsageError that lists what is wrong with it. */
export function readSpecText({ file, text }: SourceText): ToolSpec {
  const parsed = parseToolSpec(text, { file })
  if (parsed.ok) return parsed.spec
  throw new UsageError(formatProblems(parsed.problems, 'text'))
}

/** Makes a tool spec of an API description and of what it refers to beside it; throws a UsageError when it cannot. */
export async function importSpec(
  document: unknown,
  source: SourceText,
  io: Io,
): Promise<NotedSpec> {
  const { file, url } = source
  const imported = await importWithExternals(document, {
    file,
    ...(url !== undefined && { url }),
    ...createExternalReader(source, { io, allowAll: false }),
  })
  if (!imported.ok) throw new UsageError(formatProblems(imported.problems, 'text'))
  const checked = checkToolSpec(imported.spec, { file })
  if (!checked.ok) throw new UsageError(formatProblems(checked.problems, 'text'))
  const count = imported.warnings.length
  const note = `${file}: ${count} simplifications on import; "waymark forge tool --list ${file}" explains them`
  return { spec: checked.spec, notes: count === 0 ? [] : [note] }
}
