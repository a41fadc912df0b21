import type { Json } from '../core/json.ts'
import { decodeMessage } from './queue-message.ts'
import type { TriggerEvent } from './trigger.ts'

const BODY_FIELDS = ['payload', 'data', 'body', 'message']
const ID_FIELDS = ['message_id', 'x-message-id']

/** Makes an event of an entry: its one body field, or all its fields as an object. */
export function toStreamEvent(
  stream: string,
  id: string,
  fields: ReadonlyMap<string, string>,
): TriggerEvent {
  const given = ID_FIELDS.map((name) => fields.get(name)).find((value) => value)
  const event = fields.get('event')
  return {
    // The id of an entry stays the same however often it is handed out.
    id: given ?? `${stream}:${id}`,
    ...(event !== undefined && { event }),
    payload: toPayload(fields),
    meta: { stream, entry: id },
  }
}

/** Adds up what the fields of an entry weigh, in bytes. */
export function weighEntry(fields: ReadonlyMap<string, string>): number {
  let bytes = 0
  for (const [name, value] of fields) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  return bytes
}

function toPayload(fields: ReadonlyMap<string, string>): Json {
  const body = BODY_FIELDS.map((name) => fields.get(name)).find((value) => value !== undefined)
  if (body !== undefined) return decodeMessage(body)
  return Object.fromEntries([...fields].filter(([name]) => name !== '__proto__'))
}
