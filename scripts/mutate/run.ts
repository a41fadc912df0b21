import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { generateCode } from '../../src/entries/codegen.ts'
import { listOperations, loadOpenApi } from '../../src/entries/openapi.ts'
import { toInputSchema } from '../../src/sources/runtime/input-schema.ts'
import type { ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { isRecord, toText } from '../../src/values/json.ts'
import { compileProject } from '../../test/codegen/compile-project.ts'
import { examineText } from '../examine.ts'
import { callTools } from './call.ts'
import { makeMutant } from './index.ts'
import type { Node } from './sites.ts'

/** What became of many mutants. */
export interface MutantReport {
  readonly mutants: number
  readonly operations: number
  readonly tools: number
  /** Documents that were refused with a message that says why. */
  readonly refused: ReadonlyMap<string, number>
  /** What must not happen, each with the seed that makes it happen again. */
  readonly failures: readonly string[]
}

/** How many mutants are compiled in one project. */
const BATCH = 250

/** Slower than that is as bad as a crash. */
const SLOW_MS = 5_000

/** Makes mutants of real documents and takes each through list, import, validate, call, generate, compile. */
export async function checkMutants(
  files: readonly string[],
  count: number,
  seed: number,
): Promise<MutantReport> {
  const documents = files.map(readDocument)
  const failures: string[] = []
  const refused = new Map<string, number>()
  let [operations, tools] = [0, 0]
  let specs: { name: string; spec: ToolSpec }[] = []
  for (let index = 0; index < count; index++) {
    const own = seed + index
    const { file, document } = documents[own % documents.length] as OpenDocument
    const mutant = makeMutant(document, own)
    const name = `seed ${own} ${file} (${mutant.how}; ${mutant.steps.join(', ')})`
    const found = await examineMutant(mutant.text)
    operations += found.operations
    tools += found.spec?.tools.length ?? 0
    if (found.refused !== undefined)
      refused.set(found.refused, (refused.get(found.refused) ?? 0) + 1)
    failures.push(...found.failures.map((failure) => `${name}\n${failure}`))
    if (found.spec) specs.push({ name, spec: found.spec })
    if (specs.length < BATCH && index < count - 1) continue
    failures.push(...(await compileSpecs(specs)))
    specs = []
  }
  return { mutants: count, operations, tools, refused, failures }
}

interface OpenDocument {
  readonly file: string
  readonly document: Node
}

function readDocument(path: string): OpenDocument {
  const loaded = loadOpenApi(readFileSync(path, 'utf8'))
  return { file: basename(path), document: loaded.ok ? (loaded.document as Node) : {} }
}

interface Examined {
  readonly operations: number
  readonly failures: readonly string[]
  readonly refused?: string
  readonly spec?: ToolSpec
}

async function examineMutant(text: string): Promise<Examined> {
  const started = performance.now()
  try {
    const loaded = loadOpenApi(text)
    if (!loaded.ok) {
      const reason = loaded.problems.map(({ code, message }) => `${code} ${message}`).join('; ')
      return { operations: 0, failures: [], refused: reason.slice(0, 100) }
    }
    const { operations, unreadable } = listOperations(loaded.document)
    const usable = operations.filter((operation) => operation.skipped === undefined)
    const report = examineText('mutant.yaml', text)
    const failures = report.failures.filter(
      (failure) => usable.length > 0 || !failure.includes('E103'),
    )
    const wanted = countOperations(loaded.document, new Set(unreadable.map(({ path }) => path)))
    if (wanted > operations.length)
      failures.push(`${wanted} operations, ${operations.length} listed`)
    if (report.spec) failures.push(...checkSchemas(report.spec), ...(await callTools(report.spec)))
    const took = performance.now() - started
    if (took > SLOW_MS) failures.push(`slow: ${Math.round(took)} ms`)
    return {
      operations: operations.length,
      failures,
      ...(report.spec && { spec: report.spec }),
      ...(!report.spec && failures.length === 0 && { refused: 'E103 no operation' }),
    }
  } catch (thrown) {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : toText(thrown)
    return { operations: 0, failures: [`crash: ${reason}`] }
  }
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])

/** Counts operations without our own reader: mappings under a method of a path that is a mapping. */
function countOperations(document: unknown, unreadable: ReadonlySet<string>): number {
  const paths = isRecord(document) && isRecord(document['paths']) ? document['paths'] : {}
  return Object.entries(paths)
    .filter(([path, item]) => !path.startsWith('x-') && !unreadable.has(path) && isRecord(item))
    .flatMap(([, item]) => ('$ref' in (item as Node) ? [] : Object.entries(item as Node)))
    .filter(([method, value]) => METHODS.has(method) && isRecord(value)).length
}

const ajv = new Ajv2020({ strict: false, logger: false })

/** What a model reads must be a JSON Schema. */
function checkSchemas(spec: ToolSpec): string[] {
  return spec.tools.flatMap((tool) => {
    const isValid = ajv.validateSchema(toInputSchema(tool))
    return isValid === true ? [] : [`${tool.name}: ${JSON.stringify(ajv.errors).slice(0, 300)}`]
  })
}

/** Generates and compiles many specs in one project; names the mutant of each error. */
async function compileSpecs(
  specs: readonly { readonly name: string; readonly spec: ToolSpec }[],
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-mutants-'))
  const failures: string[] = []
  try {
    for (const [index, { name, spec }] of specs.entries()) {
      mkdirSync(join(folder, String(index)))
      try {
        for (const { path, text } of generateCode(spec))
          writeFileSync(join(folder, String(index), path), text)
      } catch (thrown) {
        failures.push(
          `${name}\ngenerate: ${thrown instanceof Error ? thrown.stack : toText(thrown)}`,
        )
      }
    }
    const errors = await compileProject(folder)
    for (const error of errors)
      failures.push(`${specs[Number.parseInt(error, 10)]?.name}\ncompile: ${error}`)
    return failures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
