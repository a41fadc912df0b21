import { isRecord } from '../../values/index.ts'
import type { PathStep, YamlSource } from './yaml.ts'

/** How bad a problem is: an error stops, a warning does not. */
export type Severity = 'error' | 'warning'

/** Something wrong with a tool spec or lost on import, as data. */
export interface SpecProblem {
  readonly severity: Severity
  /** E… for errors, W… for warnings; docs/reference/tool-spec.md lists them all. */
  readonly code: string
  /** The file as the caller named it. */
  readonly file: string
  /** Counted from 1; 0 when the problem has no place in a file. */
  readonly line: number
  readonly column: number
  /** The field, such as `tools[1](plant_tree).body[0](kind).type`. */
  readonly path: string
  /** What is wrong, with what was expected and found. */
  readonly message: string
  /** What to write instead. */
  readonly hint?: string
}

/** Ways to print problems. */
export const PROBLEM_FORMATS = ['text', 'json', 'github'] as const
/** A way to print problems. */
export type ProblemFormat = (typeof PROBLEM_FORMATS)[number]

/** Tells whether any of the problems is an error. */
export function hasErrors(problems: readonly SpecProblem[]): boolean {
  return problems.some((problem) => problem.severity === 'error')
}

/** Prints problems: `text` for people, `json` for programs, `github` as workflow annotations. */
export function formatProblems(problems: readonly SpecProblem[], format: ProblemFormat): string {
  return PRINTERS[format](problems)
}

/** Counts errors and warnings in one line, the last line of every report. */
export function summarizeProblems(problems: readonly SpecProblem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length
  const warnings = problems.length - errors
  return `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`
}

const PRINTERS: Record<ProblemFormat, (problems: readonly SpecProblem[]) => string> = {
  text: (problems) => [...problems.map(toText), summarizeProblems(problems)].join('\n\n'),
  json: (problems) => JSON.stringify(problems.map(toPlain), null, 2),
  github: (problems) => problems.map(toAnnotation).join('\n'),
}

function toText(problem: SpecProblem): string {
  const place = problem.line > 0 ? `:${problem.line}:${problem.column}` : ''
  const head = `${problem.file}${place}  ${problem.severity}  ${problem.code}  ${problem.path}`
  const body = [problem.message, problem.hint].filter((text) => text !== undefined)
  const lines = body.flatMap((text) => text.split('\n'))
  return [head.trimEnd(), ...lines.map((line) => `    ${line}`)].join('\n')
}

function toPlain(problem: SpecProblem): Record<string, unknown> {
  const { file, line, column, severity, code, path, message, hint } = problem
  return { file, line, column, severity, code, path, message, hint: hint ?? null }
}

function toAnnotation(problem: SpecProblem): string {
  const title = `${problem.code} ${problem.path}`.trimEnd()
  const text = problem.hint === undefined ? problem.message : `${problem.message}\n${problem.hint}`
  const place = problem.line > 0 ? `,line=${problem.line},col=${problem.column}` : ''
  const file = escapeProperty(problem.file)
  return `::${problem.severity} file=${file}${place},title=${escapeProperty(title)}::${escapeData(text)}`
}

function escapeData(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A problem before its position in the text is known. */
export interface SpecFinding {
  readonly code: string
  /** The value the problem is about; a missing one points at its parent. */
  readonly path: readonly PathStep[]
  /** Set when the problem is the key itself: it is the last step of `path`. */
  readonly atKey?: boolean
  readonly message: string
  readonly hint?: string | undefined
}

/** Takes a finding; rules get one of these instead of returning lists. */
export type Report = (finding: SpecFinding) => void

/** Reports a finding; the hint says what to write instead. */
type Say = (code: string, message: string, hint?: string) => void

/** A place of a spec: what stands there, and how to say what is wrong with it. */
export interface SpecPlace {
  readonly path: readonly PathStep[]
  /** Undefined when nothing stands there. */
  readonly value: unknown
  /** Gives a place further in. */
  readonly at: (...steps: readonly PathStep[]) => SpecPlace
  /** Visits the entries of the list that stands here. */
  readonly each: <Entry>(
    entries: readonly Entry[] | undefined,
    visit: (entry: Entry, place: SpecPlace, index: number) => void,
  ) => void
  /** Reports a finding about the value. */
  readonly say: Say
  /** Reports a finding about the key that leads here. */
  readonly sayKey: Say
  /** Reports a value that is not what was expected; the message ends with what was found. */
  readonly wrong: Say
}

/** Creates the place of a value; findings about it and what it holds go to `report`. */
export function createSpecPlace(
  value: unknown,
  report: Report,
  path: readonly PathStep[] = [],
): SpecPlace {
  const at: SpecPlace['at'] = (...steps) =>
    createSpecPlace(steps.reduce(childOf, value), report, [...path, ...steps])
  return {
    path,
    value,
    at,
    each(entries, visit) {
      for (const [index, entry] of (entries ?? []).entries()) visit(entry, at(index), index)
    },
    say: (code, message, hint) => report({ code, path, message, hint }),
    sayKey: (code, message, hint) => report({ code, path, atKey: true, message, hint }),
    wrong: (code, expected, hint) =>
      report({ code, path, message: `${expected}; found ${quote(value)}`, hint }),
  }
}

/** Gives findings their places, names and severities, sorted by position. */
export function toSpecProblems(
  findings: readonly SpecFinding[],
  context: { readonly file: string; readonly value: unknown; readonly source?: YamlSource },
): SpecProblem[] {
  const { file, value, source } = context
  return findings
    .map((finding): SpecProblem => {
      const { line, column } = place(finding, source)
      return {
        severity: finding.code.startsWith('E') ? 'error' : 'warning',
        code: finding.code,
        file,
        line,
        column,
        path: formatPath(finding.path, value),
        message: finding.message,
        ...(finding.hint !== undefined && { hint: finding.hint }),
      }
    })
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

/** Writes a path with the names of what it goes through: `tools[1](plant_tree).path`. */
export function formatPath(path: readonly PathStep[], value: unknown): string {
  let node = value
  let text = ''
  for (const step of path) {
    node = childOf(node, step)
    if (typeof step === 'string') text += text === '' ? step : `.${step}`
    else text += `[${step}]${nameOf(node)}`
  }
  return text
}

/** Quotes a found value for a message, cut at 60 characters. */
export function quote(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isRecord(value)) return `a mapping with ${cut(Object.keys(value).join(', ') || 'no keys')}`
  return cut(typeof value === 'number' ? String(value) : JSON.stringify(value))
}

function place(
  finding: SpecFinding,
  source: YamlSource | undefined,
): { line: number; column: number } {
  if (source === undefined) return { line: 0, column: 0 }
  const last = finding.path.at(-1)
  if (finding.atKey && typeof last === 'string') {
    return source.locateKey(finding.path.slice(0, -1), last)
  }
  return source.locate(finding.path)
}

function childOf(node: unknown, step: PathStep): unknown {
  if (Array.isArray(node)) return node[Number(step)]
  return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined
}

function nameOf(node: unknown): string {
  if (!isRecord(node) || typeof node['name'] !== 'string') return ''
  return `(${cut(node['name'])})`
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
