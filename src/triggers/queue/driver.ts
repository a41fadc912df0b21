import type { QueueTrigger } from '../../sources/tool-spec/index.ts'
import type { Json } from '../../values/index.ts'
import { parsePayload } from '../../wire/index.ts'
import type { SourceContext, TriggerSource } from '../trigger.ts'
import type { QueueAddress } from './address.ts'

/** Imports a package by name; tests hand in their own. */
export type LoadPackage = (name: string) => Promise<unknown>

/** What one kind of broker needs to begin. */
export interface QueueDriverOptions {
  readonly context: SourceContext<QueueTrigger>
  readonly address: QueueAddress
  readonly load?: LoadPackage
}

/** Receives from one kind of broker. Rejects when its client is not installed; a broker that is away is waited for. */
export type StartQueueDriver = (options: QueueDriverOptions) => Promise<TriggerSource>

/** Longest message that is taken, in bytes, unless `max_bytes` says otherwise. */
export const MAX_MESSAGE_BYTES: number = 1024 * 1024

const MAX_DEPTH = 64

/** Says why a message is not taken. */
export function toQueueRefusal(bytes: number, limit: number): string {
  return `The message has ${bytes} bytes; max_bytes allows ${limit}`
}

/** Reads the body of a message: JSON where it is JSON, text otherwise; bytes that are not text become base64. */
export function decodeQueueMessage(body: Uint8Array | string): Json {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  try {
    return parsePayload(bytes, MAX_DEPTH) as Json
  } catch {
    return decodeText(bytes)
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('base64')
  }
}
