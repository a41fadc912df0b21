import {
  type ExtensionEntry,
  invalidOption,
  mayFit,
  type OptionSource,
  type Outcome,
  readChoice,
  readTexts,
  type Target,
  toResultText,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  canonicalUrn,
  extensionUrn,
  formatTimestamp,
  fromJson,
  type JsonObject,
} from '../../values/index.ts'
import type { Outgoing, OutgoingSignature } from '../outgoing/index.ts'

/** What happened, as a receiver reads it. */
export interface WebhookEvent {
  readonly type: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly data: JsonObject
}

/** The end of a call, or of the operation it became. */
export interface CallEnd {
  readonly request: string
  readonly operation?: string
  readonly function: string
  readonly version: string
  readonly outcome: Outcome
  readonly endedAt: number
  /** The caller sees less than the function gave: the event then tells only that it has ended. */
  readonly redacted: boolean
}

/** A receiver wants to know that something ended; who needs a large result can ask for it. */
const MAX_RESULT_LENGTH = 200_000

/** Makes the event that tells how a call has ended. */
export function toEndEvent(end: CallEnd): WebhookEvent {
  const { outcome, endedAt } = end
  const status = toStatus(outcome)
  return {
    type: `forrst.operation.${status}`,
    at: endedAt,
    data: {
      ...(end.operation !== undefined && { operation_id: end.operation }),
      original_request_id: end.request,
      function: end.function,
      version: end.version,
      status,
      ...toEndContent(end),
      completed_at: formatTimestamp(endedAt),
    },
  }
}

/** Writes an event as the body of a delivery. */
export function encodeWebhookEvent({ type, at, data }: WebhookEvent): string {
  return JSON.stringify({ type, timestamp: formatTimestamp(at), data })
}

const REDACT_URN = extensionUrn('redact')

/** Tells whether results of a call are redacted for its caller: by its own wish, or because the service always does. */
export function isRedacted(
  extensions: readonly ExtensionEntry[],
  target: Target | undefined,
): boolean {
  return (
    target?.joining.includes(REDACT_URN) === true ||
    extensions.some(({ urn }) => canonicalUrn(urn) === REDACT_URN)
  )
}

function toStatus(outcome: Outcome): 'completed' | 'failed' | 'cancelled' {
  if (outcome.ok) return 'completed'
  return outcome.errors[0].code === 'CANCELLED' ? 'cancelled' : 'failed'
}

/** Writes what came of a call as members of an event: `result`, `errors`, or that the result is not sent. */
export function toEndContent({
  outcome,
  redacted,
}: Pick<CallEnd, 'outcome' | 'redacted'>): JsonObject {
  if (!outcome.ok) {
    const errors = outcome.errors.map(({ code, message, details }) => ({
      code,
      message,
      ...(details && !redacted && { details }),
    }))
    return { errors }
  }
  if (redacted || !mayFit(outcome.result, MAX_RESULT_LENGTH)) return { result_omitted: true }
  const text = toResultText(outcome.result, MAX_RESULT_LENGTH)
  if (text.length > MAX_RESULT_LENGTH) return { result_omitted: true }
  return { result: fromJson(text) }
}

/** The canonical URN of the webhook extension. */
export const WEBHOOK_URN: string = extensionUrn('webhook')

/** What a caller wants to be told, and where. */
export interface WebhookRegistration {
  readonly url: string
  /** As the caller wrote them; everything when absent. */
  readonly events: readonly string[] | undefined
  readonly version: 'v1' | 'v1a'
}

/** The events of every operation. */
export const OPERATION_EVENTS: readonly string[] = [
  'forrst.operation.completed',
  'forrst.operation.failed',
  'forrst.operation.cancelled',
]

const SIGNATURES: Readonly<Record<WebhookRegistration['version'], OutgoingSignature>> = {
  v1: 'standard',
  v1a: 'standard-ed25519',
}

/** Gives the signature that a registration asked for. */
export function toSignature({ version }: WebhookRegistration): OutgoingSignature {
  return SIGNATURES[version]
}

/** Reads a registration, or throws what is wrong with it and where. */
export function requireRegistration(source: OptionSource, outgoing: Outgoing): WebhookRegistration {
  const url: unknown = source.options['callback_url']
  if (typeof url !== 'string') throw invalidOption(source, 'callback_url', 'an https URL')
  const problem = outgoing.refuse(url)
  if (problem !== undefined) throw refusedOption(source, 'callback_url', problem)
  const events = readTexts(source, 'events')
  const usual = outgoing.signs('standard') ? 'v1' : 'v1a'
  const version = readChoice(source, 'signature_version', ['v1', 'v1a']) ?? usual
  if (!outgoing.signs(SIGNATURES[version])) {
    throw invalidOption(source, 'signature_version', `"${usual}": there is no key for the other`)
  }
  return { url, events, version }
}

/** Makes the error about an option that a rule of callbacks refuses; `problem` ends the sentence. */
export function refusedOption(source: OptionSource, path: string, problem: string): CallError {
  return new CallError('INVALID_ARGUMENTS', {
    message: `options.${path.replaceAll('/', '.')} ${problem}`,
    source: { pointer: `${source.pointer}/options/${path}` },
  })
}

/** Finds the registration among what a caller declared; undefined when there is none that could be used. */
export function findRegistration(
  extensions: readonly ExtensionEntry[],
  outgoing: Outgoing,
): WebhookRegistration | undefined {
  const entry = extensions.findLast(({ urn }) => canonicalUrn(urn) === WEBHOOK_URN)
  if (entry === undefined) return undefined
  try {
    return requireRegistration(entry, outgoing)
  } catch {
    return undefined
  }
}

/** Tells whether a caller wants an event; `operation.completed` means `forrst.operation.completed`. */
export function wantsEvent({ events }: WebhookRegistration, type: string): boolean {
  return (
    events === undefined || events.some((event) => event === type || `forrst.${event}` === type)
  )
}
