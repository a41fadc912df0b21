import { CallError, type CallErrorShape } from '../core/error.ts'
import { isRecord, type Json } from '../core/json.ts'
import { type BusEvent, nobodyListens } from './bus.ts'

/** Writes an event as it travels. */
export function encodeEvent({ id, event, payload }: BusEvent): string {
  return JSON.stringify({ id, event, payload })
}

/** Reads an event that travelled; undefined when it is none. */
export function decodeEvent(text: string): BusEvent | undefined {
  const value = parse(text)
  if (!isRecord(value)) return undefined
  const { id, event, payload } = value
  if (typeof id !== 'string' || typeof event !== 'string') return undefined
  return { id, event, payload: (payload ?? null) as Json }
}

/** Runs an answer and writes how it ended; never rejects. */
export async function encodeAnswer(answer: Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ ok: true, result: (await answer) ?? null })
  } catch (thrown) {
    const { errors } = thrown instanceof CallError ? thrown : new CallError('INTERNAL_ERROR')
    return JSON.stringify({ ok: false, errors })
  }
}

/** Reads how an answer ended: its result, or the error it failed with. */
export function decodeAnswer(text: string, event: string): unknown {
  const value = parse(text)
  if (!isRecord(value)) throw nobodyListens(event)
  if (value['ok'] === true) return value['result']
  const [first, ...rest] = Array.isArray(value['errors'])
    ? (value['errors'] as readonly CallErrorShape[])
    : []
  throw first ? CallError.all([first, ...rest]) : new CallError('INTERNAL_ERROR')
}

/** Makes the error of a bus whose server is away. */
export function busAway(kind: string, cause: unknown): CallError {
  return new CallError('UNAVAILABLE', { message: `The ${kind} bus does not answer`, cause })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
