import { isRecord } from '../../values/index.ts'
import { type CheckOptions, checkSpec } from './check.ts'
import { explainIssues } from './explain.ts'
import {
  createSpecPlace,
  hasErrors,
  quote,
  type SpecFinding,
  type SpecPlace,
  type SpecProblem,
  toSpecProblems,
} from './finding.ts'
import { checkSeedOnly } from './keys.ts'
import { toolSpecSchema } from './schema.ts'
import type { ToolSpec } from './types.ts'
import { parseYaml, type YamlFault, type YamlLimits, type YamlSource } from './yaml.ts'

/** What a document is, told by its top-level keys. */
export type DocumentKind = 'openapi' | 'tool-spec' | 'unknown'

/** Tells an API description from a tool spec: `openapi`/`swagger`, or `domain` and `tools`. */
export function sniffDocument(value: unknown): DocumentKind {
  if (!isRecord(value)) return 'unknown'
  const has = (key: string): boolean => Object.hasOwn(value, key)
  if (has('openapi') || has('swagger')) return 'openapi'
  if (has('domain') || has('tools')) return 'tool-spec'
  return 'unknown'
}

/** How a tool spec is read. */
export interface ParseToolSpecOptions extends CheckOptions, YamlLimits {
  /** Name of the file, for messages; `<spec>` when absent. */
  readonly file?: string
  /** Reports everything the seed format does not know (E090). */
  readonly strictSeed?: boolean
}

/** What reading a tool spec gives. */
export type ParsedToolSpec =
  | { readonly ok: true; readonly spec: ToolSpec; readonly warnings: readonly SpecProblem[] }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** Parses and checks the YAML text of a tool spec; each problem names file, line, column and field. */
export function parseToolSpec(text: string, options: ParseToolSpecOptions = {}): ParsedToolSpec {
  const { file = '<spec>' } = options
  const yaml = parseYaml(text, options)
  if (!yaml.ok) return { ok: false, problems: yaml.faults.map((fault) => fromFault(fault, file)) }
  return check(yaml.source.value, { ...options, file }, yaml.source)
}

/** Checks a tool spec that is a value already, such as one an importer or a model made. */
export function checkToolSpec(value: unknown, options: ParseToolSpecOptions = {}): ParsedToolSpec {
  return check(value, { ...options, file: options.file ?? '<spec>' }, undefined)
}

function check(
  value: unknown,
  options: ParseToolSpecOptions & { readonly file: string },
  source: YamlSource | undefined,
): ParsedToolSpec {
  const findings: SpecFinding[] = []
  const root = createSpecPlace(value, (finding) => findings.push(finding))
  const toProblems = (): SpecProblem[] =>
    toSpecProblems(findings, { file: options.file, value, ...(source && { source }) })

  explainStranger(root)
  const shape = findings.length === 0 ? toolSpecSchema.safeParse(value) : undefined
  if (shape?.success === false) explainIssues(shape.error.issues, root)
  if (findings.length > 0) return { ok: false, problems: toProblems() }

  // The schema adds and renames nothing, so the value itself is the spec, `x-` keys included.
  const spec = value as ToolSpec
  checkSpec(spec, root, options)
  if (options.strictSeed) checkSeedOnly(root)
  const problems = toProblems()
  return hasErrors(problems) ? { ok: false, problems } : { ok: true, spec, warnings: problems }
}

function explainStranger(root: SpecPlace): void {
  const { value, wrong } = root
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    wrong('E005', 'the file must hold a mapping', 'start with domain: … and tools: …')
    return
  }
  const kind = sniffDocument(value)
  if (kind === 'openapi') {
    const message = `expected a tool spec with domain and tools; found an OpenAPI document, ${quote(value)}`
    root.say('E001', message, 'import it: waymark forge tool --spec <file>')
  } else if (kind === 'unknown') {
    const hint = 'a tool spec has domain and tools, an API description has openapi or swagger'
    wrong('E001', 'neither an OpenAPI document nor a tool spec', hint)
  }
}

function fromFault(fault: YamlFault, file: string): SpecProblem {
  const { code, line, column, message, key = '' } = fault
  const hint = FAULT_HINTS[code]
  return { severity: 'error', code, file, line, column, path: key, message, hint }
}

const FAULT_HINTS: Record<YamlFault['code'], string> = {
  E002: 'correct the YAML at this place',
  E003: 'remove or rename one of the two',
  E004: 'split the file at "---"',
}
