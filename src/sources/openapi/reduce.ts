import { requireAll } from '../../schema/index.ts'
import { type FieldDef, type FieldType, takesDigits } from '../tool-spec/index.ts'
import { cutText, joinSentences, MAX_DESCRIPTION } from './describe.ts'
import { describeField, describeMap } from './field-text.ts'
import { foldSchema } from './fold.ts'
import type { Folded } from './fold-objects.ts'
import { applyKeywords } from './keywords.ts'
import { asFlag, type ReadContext, type Warn, withWarn } from './node.ts'
import type { FieldDraft, FieldRequest } from './tool.ts'

/** Limits of one tool. */
export interface ReduceLimits {
  /** Levels of nesting; deeper objects become free-form. */
  readonly maxDepth: number
  /** Size of the schema of one tool in bytes; deep optional parts beyond it become free-form. */
  readonly maxBytes: number
  /** Properties that this direction does not have: `readOnly` in requests, `writeOnly` in payloads. */
  readonly leaveOut: 'readOnly' | 'writeOnly'
}

/** Turns schemas into fields, breadth first: what does not fit is what lies deepest. */
export interface Reducer {
  readonly context: ReadContext
  /** Folds a schema, which may stand inside another one, without making a field of it. */
  fold(schema: unknown, place: string, above?: Folded): Folded
  /** Makes a field of a folded schema; its nested parts are filled by `finish`. */
  start(folded: Folded, request: FieldRequest): FieldDraft
  /** Fills everything nested that fits the limits. */
  finish(): void
}

/** Creates a reducer for one tool. */
export function createReducer(context: ReadContext, limits: ReduceLimits): Reducer {
  const pending: Parameters<Warn>[] = []
  const quiet = withWarn(context, (...warning) => void pending.push(warning))
  const state: State = { context: quiet, limits, pending, used: 0, cuts: 0, waiting: [], later: [] }
  return {
    context: quiet,
    fold: (schema, place, above) => foldSchema(schema, { ...quiet, place, trail: above?.trail }),
    start: (folded, request) => build(state, folded, request, 1),
    finish() {
      fillWaiting(state)
      for (const alternatives of state.later.splice(0)) fillAlternatives(state, alternatives)
      for (const warning of pending.splice(0)) context.warn(...warning)
    },
  }
}

interface State {
  readonly context: ReadContext
  readonly limits: ReduceLimits
  /** Warnings that are told at the end: those about parts that were cut again are taken back. */
  readonly pending: Parameters<Warn>[]
  used: number
  /** Objects left free-form for lack of room. */
  cuts: number
  /** Objects whose properties are still to be filled, by depth. */
  waiting: Waiting[][]
  /** Exact alternatives come last: the plain form is worth more. */
  later: Alternatives[]
}

interface Waiting {
  readonly draft: FieldDraft
  readonly folded: Folded
  readonly place: string
  readonly required: boolean
  readonly depth: number
}

interface Alternatives extends Waiting {
  readonly schemas: readonly unknown[]
}

/** Begins a field with its keys in the order people read them. */
function startDraft(type: FieldType, required: boolean, name: string | undefined): FieldDraft {
  if (name === undefined) return required ? { type, required } : { type }
  return required ? { name, type, required, description: '' } : { name, type, description: '' }
}

/** Makes one field with everything but its nested properties. */
function build(state: State, folded: Folded, request: FieldRequest, depth: number): FieldDraft {
  const { place, required } = request
  const { warn } = state.context
  const draft = startDraft(folded.type ?? 'string', required, request.name)
  const notes = [...folded.notes]
  if (folded.cycle !== undefined) {
    draft.type = folded.type === 'array' ? 'array' : 'object'
    notes.push(`Contains ${folded.cycle} again; free-form here`)
    warn(
      'W102',
      `recursive schema cut at depth ${depth}: ${folded.cycle} is free-form there`,
      place,
    )
  }
  notes.push(...applyKeywords(draft, folded, (message) => warn('W101', message, place)))
  if (draft.type === 'object') notes.push(...describeMap(folded, { ...state.context, place }))
  describeField(draft, folded, { ...request, depth, notes }, warn)
  if (folded.nullable || (folded.untyped && !request.isParameter)) draft.nullable = true
  state.used += sizeOf(draft)
  if (folded.cycle === undefined) {
    fillStructure(state, { draft, folded, place, required, depth })
  }
  return draft
}

