import { type Finding, formatChoice, formatFinding, formatTypes, show } from './schema-messages.ts'

/** A failed `anyOf` or `oneOf` with what its branches found. */
export interface FailedChoice {
  readonly error: Finding
  /** The findings of each branch that failed. */
  readonly branches: readonly (readonly Finding[])[]
  readonly valueAt: (pointer: string) => unknown
}

/** Says in as few findings as possible why a value fits none, or more than one, of several forms. */
export function explainChoice(choice: FailedChoice): readonly Finding[] {
  const { error, branches } = choice
  const passing = error.params['passingSchemas']
  if (Array.isArray(passing) && passing.length > 1) {
    const forms = passing.map((index) => Number(index) + 1).join(' and ')
    return [{ ...error, message: `must match exactly one form; it matches forms ${forms}` }]
  }
  return (
    mergeAt(error.pointer, choice) ??
    chooseMeant(choice) ??
    mergeDiscriminator(choice) ?? [{ ...error, message: summarize(branches, choice) }]
  )
}

/** When every branch only asks for another value or type in one place, asks once for any of them. */
function mergeAt(pointer: string, { error, branches, valueAt }: FailedChoice) {
  const all = branches.flat()
  const simple = all.every((finding) => finding.pointer === pointer && isSimple(finding))
  if (!simple || branches.some((branch) => branch.length !== 1)) return undefined
  return [merge(all, pointer, error, valueAt(pointer))]
}

/** Follows the one branch that the value seems to mean: its type and its constants fit. */
function chooseMeant({ error, branches }: FailedChoice): readonly Finding[] | undefined {
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

function merge(findings: readonly Finding[], pointer: string, error: Finding, found: unknown) {
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

function summarize(branches: readonly (readonly Finding[])[], choice: FailedChoice): string {
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

function isSimple({ keyword, message }: Finding): boolean {
  return message === undefined && (keyword === 'type' || isConstant({ keyword }))
}

function isConstant({ keyword }: Pick<Finding, 'keyword'>): boolean {
  return keyword === 'const' || keyword === 'enum'
}

/** A branch is not meant when the value has another type, or another constant directly inside. */
function rulesOut(finding: Finding, error: Finding): boolean {
  const depth = finding.pointer.slice(error.pointer.length).split('/').length - 1
  if (finding.keyword === 'type') return depth === 0
  return isConstant(finding) && depth <= 1
}

function allowedBy(params: Finding['params']): readonly unknown[] {
  const { allowedValues, allowedValue } = params
  if (Array.isArray(allowedValues)) return allowedValues
  return 'allowedValue' in params ? [allowedValue] : []
}
