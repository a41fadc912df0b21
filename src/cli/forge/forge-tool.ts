import { basename, relative, resolve } from 'node:path'
import { listVariables } from '../../codegen/index.ts'
import { formatToolSpec, type SpecProblem, type ToolSpec } from '../../spec/index.ts'
import type { CommandInput } from '../command.ts'
import { EXIT, UsageError } from '../exit.ts'
import { readText } from '../flags.ts'
import { importSource, openSource, readDomain, readSpec } from './import-source.ts'
import { type IncomingSpec, mergeIntoFolder, specPath } from './merge-spec.ts'
import { readSource, type SourceText } from './read-source.ts'
import { reportProblems, say, stopAt } from './report.ts'
import { generateTarget, printTarget, readTarget } from './target.ts'
import { type Round, runWatched } from './watch.ts'
import { writeOut } from './write-out.ts'

/** Makes a tool spec of an API description and code of both, or code of a tool spec. */
export async function runSpec(input: CommandInput): Promise<number> {
  readTarget(input)
  if (input.flags['watch'] === true) return runWatched(input, () => forgeSpec(input))
  return (await forgeSpec(input)).exit
}

async function forgeSpec(input: CommandInput): Promise<Round> {
  const opened = openSource(await readSource(readText(input, 'spec') ?? '', input.io))
  if (opened.kind === 'tool-spec') {
    return { exit: await generateFrom(opened.source, input), inputs: [] }
  }
  const { spec, warnings } = await importSource(opened, input)
  const text = formatToolSpec(spec, {
    header: [
      `Imported by waymark forge from ${basename(opened.source.file)}.`,
      'Edit it: importing again keeps your changes.',
    ],
  })
  const exit = await writeSpec({ spec, text, isImport: true, warnings }, input)
  return { exit, inputs: [resolve(outOf(input), specPath(spec.domain))] }
}

function outOf(input: CommandInput): string {
  return resolve(input.io.cwd, readText(input, 'out') ?? '.')
}

/** Writes a spec, merged with the one in the folder, and its code. */
export async function writeSpec(
  incoming: IncomingSpec & { readonly warnings: readonly SpecProblem[] },
  input: CommandInput,
): Promise<number> {
  const out = outOf(input)
  const options = { strictSeed: input.flags['strict-seed'] === true }
  const file = specPath(incoming.spec.domain)
  if (input.flags['stdout'] === true) {
    const checked = readSpec({ file, text: incoming.text }, options)
    announce(input, [...incoming.warnings, ...checked.warnings])
    input.io.out(readTarget(input) === 'ts' ? incoming.text : printTarget(checked.spec, input))
    return EXIT.ok
  }
  const merged = mergeIntoFolder(out, incoming)
  const { spec, warnings } = readSpec({ file, text: merged.text }, options)
  announce(input, [...incoming.warnings, ...warnings, ...merged.conflicts])
  const made = generateTarget(spec, out, input)
  const own = merged.files.map(({ path }) => path)
  const files = [...merged.files, ...made.files]
  say(input, `${countTools(spec)}\n`)
  const mayReplace = (path: string): boolean => own.includes(path) || made.mayReplace(path)
  const exit = await writeOut(files, { out, mayReplace }, input)
  if (exit === EXIT.ok && input.flags['check'] !== true) {
    say(input, formatMerge(spec, merged.taken))
    say(input, formatNext(spec, relative(input.io.cwd, resolve(out, file)) || file))
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
  const { files, mayReplace } = generateTarget(spec, out, input)
  say(input, `${countTools(spec)}\n`)
  return writeOut(files, { out, mayReplace }, input)
}

/** Prints what was found, once: ending the run prints it as well. */
function announce(input: CommandInput, problems: readonly SpecProblem[]): void {
  stopAt(input, problems)
  reportProblems(input, problems)
}

function countTools({ domain, tools, triggers = [] }: ToolSpec): string {
  const count = (number: number, noun: string): string =>
    `${number} ${noun}${number === 1 ? '' : 's'}`
  const parts = [
    count(tools.length, 'tool'),
    ...(triggers.length > 0 ? [count(triggers.length, 'trigger')] : []),
  ]
  return `${domain}: ${parts.join(', ')}`
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
    formatPaths('Removed, because the new import has them no longer', taken.filter(isGone)),
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