function fillStructure(state: State, at: Waiting): void {
  const { draft, folded, depth } = at
  if (draft.type === 'array' && folded.items !== undefined) fillItems(state, at)
  if (draft.type === 'object') fillValues(state, at)
  if (draft.type === 'object' && folded.properties.size > 0) {
    const queue = state.waiting[depth] ?? []
    state.waiting[depth] = queue
    queue.push(at)
  }
  const schemas = alternativesOf(folded)
  if (schemas.length > 0) state.later.push({ ...at, schemas })
}

/** Folds a schema that stands inside another one. */
function foldBelow({ context }: State, schema: unknown, { trail }: Folded, place: string): Folded {
  return foldSchema(schema, { ...context, place, trail })
}

function fillItems(state: State, at: Waiting): void {
  const { draft, folded, place, depth } = at
  const here = `${place}[]`
  if (depth >= state.limits.maxDepth) {
    state.context.warn('W102', `nesting deeper than ${state.limits.maxDepth} levels is cut`, here)
    return
  }
  const inner = foldBelow(state, folded.items, folded, here)
  if (!isAny(inner)) draft.items = build(state, inner, { place: here, required: false }, depth + 1)
}

/** What keys of the caller's choice hold is said in words, unless digits have to become numbers there. */
function fillValues(state: State, at: Waiting): void {
  const { draft, folded, place, depth } = at
  const { additional } = folded
  if (typeof additional !== 'object' || additional === null || depth >= state.limits.maxDepth)
    return
  const inner = foldBelow(state, additional, folded, place)
  const values = inner.type === 'array' ? inner.items : undefined
  const leaf = values === undefined ? inner : foldBelow(state, values, inner, place)
  if (leaf.type === undefined || !takesDigits({ type: leaf.type, ...formatOf(leaf) })) return
  draft.values = build(state, inner, { place, required: false }, depth + 1)
}

function formatOf({ keywords }: Folded): Pick<FieldDef, 'format'> {
  const { format } = keywords
  return typeof format === 'string' ? { format } : {}
}

/** True for a schema that says nothing. */
function isAny(folded: Folded): boolean {
  return (
    folded.type === undefined &&
    folded.types.length === 0 &&
    folded.alternatives.length === 0 &&
    folded.cycle === undefined
  )
}

/** Fills objects level by level, required ones first, until the budget is used up. */
function fillWaiting(state: State): void {
  for (let depth = 0; depth < state.waiting.length; depth++) {
    const level = state.waiting[depth] ?? []
    const ordered = [...level.filter((at) => at.required), ...level.filter((at) => !at.required)]
    for (const at of ordered) fillProperties(state, at)
  }
  state.waiting = []
}

/** All properties of an object, or none: half an object would look complete. */
function fillProperties(state: State, at: Waiting): void {
  const { draft, folded, place, depth } = at
  const { maxDepth, maxBytes, leaveOut } = state.limits
  if (depth >= maxDepth) {
    cut(draft, folded)
    const message = `nesting deeper than ${maxDepth} levels is cut; the object is free-form`
    state.context.warn('W102', message, place)
    return
  }
  const allowed = at.required ? maxBytes * 4 : maxBytes
  const takeBack = remember(state)
  const fields: FieldDraft[] = []
  for (const [name, schemas] of folded.properties) {
    if (state.used > allowed) break
    const here = `${place}.${name}`
    const inner = foldBelow(state, requireAll(schemas), folded, here)
    if (asFlag(inner.keywords[leaveOut])) continue
    const required = folded.required.has(name)
    fields.push(build(state, inner, { place: here, required, name }, depth + 1))
  }
  if (state.used <= allowed) {
    draft.properties = fields
    return
  }
  takeBack()
  state.cuts += 1
  cut(draft, folded)
  const message = `the schema is larger than ${maxBytes} bytes; deep parts are free-form`
  state.context.warn('W101', message, place)
}

