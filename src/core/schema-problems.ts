import { isRecord } from './json.ts'
import { formatPointer, resolvePointer, shortenPointer } from './pointer.ts'
import type { Problem } from './schema.ts'
import { explainChoice } from './schema-choices.ts'
import {
  type Finding,
  formatFinding,
  formatUnknownProperty,
  isLongName,
} from './schema-messages.ts'
import { toText } from './text.ts'

/** How many problems of one value are reported; more would only be noise. */
export const MAX_PROBLEMS = 100

/** A finding as the validator reports it: those inside a keyword come before the keyword's own. */
export interface ValidatorError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

/** Turns what the validator found into problems a person understands. */
export function toProblems(
  errors: readonly ValidatorError[],
  value: unknown,
  /** Lists the members that the schema knows at its root, through all it refers to. */
  listKnown: () => readonly string[] = () => [],
): readonly [Problem, ...Problem[]] {
  const valueAt = (pointer: string): unknown => resolvePointer(value, pointer)
  const findings: Finding[] = []
  for (const error of errors) {
    const finding = toFinding(error)
    const isUnknown = finding.keyword === 'unevaluatedProperties' && finding.pointer === ''
    const params = isUnknown ? { ...finding.params, known: listKnown() } : finding.params
    fold({ ...finding, params }, findings, valueAt)
  }
  const problems = new Map<string, Problem>()
  for (const finding of findings) {
    const { keyword } = finding
    const message = formatFinding(finding, valueAt(finding.pointer))
    const pointer = shortenPointer(finding.pointer)
    problems.set(`${pointer} ${message}`, { pointer, code: keyword, message })
  }
  const [first, ...rest] = [...problems.values()].slice(0, MAX_PROBLEMS)
  return [first ?? { pointer: '', code: 'schema', message: 'does not match the schema' }, ...rest]
}

type ValueAt = (pointer: string) => unknown

function toFinding({ keyword, schemaPath, instancePath, params }: ValidatorError): Finding {
  const own = 'message' in params ? params.message : undefined
  // Rules of ours report under the keyword they stand for.
  if (keyword === '~refine' && isRecord(own) && isRecord(own['params'])) {
    return {
      schemaPath,
      pointer: instancePath,
      keyword: toText(own['keyword']),
      params: own['params'],
    }
  }
  return {
    schemaPath,
    pointer: instancePath,
    keyword: keyword === 'boolean' ? 'false schema' : keyword,
    params: { ...params },
  }
}

/** Adds a finding, taking back those inside it that it replaces. */
function fold(finding: Finding, findings: Finding[], valueAt: ValueAt): void {
  const { keyword, schemaPath, pointer, params } = finding
  const inside = (name: string): Finding[] => takeInside(`${schemaPath}/${name}`, findings)
  switch (keyword) {
    case 'anyOf':
    case 'oneOf': {
      const path = `${schemaPath}/${keyword}/`
      const branches = groupBranches(takeInside(path, findings), path)
      findings.push(...explainChoice({ error: finding, branches, valueAt }))
      return
    }
    case 'additionalProperties': {
      const inner = inside(keyword).filter((found) => found.keyword !== 'false schema')
      findings.push(...(inner.length > 0 ? inner : listUnknown(finding, params[keyword])))
      return
    }
    case 'unevaluatedProperties':
      findings.push(...listUnknown(finding, params[keyword]))
      return
    case 'unevaluatedItems':
      findings.push(...listMembers(finding, params[keyword]))
      return
    case 'required':
      findings.push(...listMembers(finding, params['requiredProperties']))
      return
    case 'dependencies':
    case 'dependentRequired':
      findings.push(...listMissing(finding, params['dependencies'], valueAt(pointer)))
      return
    case 'propertyNames':
      findings.push(...inside(keyword).map(toNameFinding))
      return
    case 'if':
      if (findings.at(-1)?.schemaPath.startsWith(schemaPath) !== true) findings.push(finding)
      return
    default:
      findings.push(finding)
  }
}

/** Removes the findings at the end of the list that stand below a place in the schema. */
function takeInside(path: string, findings: Finding[]): Finding[] {
  let start = findings.length
  while (start > 0 && findings[start - 1]?.schemaPath.startsWith(path) === true) start -= 1
  return findings.splice(start)
}

function groupBranches(findings: readonly Finding[], path: string): readonly Finding[][] {
  const branches = new Map<string, Finding[]>()
  for (const finding of findings) {
    const [index = ''] = finding.schemaPath.slice(path.length).split('/')
    branches.set(index, [...(branches.get(index) ?? []), finding])
  }
  return [...branches.values()]
}

function listMembers(finding: Finding, names: unknown): readonly Finding[] {
  if (!Array.isArray(names)) return [finding]
  return names.slice(0, MAX_PROBLEMS).map((name) => at(finding, toText(name)))
}

function listMissing(finding: Finding, names: unknown, value: unknown): readonly Finding[] {
  const missing = [names]
    .flat()
    .filter((name) => isRecord(value) && !Object.hasOwn(value, toText(name)))
  return listMembers(finding, missing)
}

function at(finding: Finding, name: string): Finding {
  return { ...finding, pointer: `${finding.pointer}${formatPointer([name])}` }
}

/** Says of each unknown property which known one may have been meant. */
function listUnknown(finding: Finding, names: unknown): readonly Finding[] {
  if (!Array.isArray(names)) return [finding]
  const { known } = finding.params
  return names.slice(0, MAX_PROBLEMS).map((given, index) => {
    const name = toText(given)
    // Whoever sends hundreds of names has not misspelt one.
    const members = Array.isArray(known) && index < MOST_SUGGESTED ? known : []
    const message = formatUnknownProperty(name, members)
    return isLongName(name) ? { ...finding, message } : { ...at(finding, name), message }
  })
}

/** For more names than these nobody looks for the one that was meant. */
const MOST_SUGGESTED = 20

/** The value of such a finding is the name of a member, which is not what its pointer shows. */
function toNameFinding(finding: Finding): Finding {
  const sentence = formatFinding(finding, lastSegment(finding.pointer))
  return { ...finding, keyword: 'propertyNames', message: `has a name that ${sentence}` }
}

function lastSegment(pointer: string): string {
  const segment = pointer.slice(pointer.lastIndexOf('/') + 1)
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
