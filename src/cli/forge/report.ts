import {
  formatProblems,
  hasErrors,
  PROBLEM_FORMATS,
  type ProblemFormat,
  type SpecProblem,
  summarizeProblems,
} from '../../spec/index.ts'
import type { CommandInput } from '../command.ts'
import { UsageError } from '../exit.ts'
import { readText } from '../flags.ts'
import { printable } from '../print.ts'

/** Problems that end a run: the input cannot be used as it is. */
export class FoundProblems extends Error {
  override readonly name = 'FoundProblems'
  readonly problems: readonly SpecProblem[]

  constructor(problems: readonly SpecProblem[]) {
    super(summarizeProblems(problems))
    this.problems = problems
  }
}

/** Reads how problems are to be printed; undefined when nobody said so. */
export function readFormat(input: CommandInput): ProblemFormat | undefined {
  const format = readText(input, 'format') ?? (input.flags['json'] ? 'json' : undefined)
  if (format === undefined) return undefined
  const known = PROBLEM_FORMATS.find((candidate) => candidate === format)
  if (known !== undefined) return known
  throw new UsageError(`--format must be ${PROBLEM_FORMATS.join(', ')}; got "${format}"`)
}

/** Tells whether standard output belongs to a machine, so that words for people go elsewhere. */
export function isForMachines(input: CommandInput): boolean {
  const format = readFormat(input)
  return input.flags['stdout'] === true || format === 'json' || format === 'github'
}

/** Says something to a person, where it does not disturb what a machine reads. */
export function say(input: CommandInput, text: string): void {
  const write = isForMachines(input) ? input.io.err : input.io.out
  write(printable(text))
}

/** Prints what was found on the way: all of it in the format asked for, else the first with a count. */
export function reportProblems(input: CommandInput, problems: readonly SpecProblem[]): void {
  const format = readFormat(input)
  const toMachine = (format === 'json' || format === 'github') && input.flags['stdout'] !== true
  if (problems.length === 0 && format !== 'json') return
  const shown =
    format === undefined && problems.length > MAX_SHOWN
      ? formatShort(problems)
      : formatProblems(problems, format ?? 'text')
  const write = toMachine ? input.io.out : input.io.err
  write(`${printable(shown)}\n`)
}

/** Ends the run when problems must stop it: errors always, anything under `--strict`. */
export function stopAt(input: CommandInput, problems: readonly SpecProblem[]): void {
  const isStrict = input.flags['strict'] === true
  if (hasErrors(problems) || (isStrict && problems.length > 0)) throw new FoundProblems(problems)
}

const MAX_SHOWN = 20

function formatShort(problems: readonly SpecProblem[]): string {
  const worst = [
    ...problems.filter(({ severity }) => severity === 'error'),
    ...problems.filter(({ severity }) => severity !== 'error'),
  ]
  const counts = new Map<string, number>()
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1)
  const byCode = [...counts].map(([code, count]) => `${code} ${count}`).join(', ')
  const body = formatProblems(worst.slice(0, 5), 'text').split('\n\n').slice(0, -1).join('\n\n')
  return [
    body,
    `… and ${problems.length - 5} more; --format text shows all, docs/tool-spec.md explains the codes`,
    `${summarizeProblems(problems)} (${byCode})`,
  ].join('\n\n')
}
