import { parseExactJson } from '../../../core/exact-json.ts'
import type { AgentRequest } from './agent.ts'

/** What a delivery says. */
export interface Delivered {
  readonly payload: unknown
  /** What the sender calls it, where it says so. */
  readonly event?: string | undefined
  /** The id inside the body that stays the same when the sender tries again, where the sender has one. */
  readonly id?: string | undefined
}

/** Reads a verified delivery: JSON, a form, or text; undefined when it says it is JSON and is not. */
export function readDelivered(request: AgentRequest, scheme: string): Delivered | undefined {
  try {
    const payload = unwrap(parseBody(request), scheme)
    return { payload, event: findEvent(request, payload), id: findId(payload, scheme) }
  } catch {
    return undefined
  }
}

function parseBody({ header, body }: AgentRequest): unknown {
  const type = header('content-type').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (body === '') return null
  if (type === 'application/x-www-form-urlencoded') return parseForm(body)
  if (type === 'application/json' || type.endsWith('+json')) return parseExactJson(body)
  try {
    return parseExactJson(body)
  } catch {
    return body
  }
}

function parseForm(body: string): unknown {
  const form = new URLSearchParams(body)
  const names = [...new Set(form.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = form.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

/** GitHub and Slack put their JSON into the field `payload` when they send forms. */
function unwrap(payload: unknown, scheme: string): unknown {
  const inner = scheme === 'github' || scheme === 'slack' ? toMembers(payload)['payload'] : null
  return typeof inner === 'string' ? parseExactJson(inner) : payload
}

const EVENT_HEADERS = ['x-github-event', 'x-event-key', 'x-event-type', 'webhook-event']

function findEvent({ header }: AgentRequest, payload: unknown): string | undefined {
  const named = EVENT_HEADERS.map(header).find((value) => value !== '')
  const { event, type, webhookEvent } = toMembers(payload)
  const inner = typeof event === 'object' ? toMembers(event)['type'] : event
  const found = [named, inner, webhookEvent, type].find((value) => typeof value === 'string')
  return typeof found === 'string' ? found.slice(0, 200) : undefined
}

/** Slack and Stripe sign every attempt anew; only the id inside tells that it is the same event. */
function findId(payload: unknown, scheme: string): string | undefined {
  const { event_id, id } = toMembers(payload)
  const found = scheme === 'slack' ? event_id : scheme === 'stripe' ? id : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}

/** Looks at a value as an object; nothing of it is trusted to be there. */
export function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
