import type { FieldType } from '../tool-spec/index.ts'
import {
  cleanText,
  cutText,
  firstExample,
  humanize,
  joinSentences,
  MAX_DESCRIPTION,
  showValue,
} from './describe.ts'
import { foldSchema } from './fold.ts'
import type { Folded } from './fold-objects.ts'
import { asFilledText, asFlag, lose, type ReadContext, type Warn } from './node.ts'
import type { FieldDraft, FieldRequest } from './tool.ts'

const NESTED_DESCRIPTION = 400

/** Writes the description of a field: the source's own, what keywords add, an example. */
export function describeField(
  draft: FieldDraft,
  folded: Folded,
  request: FieldRequest & { readonly depth: number; readonly notes: readonly string[] },
  warn: Warn,
): void {
  const { notes, depth } = request
  const { keywords } = folded
  const given =
    request.description ?? asFilledText(keywords['description']) ?? asFilledText(keywords['title'])
  const own = cleanText(given ?? '')
  const invented = own === '' && request.name !== undefined
  const text = invented ? humanize(request.name ?? '') : own
  const limit = depth > 1 ? NESTED_DESCRIPTION : MAX_DESCRIPTION
  const short = cutText(asFlag(keywords['deprecated']) ? `Deprecated: ${text}` : text, limit)
  if (text.length > limit) warn('W110', `description cut to ${limit} characters`, request.place)
  if (invented) {
    warn('W107', 'no description in the source; one was made from the name', request.place)
  }
  const example = showValue(firstExample(request.around) ?? firstExample(keywords))
  const extra = [...notes, example === undefined ? undefined : `Example: ${example}`]
  const full = extra.reduce<string>((soFar, part) => {
    const next = joinSentences([soFar, part])
    return next.length <= MAX_DESCRIPTION ? next : soFar
  }, short)
  if (full !== '' || request.name !== undefined) draft.description = full
}

/** Describes keys of the caller's choice: what they hold can only be said in words. */
export function describeMap(folded: Folded, context: ReadContext): string[] {
  const { additional } = folded
  if (additional === undefined || additional === false || folded.cycle !== undefined) return []
  const keys = folded.properties.size > 0 ? 'Further keys' : 'Keys'
  if (additional === true || isEmptySchema(additional)) {
    return folded.properties.size === 0 ? [`${keys} of your choice`] : []
  }
  const inner = foldSchema(additional, { ...context, trail: folded.trail })
  lose(context, 'what the keys of a map hold is said in the description only')
  return [`${keys} of your choice, holding ${nameType(inner)}`]
}

function isEmptySchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

const PLURALS: Record<FieldType, string> = {
  string: 'texts',
  number: 'numbers',
  integer: 'whole numbers',
  boolean: 'booleans',
  array: 'lists',
  object: 'objects',
}

/** Names the type of a schema in a few words. */
function nameType(folded: Folded): string {
  const plain = folded.type === undefined ? 'values' : PLURALS[folded.type]
  return folded.name === undefined ? plain : `${plain} (${folded.name})`
}