/** Remembers where the state is now; the answer goes back there. */
function remember(state: State): () => void {
  const { used } = state
  const lengths = Array.from(state.waiting, (level) => level?.length ?? 0)
  const [later, pending] = [state.later.length, state.pending.length]
  return () => {
    state.used = used
    state.later.length = later
    state.pending.length = pending
    for (const [depth, level] of state.waiting.entries()) {
      if (level) level.length = lengths[depth] ?? 0
    }
  }
}

/** Leaves an object free-form, naming its fields in the description. */
function cut(draft: FieldDraft, folded: Folded): void {
  const names = [...folded.properties.keys()].slice(0, 12).join(', ')
  const more = folded.properties.size > 12 ? ' …' : ''
  const note = `Free-form object with ${names}${more}`
  draft.description = cutText(joinSentences([draft.description, note]), MAX_DESCRIPTION)
}

function alternativesOf(folded: Folded): readonly unknown[] {
  if (folded.alternatives.length > 0) return folded.alternatives
  if (folded.types.length > 1) return folded.types.map((type) => asSingleType(folded, type))
  return folded.type === undefined ? ANY_VALUE : []
}

function asSingleType(folded: Folded, type: FieldType): unknown {
  const properties = Array.from(folded.properties, ([name, schemas]): [string, unknown] => [
    name,
    requireAll(schemas),
  ])
  return {
    ...folded.keywords,
    type,
    ...(type === 'array' && { items: folded.items }),
    ...(type === 'object' && {
      properties: Object.fromEntries(properties),
      required: [...folded.required],
    }),
  }
}

const ANY_VALUE: readonly unknown[] = ['string', 'number', 'boolean', 'object', 'array'].map(
  (type) => ({ type }),
)

/** Alternatives this small are kept beyond the budget, up to twice of it. */
const SMALL = 400

function fillAlternatives(state: State, at: Alternatives): void {
  const { draft, folded, place, depth } = at
  const pending: Parameters<Warn>[] = []
  const context = withWarn(state.context, (...warning) => void pending.push(warning))
  const inner: State = { ...state, context, pending, cuts: 0, waiting: [], later: [] }
  const drafts = at.schemas.map((schema) =>
    build(inner, foldBelow(inner, schema, folded, place), { place, required: false }, depth + 1),
  )
  fillWaiting(inner)
  for (const nested of inner.later.splice(0)) fillAlternatives(inner, nested)
  const isSmall = inner.used - state.used <= SMALL && inner.used <= state.limits.maxBytes * 2
  if (
    depth > state.limits.maxDepth ||
    (!isSmall && (inner.cuts > 0 || inner.used > state.limits.maxBytes))
  ) {
    const message = 'the exact alternatives do not fit; only the plain form is kept'
    state.context.warn('W101', message, place)
    return
  }
  state.used = inner.used
  draft.any_of = drafts.map(withoutNull)
}

/** Null is said once, beside the alternatives. */
function withoutNull(draft: FieldDraft): FieldDraft {
  const { nullable: _, ...rest } = draft
  return rest
}

/** About what the field costs in the schema a model reads. */
function sizeOf(draft: FieldDraft): number {
  let size = 28 + (draft.name ?? '').length + (draft.description ?? '').length
  if (draft.nullable) size += 16
  for (const value of draft.enum ?? []) size += String(value).length + 3
  return size
}
