import {
  type ImportOptions,
  type ImportWarning,
  importWithExternals,
  parseDocument,
} from '../../sources/openapi/index.ts'
import {
  AUTH_TYPES,
  DOMAIN_PATTERN,
  ENV_PATTERN,
  parseToolSpec,
  type SpecProblem,
  sniffDocument,
  type ToolSpec,
} from '../../sources/tool-spec/index.ts'
import { defined } from '../../values/index.ts'
import type { CommandInput } from '../command.ts'
import { readChoiceFlag, readListFlag, readNumber, requireChoice } from '../flags.ts'
import { createProgressLine } from '../print.ts'
import { readPattern, readWords } from './forge-flags.ts'
import { createExternalReader, readSource, type SourceText } from './read-source.ts'
import { FoundProblems } from './report.ts'

/** A document, told apart: an API description to import, or a tool spec as it is. */
export type OpenedSource =
  | { readonly kind: 'openapi'; readonly source: SourceText; readonly document: unknown }
  | { readonly kind: 'tool-spec'; readonly source: SourceText }

/** A spec with what was found on the way to it. */
export interface ImportedSpec {
  readonly spec: ToolSpec
  readonly warnings: readonly ImportWarning[]
}

/** Parses a document as far as needed to tell what it is. */
export function openSource(source: SourceText): OpenedSource {
  const parsed = parseDocument(source.text, { file: source.file })
  // A tool spec that is not YAML gets its message, with line and column, from its own reader.
  if (!parsed.ok) {
    if (/\.tool-spec\.ya?ml$/i.test(source.file)) return { kind: 'tool-spec', source }
    throw new FoundProblems(parsed.problems)
  }
  if (sniffDocument(parsed.document) !== 'openapi') return { kind: 'tool-spec', source }
  return { kind: 'openapi', source, document: parsed.document }
}

/** Reads a tool spec; what is wrong with it ends the run. */
export function readSpec(
  { file, text }: SourceText,
  options: { readonly strictSeed?: boolean } = {},
): { readonly spec: ToolSpec; readonly warnings: readonly SpecProblem[] } {
  const parsed = parseToolSpec(text, { file, ...options })
  if (parsed.ok) return parsed
  throw new FoundProblems(parsed.problems)
}

/** Reads a spec from whatever a word names: a tool spec, or an API description that is imported. */
export async function readAnySpec(
  reference: string,
  input: CommandInput,
): Promise<{ readonly spec: ToolSpec; readonly warnings: readonly SpecProblem[] }> {
  const opened = openSource(await readSource(reference, input.io))
  return opened.kind === 'openapi' ? importSource(opened, input) : readSpec(opened.source)
}

/** Imports an API description as the flags say, with the documents it may refer to. */
export async function importSource(
  opened: Extract<OpenedSource, { readonly kind: 'openapi' }>,
  input: CommandInput,
): Promise<ImportedSpec> {
  const { source, document } = opened
  const progress = createProgressLine(input.io)
  try {
    const result = await importWithExternals(document, {
      ...readImportOptions(input, source),
      ...readerOf(source, input),
      onProgress: ({ done, total }) =>
        progress.show(`Importing ${source.file}: ${done} of ${total} operations`),
    })
    if (!result.ok) throw new FoundProblems(result.problems)
    return result
  } finally {
    progress.end()
  }
}

/** Makes what reads the documents that a document refers to. */
export function readerOf(
  source: SourceText,
  input: CommandInput,
): ReturnType<typeof createExternalReader> {
  const allowAll = input.flags['allow-external-refs'] === true
  return createExternalReader(source, { io: input.io, allowAll })
}

const ALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']

/** Reads the flags that say what is imported and how. */
export function readImportOptions(input: CommandInput, source: SourceText): ImportOptions {
  const { flags } = input
  const domain = readDomain(input)
  const authType = readChoiceFlag(input, 'auth-type', AUTH_TYPES)
  const authEnv = readPattern(input, 'auth-env', {
    pattern: ENV_PATTERN,
    expected: 'the name of a variable in capitals, such as ZENDESK_API_TOKEN',
  })
  const maxNameLength = readNumber(input, 'max-name-length', { from: 16, to: 64 })
  const maxDepth = readNumber(input, 'max-depth', { from: 1, to: 10 })
  return {
    file: source.file,
    pick: readWords(input, 'pick'),
    tag: readListFlag(input, 'tag'),
    pathPrefix: readListFlag(input, 'path-prefix').map(toPrefix),
    method: readWords(input, 'method').map((method) =>
      requireChoice(method.toUpperCase(), 'method', ALL_METHODS),
    ),
    exclude: readWords(input, 'exclude'),
    readOnly: flags['read-only'] === true,
    noDeprecated: flags['no-deprecated'] === true,
    ...defined({ url: source.url, domain, authType, authEnv, maxNameLength, maxDepth }),
  }
}

/** Reads the domain that replaces the one a document or a model chose. */
export function readDomain(input: CommandInput): string | undefined {
  return readPattern(input, 'domain', {
    pattern: DOMAIN_PATTERN,
    expected: 'a letter, then letters, digits, - and _, at most 32',
  })
}

function toPrefix(prefix: string): string {
  return prefix.startsWith('/') ? prefix : `/${prefix}`
}
