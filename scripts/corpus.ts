import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { generateCode } from '../src/codegen/index.ts'
import { importOpenApi, listOperations, loadOpenApi } from '../src/openapi/index.ts'
import { formatProblems, formatToolSpec, parseToolSpec } from '../src/spec/index.ts'
import type { ToolSpec } from '../src/spec/types.ts'
import { compileProject } from '../test/codegen/compile-project.ts'

/** Where the documents are; absent outside the workplace. */
export const CORPUS_FOLDER: string = fileURLToPath(
  new URL('../../shared/corpus/openapi', import.meta.url),
)

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

/** Lists the documents of the corpus, or of the folder named. */
export function listCorpus(folder: string = CORPUS_FOLDER): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /\.(ya?ml|json)$/i.test(name))
  return names.sort().map((name) => join(folder, name))
}

/** Takes one document through list, import, write and validate. */
export function checkDocument(path: string): DocumentReport {
  const file = basename(path)
  const nothing = { file, operations: 0, skipped: 0, tools: 0, warnings: new Map() }
  try {
    return examine(file, readFileSync(path, 'utf8'))
  } catch (thrown) {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
    return { ...nothing, failures: [`crash: ${reason}`] }
  }
}

function examine(file: string, text: string): DocumentReport {
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

/** Generates the TypeScript of every spec and compiles all of it in one strict project. */
async function compileAll(reports: readonly DocumentReport[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-corpus-'))
  try {
    for (const [index, { spec }] of reports.entries()) {
      // Domains repeat over the corpus; a folder each keeps their files apart.
      const own = join(folder, String(index))
      mkdirSync(own)
      for (const { path, text } of spec ? generateCode(spec) : [])
        writeFileSync(join(own, path), text)
    }
    return await compileProject(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const folder = process.argv[2] === undefined ? CORPUS_FOLDER : resolve(process.argv[2])
  const started = performance.now()
  const reports = listCorpus(folder).map(checkDocument)
  const errors = await compileAll(reports)
  const sum = (count: (report: DocumentReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0)
  const codes = new Map<string, number>()
  for (const { warnings } of reports) {
    for (const [code, count] of warnings) codes.set(code, (codes.get(code) ?? 0) + count)
  }
  for (const report of reports) {
    for (const failure of report.failures) console.error(`${report.file}\n${failure}\n`)
  }
  console.log(`documents   ${reports.length}`)
  console.log(`operations  ${sum((report) => report.operations)}`)
  console.log(`tools       ${sum((report) => report.tools)}`)
  console.log(`skipped     ${sum((report) => report.skipped)}`)
  const byCode = [...codes].sort(([a], [b]) => (a < b ? -1 : 1))
  console.log(`warnings    ${byCode.map(([code, count]) => `${code} ${count}`).join(', ')}`)
  console.log(`failures    ${sum((report) => report.failures.length)}`)
  for (const error of errors.slice(0, 20)) console.error(error)
  console.log(`compile errors  ${errors.length}`)
  console.log(`seconds     ${((performance.now() - started) / 1000).toFixed(1)}`)
  const failed = reports.some((report) => report.failures.length > 0) || errors.length > 0
  if (reports.length === 0 || failed) {
    process.exitCode = 1
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main()
}
