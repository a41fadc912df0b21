import type { AgentEvent, AgentTrigger } from './agent.ts'

/** Builds the arguments of a tool from an event: what the event gives wins over what the trigger says. */
export function toArguments(trigger: AgentTrigger, event: AgentEvent): unknown {
  const { payload_map: map, arguments: fixed } = trigger
  const given =
    map === undefined
      ? event.payload
      : Object.fromEntries(Object.entries(map).map(([name, path]) => [name, reach(event, path)]))
  if (fixed === undefined || Array.isArray(given)) return given
  if (given === null || given === undefined || given === '') return fixed
  if (typeof given !== 'object') return given
  const found = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...fixed, ...Object.fromEntries(found) }
}

/** Fills the placeholders of a prompt from the arguments, then from the event; unknown ones stay as written. */
export function fillPrompt(prompt: string, args: unknown, event: AgentEvent): string {
  return prompt.replace(/\{\{\s*(\$?[\w.-]+)\s*\}\}/g, (placeholder, path: string) => {
    const value = follow(args, path.split('.')) ?? reach(event, path)
    if (value === undefined) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** Paths count from the payload; `$id`, `$event`, `$meta.…` and `$payload.…` reach the rest of the event. */
function reach(event: AgentEvent, path: string): unknown {
  const [first = '', ...rest] = path.split('.')
  const { id, event: name, meta, payload } = event
  const outer = new Map<string, unknown>([
    ['$id', id],
    ['$event', name],
    ['$meta', meta],
    ['$payload', payload],
  ])
  return outer.has(first) ? follow(outer.get(first), rest) : follow(payload, [first, ...rest])
}

function follow(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((current, key) => {
    const isObject = typeof current === 'object' && current !== null
    return isObject && Object.hasOwn(current, key)
      ? (current as Record<string, unknown>)[key]
      : undefined
  }, value)
}
