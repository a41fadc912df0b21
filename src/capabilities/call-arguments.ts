import { isRecord, type JsonObject } from '../core/json.ts'
import type { SchemaCheck } from '../core/json-schema.ts'
import { formatPointer } from '../core/pointer.ts'
import type { Problem } from '../core/schema.ts'

/** One argument of an operation, wherever the transport puts it. */
export interface ArgumentSlot {
  readonly name: string
  readonly required: boolean
  readonly check: () => SchemaCheck
}

/** The arguments an operation takes: named ones, and at most one payload. */
export interface ArgumentPlan {
  readonly named: readonly ArgumentSlot[]
  readonly payload: ArgumentSlot | undefined
  /** Names under which a caller may hand in the payload as a whole. */
  readonly wrappers: readonly string[]
}

/** Arguments put where they belong, or what is wrong with them. */
export type PlacedArguments =
  | { readonly ok: true; readonly named: ReadonlyMap<string, unknown>; readonly payload: unknown }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] }

/**
 * Puts arguments where they belong and checks them.
 * The transports disagree about the payload: REST has it at the top, MCP under a name. Here both ways
 * of writing it are right on both transports.
 */
export function placeArguments(plan: ArgumentPlan, args: JsonObject): PlacedArguments {
  const named = new Map<string, unknown>()
  const problems: Problem[] = []
  for (const slot of plan.named) {
    const value = Object.hasOwn(args, slot.name) ? args[slot.name] : undefined
    if (value !== undefined) named.set(slot.name, value)
    problems.push(...judge(slot, value, [slot.name]))
  }
  const names = new Set(plan.named.map(({ name }) => name))
  const rest = Object.entries(args).filter(([key, value]) => !names.has(key) && value !== undefined)
  const { payload, path, unknown } = takePayload(plan, rest)
  if (plan.payload) problems.push(...judge(plan.payload, payload, path))
  for (const key of unknown) {
    problems.push({ pointer: formatPointer([key]), code: 'unknown', message: 'is no argument' })
  }
  const [first, ...others] = problems
  return first ? { ok: false, problems: [first, ...others] } : { ok: true, named, payload }
}

function takePayload(
  plan: ArgumentPlan,
  rest: readonly (readonly [string, unknown])[],
): { payload: unknown; path: readonly string[]; unknown: readonly string[] } {
  if (plan.payload === undefined) {
    return { payload: undefined, path: [], unknown: rest.map(([key]) => key) }
  }
  const wrapped = rest.find(([key, value]) => plan.wrappers.includes(key) && isRecord(value))
  if (wrapped === undefined) {
    const payload = rest.length === 0 ? undefined : Object.fromEntries(rest)
    return { payload, path: rest.length === 0 ? [plan.payload.name] : [], unknown: [] }
  }
  const unknown = rest.map(([key]) => key).filter((key) => key !== wrapped[0])
  return { payload: wrapped[1], path: [wrapped[0]], unknown }
}

function judge(slot: ArgumentSlot, value: unknown, path: readonly string[]): readonly Problem[] {
  const prefix = formatPointer(path)
  if (value === undefined) {
    return slot.required ? [{ pointer: prefix, code: 'required', message: 'is required' }] : []
  }
  const validation = slot.check()(value)
  if (validation.ok) return []
  return validation.problems.map((problem) => ({ ...problem, pointer: prefix + problem.pointer }))
}
