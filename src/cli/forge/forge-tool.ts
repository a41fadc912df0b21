import { basename, relative, resolve } from 'node:path'
import { listVariables } from '../../codegen/index.ts'
import { formatToolSpec, type SpecProblem, type ToolSpec } from '../../sources/tool-spec/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { countOf } from '../print.ts'
import {
  importSource,
  type OpenedSource,
  openSource,
  readDomain,
  readSpec,
} from './import-source.ts'
import {
  type IncomingSpec,
  mergeIntoFolder,
  type ReadEarlier,
  readIfThere,
  specPath,
} from './merge-spec.ts'
import { readSource, type SourceText } from './read-source.ts'
import { reportProblems, say, stopAt } from './report.ts'
import { generateTarget, printTarget, readTarget, type TargetFiles } from './target.ts'
import { type Round, runWatched } from './watch.ts'
import { writeOut } from './write-out.ts'

/** Makes a tool spec of an API description and code of both, or code of a tool spec. */
export async function runSpec(input: CommandInput): Promise<number> {
  readTarget(input)
  if (input.flags['watch'] === true) return runWatched(input, () => forgeSpec(input))
  return (await forgeSpec(input)).exit
}

async function forgeSpec(input: CommandInput): Promise<Round> {
  const opened = openSource(await readSource(readTextFlag(input, 'spec') ?? '', input.io))
  if (opened.kind === 'tool-spec') {
    return { exit: await generateFrom(opened.source, input), inputs: [] }
  }
  const incoming = await importIncoming(opened, input)
  const exit = await writeSpec(incoming, input)
  return { exit, inputs: [resolve(outOf(input), specPath(incoming.spec.domain))] }
}

/** A spec on its way to a folder, with what was found while it was made. */
export interface FoundSpec extends IncomingSpec {
  readonly warnings: readonly SpecProblem[]
}

/** Imports an API description as a spec that is to be written. */
export async function importIncoming(
  opened: Extract<OpenedSource, { readonly kind: 'openapi' }>,
  input: CommandInput,
): Promise<FoundSpec> {
  const { spec, warnings } = await importSource(opened, input)
  const text = formatToolSpec(spec, {
    header: [
      `Imported by waymark forge from ${basename(opened.source.file)}.`,
      'Edit it: importing again keeps your changes.',
    ],
  })
  return { spec, text, isImport: true, warnings }
}

/** What becomes of a folder when a spec and what is generated from it are written there. */
export interface SpecPlan extends TargetFiles {
  readonly spec: ToolSpec
  readonly problems: readonly SpecProblem[]
  /** Fields that came in from the new import. */
  readonly taken: readonly string[]
}

/** Merges a spec with the one in a folder and generates from it; writes nothing. */
export function planSpec(incoming: FoundSpec, read: ReadEarlier, input: CommandInput): SpecPlan {
  const merged = mergeIntoFolder(read, incoming)
  const { spec, warnings } = readSpec(
    { file: specPath(incoming.spec.domain), text: merged.text },
    { strictSeed: input.flags['strict-seed'] === true },
  )
  const made = generateTarget(spec, read, input)
  const own = merged.files.map(({ path }) => path)
  return {
    spec,
    files: [...merged.files, ...made.files],
    mayReplace: (path) => own.includes(path) || made.mayReplace(path),
    problems: [...incoming.warnings, ...warnings, ...merged.conflicts],
    taken: merged.taken,
  }
}

function outOf(input: CommandInput): string {
  return resolve(input.io.cwd, readTextFlag(input, 'out') ?? '.')
}

/** Writes a spec, merged with the one in the folder, and its code. */
export async function writeSpec(incoming: FoundSpec, input: CommandInput): Promise<number> {
  const out = outOf(input)
  const file = specPath(incoming.spec.domain)
  if (input.flags['stdout'] === true) {
    const strictSeed = input.flags['strict-seed'] === true
    const checked = readSpec({ file, text: incoming.text }, { strictSeed })
    announce(input, [...incoming.warnings, ...checked.warnings])
    input.io.out(readTarget(input) === 'ts' ? incoming.text : printTarget(checked.spec, input))
    return EXIT.ok
  }
  const plan = planSpec(incoming, (path) => readIfThere(out, path), input)
  announce(input, plan.problems)
  say(input, `${countTools(plan.spec)}\n`)
  const exit = await writeOut(plan.files, { out, mayReplace: plan.mayReplace }, input)
  if (exit === EXIT.ok && input.flags['check'] !== true) {
    say(input, formatMerge(plan.spec, plan.taken))
    say(input, formatNext(plan.spec, relative(input.io.cwd, resolve(out, file)) || file))
  }
  return exit
}

/** Flags that shape an import; a tool spec says all of that itself. */
const IMPORT_FLAGS: readonly string[] = [
  'pick',
  'tag',
  'path-prefix',
  'method',
  'exclude',
  'read-only',
  'no-deprecated',
  'auth-type',
  'auth-env',
  'allow-external-refs',
]

async function generateFrom(source: SourceText, input: CommandInput): Promise<number> {
  const stray = IMPORT_FLAGS.find((name) => input.flags[name] !== undefined)
  if (stray !== undefined) {
    throw new UsageError(
      `--${stray} is for API descriptions; ${source.file} is a tool spec, edit it instead`,
    )
  }
  const read = readSpec(source, { strictSeed: input.flags['strict-seed'] === true })
  const domain = readDomain(input)
  const spec: ToolSpec = domain === undefined ? read.spec : { ...read.spec, domain }
  announce(input, read.warnings)
  const out = outOf(input)
  if (input.flags['stdout'] === true) {
    input.io.out(printTarget(spec, input))
    return EXIT.ok
  }
  const { files, mayReplace } = generateTarget(spec, (path) => readIfThere(out, path), input)
  say(input, `${countTools(spec)}\n`)
  return writeOut(files, { out, mayReplace }, input)
}

/** Prints what was found, once: ending the run prints it as well. */
function announce(input: CommandInput, problems: readonly SpecProblem[]): void {
  stopAt(input, problems)
  reportProblems(input, problems)
}

function countTools({ domain, tools, triggers = [] }: ToolSpec): string {
  const heard = triggers.length > 0 ? `, ${countOf(triggers.length, 'trigger')}` : ''
  return `${domain}: ${countOf(tools.length, 'tool')}${heard}`
}

function formatMerge({ tools }: ToolSpec, taken: readonly string[]): string {
  const names = new Set(tools.map(({ name }) => name))
  const isGone = (path: string): boolean => {
    const tool = /^tools(?:\[\d+\])?\(([^()]+)\)$/.exec(path)?.[1]
    return tool !== undefined && !names.has(tool)
  }
  return [
    formatPaths(
      'Taken from the new import',
      taken.filter((path) => !isGone(path)),
    ),
    formatPaths('Removed, because the new import no longer has them', taken.filter(isGone)),
  ].join('')
}

function formatPaths(title: string, paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const more = paths.length > 10 ? [`  … and ${paths.length - 10} more\n`] : []
  return [`${title}:\n`, ...paths.slice(0, 10).map((path) => `  ${path}\n`), ...more].join('')
}

function formatNext(spec: ToolSpec, file: string): string {
  const names = listVariables([spec]).flatMap(({ variables }) => variables.map(({ name }) => name))
  const needs = names.length === 0 ? '' : `Set ${names.join(', ')} in the environment.\n`
  return `${needs}Try: waymark serve ${file}\n`
}
