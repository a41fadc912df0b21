import { formatProblems, hasErrors, parseToolSpec } from '../../sources/tool-spec/index.ts'
import { type CommandInput, EXIT } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { printable } from '../print.ts'
import { readSource } from './read-source.ts'
import { readFormat } from './report.ts'

/** Checks tool specs and says everything that is wrong with them; nothing is generated. */
export async function runValidate(input: CommandInput): Promise<number> {
  // A shell that expands tools/*.yaml puts the first file behind the flag and the others after it.
  const references = [readTextFlag(input, 'validate') ?? '', ...input.positionals.slice(1)]
  const sources = await Promise.all(references.map((name) => readSource(name, input.io)))
  const strictSeed = input.flags['strict-seed'] === true
  const problems = sources.flatMap(({ file, text }) => {
    const parsed = parseToolSpec(text, { file, strictSeed })
    return parsed.ok ? parsed.warnings : parsed.problems
  })
  const output = formatProblems(problems, readFormat(input) ?? 'text')
  if (output !== '') input.io.out(`${printable(output)}\n`)
  const isStrict = input.flags['strict'] === true
  return hasErrors(problems) || (isStrict && problems.length > 0) ? EXIT.input : EXIT.ok
}
