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
import { parseArgs } from 'node:util'
import { generateCode } from '../src/entries/codegen.ts'
import { toText } from '../src/values/json.ts'
import { compileProject } from '../test/codegen/compile-project.ts'
import { traceDocument } from '../test/no-harm/traced-request.ts'
import { type DocumentReport, examineText } from './examine.ts'
import { checkMutants } from './mutate/run.ts'

/** Where the documents are; absent outside the workplace. */
export const CORPUS_FOLDER: string = fileURLToPath(
  new URL('../../shared/corpus/openapi', import.meta.url),
)

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
    return examineText(file, readFileSync(path, 'utf8'))
  } catch (thrown) {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : toText(thrown)
    return { ...nothing, failures: [`crash: ${reason}`] }
  }
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
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      mutate: { type: 'string' },
      requests: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  })
  const folder = positionals[0] === undefined ? CORPUS_FOLDER : resolve(positionals[0])
  if (values.requests !== undefined)
    await runRequests(folder, Number(values.requests), Number(values.seed))
  else if (values.mutate === undefined) await runDocuments(folder)
  else await runMutants(folder, Number(values.mutate), Number(values.seed))
}

/** Sends calls of every operation into the void and tells what stood in a request that nobody asked for. */
async function runRequests(folder: string, runs: number, seed: number): Promise<void> {
  const started = performance.now()
  const total = { operations: 0, sent: 0, refused: 0, faults: 0 }
  for (const path of listCorpus(folder)) {
    const report = await traceDocument(path, { most: Number.POSITIVE_INFINITY, runs, seed })
    for (const fault of report.faults) console.error(fault.slice(0, 500))
    total.operations += report.operations
    total.sent += report.sent
    total.refused += report.refused
    total.faults += report.faults.length
  }
  for (const [name, count] of Object.entries(total)) console.log(`${name.padEnd(12)}${count}`)
  console.log(`seconds     ${((performance.now() - started) / 1000).toFixed(1)}`)
  if (total.faults > 0 || total.sent === 0) process.exitCode = 1
}

async function runMutants(folder: string, count: number, seed: number): Promise<void> {
  const started = performance.now()
  const report = await checkMutants(listCorpus(folder), count, seed)
  for (const failure of report.failures) console.error(`${failure}\n`)
  console.log(`mutants     ${report.mutants}, seeds from ${seed}`)
  console.log(`operations  ${report.operations}`)
  console.log(`tools       ${report.tools}`)
  for (const [reason, times] of report.refused) console.log(`refused     ${times} ${reason}`)
  console.log(`failures    ${report.failures.length}`)
  console.log(`seconds     ${((performance.now() - started) / 1000).toFixed(1)}`)
  if (report.failures.length > 0) process.exitCode = 1
}

async function runDocuments(folder: string): Promise<void> {
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
