import { isRecord, type Json, type JsonObject } from '../core/json.ts'
import type { TriggerDef } from '../spec/types.ts'

/** An event as paths and placeholders see it. */
export interface EventView {
  readonly id: string
  readonly event?: string | undefined
  readonly payload: Json
  readonly meta?: JsonObject | undefined
}

/** Builds the arguments of a call from an event; undefined when the payload cannot be arguments. */
export function toArguments(trigger: TriggerDef, event: EventView): JsonObject | undefined {
  const { payload_map: map, arguments: fixed } = trigger
  if (map !== undefined) {
    const entries = Object.entries(map).map(([name, path]) => [name, follow(event, path)] as const)
    return collect([
      ...Object.entries(fixed ?? {}),
      ...entries.filter(([, value]) => value !== undefined),
    ])
  }
  const { payload } = event
  if (payload === null || payload === '') return fixed ?? {}
  if (!isRecord(payload)) return undefined
  return fixed === undefined ? payload : collect(Object.entries({ ...fixed, ...payload }))
}

/** Fills the placeholders of a prompt from the arguments, then from the event; unknown ones stay as written. */
export function fillPrompt(prompt: string, args: JsonObject, event: EventView): string {
  return prompt.replace(PLACEHOLDER, (placeholder, path: string) => {
    const value = walk(args, path.split('.')) ?? follow(event, path)
    if (value === undefined) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

const PLACEHOLDER = /\{\{\s*(\$?[\w.-]+)\s*\}\}/g

/** Paths count from the payload; `$id`, `$event`, `$meta.…` and `$payload.…` reach the rest of the event. */
function follow(event: EventView, path: string): Json | undefined {
  const [first = '', ...rest] = path.split('.')
  const outer = OUTER.get(first)
  return outer === undefined ? walk(event.payload, [first, ...rest]) : walk(outer(event), rest)
}

const OUTER = new Map<string, (event: EventView) => Json | undefined>([
  ['$id', ({ id }) => id],
  ['$event', ({ event }) => event],
  ['$meta', ({ meta }) => meta],
  ['$payload', ({ payload }) => payload],
])

// Own members only: a path of a payload must not reach what every object inherits.
function walk(value: Json | undefined, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>((current, step) => {
    if (typeof current !== 'object' || current === null) return undefined
    if (Array.isArray(current) && !/^\d+$/.test(step)) return undefined
    return Object.hasOwn(current, step) ? (current as JsonObject)[step] : undefined
  }, value)
}

function collect(entries: readonly (readonly [string, Json | undefined])[]): JsonObject {
  return Object.fromEntries(entries)
}
