import { isRecord } from '../core/json.ts'
import type { SpecProblem } from './problem.ts'
import type { Step, YamlSource } from './yaml-source.ts'

/** A problem before its place in the text is known. */
export interface Finding {
  readonly code: string
  /** The value the problem is about; a missing one points at its parent. */
  readonly path: readonly Step[]
  /** Set when the problem is the key itself: it is the last step of `path`. */
  readonly atKey?: boolean
  readonly message: string
  readonly hint?: string | undefined
}

/** Takes a finding; rules get one of these instead of returning lists. */
export type Report = (finding: Finding) => void

/** Gives findings their places, names and severities, sorted by position. */
export function toProblems(
  findings: readonly Finding[],
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
export function formatPath(path: readonly Step[], value: unknown): string {
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

function place(finding: Finding, source: YamlSource | undefined): { line: number; column: number } {
  if (source === undefined) return { line: 0, column: 0 }
  const last = finding.path.at(-1)
  if (finding.atKey && typeof last === 'string') {
    return source.locateKey(finding.path.slice(0, -1), last)
  }
  return source.locate(finding.path)
}

function childOf(node: unknown, step: Step): unknown {
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
