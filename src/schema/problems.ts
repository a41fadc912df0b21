import {
  formatPointer,
  groupBy,
  isRecord,
  parsePointer,
  resolvePointer,
  shortenPointer,
  toText,
} from '../values/index.ts'
import {
  formatChoice,
  formatFinding,
  formatTypes,
  formatUnknownProperty,
  isLongName,
  type SchemaViolation,
  show,
} from './messages.ts'
import type { Problem } from './schema.ts'

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
  const findings: SchemaViolation[] = []
  for (const error of errors) {
    const finding = toFinding(error)
    const lacksKnown = isUnknown(finding) && finding.pointer === '' && !('known' in finding.params)
    const params = lacksKnown ? { ...finding.params, known: listKnown() } : finding.params
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

function toFinding({ keyword, schemaPath, instancePath, params }: ValidatorError): SchemaViolation {
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
function fold(finding: SchemaViolation, findings: SchemaViolation[], valueAt: ValueAt): void {
  const { keyword, schemaPath, pointer, params } = finding
  const inside = (name: string): SchemaViolation[] => takeInside(`${schemaPath}/${name}`, findings)
  switch (keyword) {
    case 'anyOf':
    case 'oneOf': {
      const path = `${schemaPath}/${keyword}/`
      const indexOf = (found: SchemaViolation) =>
        found.schemaPath.slice(path.length).split('/', 1)[0]
      const branches = [...groupBy(takeInside(path, findings), indexOf).values()]
      findings.push(...explainChoice({ error: finding, branches, valueAt }))
      return
    }
    case 'additionalProperties': {
      const inner = inside(keyword).filter((found) => found.keyword !== 'false schema')
      findings.push(...(inner.length > 0 ? inner : listUnknown(finding, params[keyword])))
      return
    }
    case 'unevaluatedProperties':
      findings.push(...listUnknown(finding, leaveKnown(params, findings)))
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
function takeInside(path: string, findings: SchemaViolation[]): SchemaViolation[] {
  let start = findings.length
  while (start > 0 && findings[start - 1]?.schemaPath.startsWith(path) === true) start -= 1
  return findings.splice(start)
}

function listMembers(finding: SchemaViolation, names: unknown): readonly SchemaViolation[] {
  if (!Array.isArray(names)) return [finding]
  return names.slice(0, MAX_PROBLEMS).map((name) => at(finding, toText(name)))
}

function listMissing(
  finding: SchemaViolation,
  names: unknown,
  value: unknown,
): readonly SchemaViolation[] {
  const missing = [names]
    .flat()
    .filter((name) => isRecord(value) && !Object.hasOwn(value, toText(name)))
  return listMembers(finding, missing)
}

function at(finding: SchemaViolation, name: string): SchemaViolation {
  return { ...finding, pointer: `${finding.pointer}${formatPointer([name])}` }
}

/** Members that a form knows are unevaluated where the form has failed; its own findings say why. */
function leaveKnown(
  params: SchemaViolation['params'],
  findings: readonly SchemaViolation[],
): unknown {
  const { unevaluatedProperties: names, known } = params
  if (!Array.isArray(names) || !Array.isArray(known) || findings.length === 0) return names
  const members = new Set<unknown>(known)
  return names.filter((name) => !members.has(name))
}

/** Says of each unknown property which known one may have been meant. */
function listUnknown(finding: SchemaViolation, names: unknown): readonly SchemaViolation[] {
  if (!Array.isArray(names)) return [finding]
  const { known } = finding.params
  return names.slice(0, MAX_PROBLEMS).map((given, index) => {
    const name = toText(given)
    // A value with hundreds of unknown names has not misspelt one.
    const isSearched = Array.isArray(known) && index < MOST_SUGGESTED
    const members = isSearched ? known.filter((member) => member !== name) : []
    const message = formatUnknownProperty(name, members)
    return isLongName(name) ? { ...finding, message } : { ...at(finding, name), message }
  })
}

/** Names beyond these get no suggestion. */
const MOST_SUGGESTED = 20

/** The value of such a finding is the name of a member, which is not what its pointer shows. */
function toNameFinding(finding: SchemaViolation): SchemaViolation {
  const sentence = formatFinding(finding, lastSegment(finding.pointer))
  return { ...finding, keyword: 'propertyNames', message: `has a name that ${sentence}` }
}

function lastSegment(pointer: string): string {
  return parsePointer(pointer)?.at(-1) ?? ''
}

/** A failed `anyOf` or `oneOf` with what its branches found. */
interface FailedChoice {
  readonly error: SchemaViolation
  /** The findings of each branch that failed. */
  readonly branches: readonly (readonly SchemaViolation[])[]
  readonly valueAt: (pointer: string) => unknown
}

/** Says in as few findings as possible why a value fits none, or more than one, of several forms. */
function explainChoice(choice: FailedChoice): readonly SchemaViolation[] {
  const { error, branches } = choice
  const passing = error.params['passingSchemas']
  if (Array.isArray(passing) && passing.length > 1) {
    const forms = passing.map((index) => Number(index) + 1).join(' and ')
    return [{ ...error, message: `must match exactly one form; it matches forms ${forms}` }]
  }
  const simple = mergeAt(error.pointer, choice) ?? chooseMeant(choice)
  if (simple !== undefined) return simple
  const found = [...findUnknown(choice), ...(mergeDiscriminator(choice) ?? [])]
  return found.length > 0 ? found : [{ ...error, message: summarize(branches, choice) }]
}

/** Names the members that no branch knows, whichever of them is meant. */
function findUnknown({ error, branches }: FailedChoice): readonly SchemaViolation[] {
  const possible = branches.filter((branch) => !branch.some((one) => rulesOut(one, error)))
  const [first = [], ...others] = possible.length > 0 ? possible : branches
  return first.filter(isUnknown).flatMap((finding) => {
    const { pointer, message } = finding
    // The pointer of a long name stops before it, and the message shows it.
    const isShown = pointer === error.pointer
    const same = others.map((branch) =>
      branch.find(
        (one) => isUnknown(one) && one.pointer === pointer && (!isShown || one.message === message),
      ),
    )
    if (same.some((one) => one === undefined)) return []
    if (isShown) return [finding]
    const known = [finding, ...same].flatMap((one) => one?.params['known'] ?? []).map(toText)
    return [{ ...finding, message: formatUnknownProperty(lastSegment(pointer), known) }]
  })
}

function isUnknown({ keyword }: SchemaViolation): boolean {
  return keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
}

/** When every branch only asks for another value or type in one place, asks once for any of them. */
function mergeAt(pointer: string, { error, branches, valueAt }: FailedChoice) {
  const all = branches.flat()
  const simple = all.every((finding) => finding.pointer === pointer && isSimple(finding))
  if (!simple || branches.some((branch) => branch.length !== 1)) return undefined
  return [merge(all, pointer, error, valueAt(pointer))]
}

/** Follows the one branch that the value seems to mean: its type and its constants fit. */
function chooseMeant({ error, branches }: FailedChoice): readonly SchemaViolation[] | undefined {
  const meant = branches.filter((branch) => !branch.some((finding) => rulesOut(finding, error)))
  return meant.length === 1 ? meant[0] : undefined
}

/** When every branch is told apart by a constant in the same member, asks for one of the constants. */
function mergeDiscriminator({ error, branches, valueAt }: FailedChoice) {
  const [first = [], ...others] = branches
  for (const candidate of first.filter(isConstant)) {
    const matching = others.map((branch) =>
      branch.find(({ pointer, ...rest }) => pointer === candidate.pointer && isConstant(rest)),
    )
    if (matching.every((finding) => finding !== undefined)) {
      const { pointer } = candidate
      return [merge([candidate, ...matching], pointer, error, valueAt(pointer))]
    }
  }
  const missing = first.find(
    ({ keyword, pointer }) =>
      keyword === 'required' &&
      others.every((branch) => branch.some((finding) => finding.pointer === pointer)),
  )
  return missing && [missing]
}

function merge(
  findings: readonly SchemaViolation[],
  pointer: string,
  error: SchemaViolation,
  found: unknown,
) {
  const types = [...new Set(findings.flatMap(({ params }) => params['type'] ?? []))]
  const values = [...new Set(findings.flatMap(({ params }) => allowedBy(params)))]
  const { schemaPath } = error
  if (values.length === 0) return { schemaPath, pointer, keyword: 'type', params: { type: types } }
  if (types.length === 0) {
    return { schemaPath, pointer, keyword: 'enum', params: { allowedValues: values } }
  }
  const message = `must be ${formatTypes(types)}, or ${formatChoice(values)}; got ${show(found)}`
  return { ...error, pointer, message }
}

function summarize(
  branches: readonly (readonly SchemaViolation[])[],
  choice: FailedChoice,
): string {
  const reasons = branches.slice(0, MAX_FORMS).flatMap((branch, index) => {
    const [first] = branch
    if (first === undefined) return []
    const place = first.pointer.slice(choice.error.pointer.length)
    const sentence = formatFinding(first, choice.valueAt(first.pointer))
    return `form ${index + 1}: ${place === '' ? '' : `${place} `}${sentence}`
  })
  const more = branches.length > MAX_FORMS ? `; and ${branches.length - MAX_FORMS} more forms` : ''
  return `must match one of ${branches.length} forms (${reasons.join('; ')}${more})`
}

const MAX_FORMS = 3

function isSimple({ keyword, message }: SchemaViolation): boolean {
  return message === undefined && (keyword === 'type' || isConstant({ keyword }))
}

function isConstant({ keyword }: Pick<SchemaViolation, 'keyword'>): boolean {
  return keyword === 'const' || keyword === 'enum'
}

/** A branch is not meant when the value has another type, or another constant directly inside. */
function rulesOut(finding: SchemaViolation, error: SchemaViolation): boolean {
  const depth = finding.pointer.slice(error.pointer.length).split('/').length - 1
  if (finding.keyword === 'type') return depth === 0
  return isConstant(finding) && depth <= 1
}

function allowedBy(params: SchemaViolation['params']): readonly unknown[] {
  const { allowedValues, allowedValue } = params
  if (Array.isArray(allowedValues)) return allowedValues
  return 'allowedValue' in params ? [allowedValue] : []
}
