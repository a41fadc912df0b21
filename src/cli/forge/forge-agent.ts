import { createHash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import {
  type AgentOptions,
  type AgentPlan,
  type AgentSource,
  type GeneratedFile,
  generateAgent,
  parseRename,
  type Rename,
} from '../../codegen/index.ts'
import type { SpecProblem } from '../../sources/tool-spec/index.ts'
import { asRecord, defined, tryJson } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { parsePort, readChoiceFlag, readListFlag, readTextFlag } from '../flags.ts'
import { readWords } from './forge-flags.ts'
import { importSource, openSource, readSpec } from './import-source.ts'
import { type ReadEarlier, readIfThere } from './merge-spec.ts'
import { readSource } from './read-source.ts'
import { FoundProblems, reportProblems, say } from './report.ts'
import type { TargetFiles } from './target.ts'
import { writeOut } from './write-out.ts'

/** Composes specs into an agent: code for an application, or a project that starts. */
export async function runAgent(input: CommandInput): Promise<number> {
  const name = readTextFlag(input, 'name')
  if (name === undefined) {
    throw new UsageError(
      'what is the agent called? Give --name: waymark forge agent --name ops-bot --tools a.yaml,b.yaml',
    )
  }
  const { sources, warnings } = await readSources(input)
  const out = resolve(input.io.cwd, readTextFlag(input, 'out') ?? name)
  const { plan, files, mayReplace } = planAgent(sources, {
    name,
    read: (path) => readIfThere(out, path),
    input,
  })
  reportProblems(input, warnings)
  const tools = plan.specs.reduce((sum, { tools }) => sum + tools.length, 0)
  say(input, `${name}: ${tools} tools of ${plan.specs.map(({ domain }) => domain).join(', ')}\n`)
  const exit = await writeOut(files, { out, mayReplace }, input)
  if (exit === EXIT.ok && input.flags['standalone'] === true && input.flags['check'] !== true) {
    const place = relative(input.io.cwd, out) || '.'
    say(input, `Start it: cd ${place} && npm install && cp .env.template .env && npm start\n`)
  }
  return exit
}

/** Generates an agent as the flags say, for a folder that may hold an earlier version; writes nothing. */
export function planAgent(
  sources: readonly AgentSource[],
  { name, read, input }: AgentSurroundings,
): TargetFiles & { readonly plan: AgentPlan } {
  const result = generateAgent(sources, { ...readAgentOptions(input), name, previous: read })
  if (!result.ok) throw new FoundProblems(result.problems)
  const wanted = result.files.filter(({ path }) => isWanted(path, input))
  const files = input.flags['standalone'] === true ? [...wanted, toRecord(wanted)] : wanted
  return { plan: result.plan, files, mayReplace: isUntouched(read) }
}

interface AgentSurroundings {
  readonly name: string
  readonly read: ReadEarlier
  readonly input: CommandInput
}

async function readSources(
  input: CommandInput,
): Promise<{ readonly sources: AgentSource[]; readonly warnings: SpecProblem[] }> {
  const sources: AgentSource[] = []
  const warnings: SpecProblem[] = []
  for (const reference of readReferences(input)) {
    const opened = openSource(await readSource(reference, input.io))
    const { file, text } = opened.source
    const read =
      opened.kind === 'openapi' ? await importSource(opened, input) : readSpec(opened.source)
    warnings.push(...read.warnings)
    sources.push({ file, spec: read.spec, ...(opened.kind === 'tool-spec' && { text }) })
  }
  return { sources, warnings }
}

function readReferences(input: CommandInput): readonly string[] {
  const spec = readTextFlag(input, 'spec')
  // A shell that expands tools/*.yaml puts the first file behind the flag and the others after it.
  const tools = [...readWords(input, 'tools'), ...input.positionals.slice(1)]
  if (spec !== undefined && tools.length > 0) {
    throw new UsageError('--spec and --tools exclude each other; give all files to --tools')
  }
  if (spec !== undefined) return [spec]
  if (tools.length > 0) return tools
  throw new UsageError('what can the agent do? Give --spec <file> or --tools a.yaml,b.yaml')
}

function readAgentOptions(input: CommandInput): Omit<AgentOptions, 'name'> {
  const description = readTextFlag(input, 'description')
  const portText = readTextFlag(input, 'port')
  const port = portText === undefined ? undefined : parsePort(portText, '--port')
  const prefix = readChoiceFlag(input, 'prefix', ['domain', 'clash'])
  const waymark = readTextFlag(input, 'waymark')
  return {
    standalone: input.flags['standalone'] === true,
    renames: readListFlag(input, 'rename').map(requireRename),
    ...defined({ description, port, prefix, waymark }),
  }
}

function requireRename(text: string): Rename {
  const rename = parseRename(text)
  if (rename !== undefined) return rename
  throw new UsageError(`--rename must look like zendesk:create_ticket=new_name; got "${text}"`)
}

function isWanted(path: string, input: CommandInput): boolean {
  const isDocker = path === 'Dockerfile' || path === '.dockerignore'
  return !(isDocker && input.flags['no-docker'] === true)
}

const RECORD = '.forge/files.json'

/** Remembers what was written, so that the next run can tell what a person changed since. */
function toRecord(files: readonly GeneratedFile[]): GeneratedFile {
  const hashes = Object.fromEntries(files.map(({ path, text }) => [path, hash(text)]))
  return { path: RECORD, text: `${JSON.stringify(hashes, null, 2)}\n` }
}

function isUntouched(read: ReadEarlier): (path: string) => boolean {
  const record = asRecord(tryJson(read(RECORD) ?? ''))
  return (path) => {
    if (path === RECORD) return true
    const current = read(path)
    return current === undefined || record[path] === hash(current)
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
