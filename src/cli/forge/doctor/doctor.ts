import { readdirSync } from 'node:fs'
import type { Environment } from '../../../sources/runtime/index.ts'
import type { SpecProblem, ToolSpec } from '../../../sources/tool-spec/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError } from '../../command.ts'
import { NODE_VERSION } from '../../help.ts'
import {
  countOf,
  createPaint,
  formatJson,
  formatTable,
  type Paint,
  printableLine,
} from '../../print.ts'
import { readEnvironment } from '../env-file.ts'
import { readAnySpec } from '../import-source.ts'
import { FoundProblems, readFormat } from '../report.ts'
import {
  type Fault,
  findMissingPackages,
  findToolFaults,
  findTriggerFaults,
  findUnreachable,
} from './checks.ts'

/** What was found, and where. */
interface Finding extends Fault {
  /** The spec, or `this machine`. */
  readonly subject: string
}

/** Tells what would keep specs from working, without calling any tool. */
export async function runDoctor(input: CommandInput): Promise<number> {
  const env = readEnvironment(input)
  const references = input.positionals.slice(1)
  const named = references.length > 0 ? references : listSpecs(input.io.cwd)
  const findings = [...checkNode(process.versions.node)]
  for (const reference of named) findings.push(...(await examineSpec(reference, env, input)))
  const isWell = findings.every(({ level }) => level !== 'error')
  if (readFormat(input) === 'json') {
    input.io.out(formatJson({ ok: isWell, specs: named, findings }))
  } else {
    input.io.out(formatFindings(findings, named, createPaint(input.io)))
  }
  return isWell ? EXIT.ok : EXIT.input
}

/** Without a name those of the folder are meant. */
function listSpecs(cwd: string): readonly string[] {
  return readdirSync(cwd)
    .filter((name) => /\.tool-spec\.ya?ml$/i.test(name))
    .sort()
}

function checkNode(version: string): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [least = 0, leastMinor = 0] = (NODE_VERSION.match(/\d+/g) ?? []).map(Number)
  if (major > least || (major === least && minor >= leastMinor)) return []
  return [
    {
      level: 'error',
      subject: 'this machine',
      message: `Node ${version} is too old`,
      fix: `install Node ${least}.${leastMinor} or later`,
    },
  ]
}

async function examineSpec(
  reference: string,
  env: Environment,
  input: CommandInput,
): Promise<Finding[]> {
  const read = await readChecked(reference, input)
  if (read.spec === undefined) return read.findings
  const { spec } = read
  const found = [
    ...(await findToolFaults(spec, env)),
    ...findTriggerFaults(spec, env),
    ...(await findMissingPackages(spec, env)),
    ...(input.flags['online'] === true ? await findUnreachable(spec, env, input.io.signal) : []),
  ]
  return [...read.findings, ...found.map((fault) => ({ subject: reference, ...fault }))]
}

/** A file that cannot be used is a finding like others: the files behind it are looked at, too. */
async function readChecked(
  reference: string,
  input: CommandInput,
): Promise<{ readonly spec?: ToolSpec; readonly findings: Finding[] }> {
  try {
    const { spec, warnings } = await readAnySpec(reference, input)
    return { spec, findings: warnings.map((problem) => toFinding(reference, problem)) }
  } catch (thrown) {
    if (thrown instanceof FoundProblems) {
      return { findings: thrown.problems.map((problem) => toFinding(reference, problem)) }
    }
    if (!(thrown instanceof UsageError || thrown instanceof RemoteError)) throw thrown
    return { findings: [{ level: 'error', subject: reference, message: thrown.message }] }
  }
}

function toFinding(subject: string, problem: SpecProblem): Finding {
  const { severity, code, line, column, path, message, hint } = problem
  const place = line > 0 ? ` at ${line}:${column}` : ''
  return {
    level: severity,
    subject,
    message: `${code}${place} ${path}: ${message}`,
    ...(hint !== undefined && { fix: hint }),
  }
}

function formatFindings(
  findings: readonly Finding[],
  specs: readonly string[],
  paint: Paint,
): string {
  const rows = findings.map(({ level, subject, message, fix }) => [
    level === 'error' ? paint.bad(level) : paint.warn(level),
    printableLine(subject),
    `${printableLine(message)}${fix === undefined ? '' : paint.dim(`; ${printableLine(fix)}`)}`,
  ])
  const errors = findings.filter(({ level }) => level === 'error').length
  const found = paint.bad(`${countOf(errors, 'problem')} to fix`)
  const sum = errors === 0 ? paint.good('no problems found') : found
  const gap = rows.length === 0 ? '' : '\n'
  return `${formatTable(rows)}${gap}${countOf(specs.length, 'spec')}: ${sum}\n`
}
