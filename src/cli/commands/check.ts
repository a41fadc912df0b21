import { type LintFinding, lintProfile } from '../../capabilities/index.ts'
import { checkDocument } from '../../discovery/index.ts'
import {
  formatProblems,
  hasErrors,
  PROBLEM_FORMATS,
  parseToolSpec,
  type SpecProblem,
} from '../../sources/tool-spec/index.ts'
import { isRecord, tryJson } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readChoiceFlag } from '../flags.ts'
import { readDocumentsFlag, readTextFile } from '../read-json.ts'

/** Validates tool specs, discovery documents and capability profiles. */
export async function runCheckCommand(input: CommandInput): Promise<number> {
  if (input.positionals.length === 0) throw new UsageError('which files should be checked?')
  const format =
    readChoiceFlag(input, 'format', PROBLEM_FORMATS) ?? (input.flags['json'] ? 'json' : 'text')
  const problems = input.positionals.flatMap((file) => checkFile(file, input))
  const output = formatProblems(problems, format)
  if (output !== '') input.io.out(`${output}\n`)
  const failed = hasErrors(problems) || (input.flags['strict'] === true && problems.length > 0)
  return failed ? EXIT.input : EXIT.ok
}

function checkFile(file: string, input: CommandInput): readonly SpecProblem[] {
  const text = readTextFile(file, input.io.cwd)
  const value = tryJson(text)
  if (isRecord(value) && 'ucp' in value) return checkProfile(file, value, input)
  if (isRecord(value) && ('discovery' in value || 'forrst' in value)) {
    return checkDocument(value).map(({ pointer, code, message }) =>
      toSpecProblem(file, { severity: 'error', code, pointer, message }),
    )
  }
  const strictSeed = input.flags['strict-seed'] === true
  const parsed = parseToolSpec(text, { file, strictSeed })
  return parsed.ok ? parsed.warnings : parsed.problems
}

function checkProfile(file: string, profile: unknown, input: CommandInput): readonly SpecProblem[] {
  const documents = readDocumentsFlag(input)
  return lintProfile(profile, documents ? { documents } : {}).map((finding) =>
    toSpecProblem(file, finding),
  )
}

function toSpecProblem(
  file: string,
  finding: Omit<LintFinding, 'severity'> & { readonly severity: string },
): SpecProblem {
  const { code, pointer: path, message } = finding
  const severity = finding.severity === 'error' ? 'error' : 'warning'
  return { severity, code, file, line: 0, column: 0, path, message }
}
