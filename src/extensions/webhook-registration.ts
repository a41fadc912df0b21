import type { ExtensionEntry } from '../core/call.ts'
import { CallError } from '../core/error.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { readChoice } from './option-values.ts'
import { invalidOption, type OptionSource, readTexts } from './options.ts'
import type { Outgoing } from './outgoing.ts'
import type { OutgoingSignature } from './outgoing-signature.ts'

/** The canonical URN of the webhook extension. */
export const WEBHOOK_URN = 'urn:forrst:ext:webhook'

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
