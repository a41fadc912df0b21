import {
  formatProblems,
  hasErrors,
  PROBLEM_FORMATS,
  type ProblemFormat,
  type SpecProblem,
  summarizeProblems,
} from '../../sources/tool-spec/index.ts'
import { groupBy } from '../../values/index.ts'
import type { CommandInput } from '../command.ts'
import { readChoiceFlag } from '../flags.ts'
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
  return (
    readChoiceFlag(input, 'format', PROBLEM_FORMATS) ?? (input.flags['json'] ? 'json' : undefined)
  )
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

/** One example of each code says more than the first of hundreds. */
function formatShort(problems: readonly SpecProblem[]): string {
  const groups = groupBy(problems, ({ code }) => code)
  const examples = [...groups.values()].flatMap((group) => group.slice(0, 1))
  const counts = [...groups].map(([code, { length }]) => `${code} ${length}`).join(', ')
  const body = formatProblems(examples, 'text').split('\n\n').slice(0, -1)
  return [
    ...body,
    `… and ${problems.length - examples.length} more; --format text shows all`,
    `${summarizeProblems(problems)} (${counts})`,
  ].join('\n\n')
}
