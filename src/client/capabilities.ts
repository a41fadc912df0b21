import {
  type Clock,
  canonicalUrn,
  type Duration,
  isRecord,
  type JsonObject,
  toMilliseconds,
} from '../values/index.ts'
import { toCallError } from './errors.ts'
import { invalidResponse } from './foreign-answer.ts'
import { type CallOutcome, mapResult } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import type { RunCall } from './run-call.ts'

/** An extension a service has enabled, with whatever else it says about it. */
export interface EnabledExtension {
  readonly urn: string
  readonly version?: string
  readonly documentation?: string
  readonly [more: string]: unknown
}

/** What a service supports, whichever of the two capabilities functions said so. */
export interface Capabilities {
  readonly service: string
  readonly protocolVersions: readonly string[]
  readonly functions: readonly string[]
  readonly extensions: readonly EnabledExtension[]
  readonly limits: {
    readonly maxRequestBytes?: number
    readonly defaultDeadline?: Duration
    /** Requests per minute. */
    readonly rateLimit?: number
  }
  /** As it came, in the spelling of the function that was asked. */
  readonly raw: JsonObject
}

/** How capabilities are asked for. */
export interface CapabilitiesOptions extends Omit<CallOptions, 'version'> {
  /** `system` and `discovery` name one function; when absent the second is asked if the first does not exist. */
  readonly form?: 'system' | 'discovery'
}

const SYSTEM = 'urn:cline:forrst:fn:capabilities'
const DISCOVERY = 'urn:cline:forrst:ext:discovery:fn:capabilities'

/** Asks a service what it supports. */
export async function fetchCapabilities(
  run: RunCall,
  { form, ...options }: CapabilitiesOptions = {},
): Promise<CallOutcome<Capabilities>> {
  const ask = async (name: string) =>
    mapResult(await run(name, undefined, { readOnly: true, ...options }), decodeCapabilities)
  const first = await ask(form === 'discovery' ? DISCOVERY : SYSTEM)
  const absent = !first.ok && first.error.code === 'FUNCTION_NOT_FOUND'
  return absent && form === undefined ? ask(DISCOVERY) : first
}

// Long enough to ask before every call, short enough to notice a new release of the service.
const KNOWN_FOR_MS = 60_000

/** Creates the question whether a service has an extension; remembers what it learned for a minute. */
export function createFeatureCheck(run: RunCall, clock: Clock): (urn: string) => Promise<boolean> {
  let known: { readonly at: number; readonly urns: ReadonlySet<string> } | undefined
  return async (urn) => {
    if (known === undefined || clock.elapsed() - known.at > KNOWN_FOR_MS) {
      known = { at: clock.elapsed(), urns: await fetchUrns(run) }
    }
    return known.urns.has(canonicalUrn(urn))
  }
}

async function fetchUrns(run: RunCall): Promise<ReadonlySet<string>> {
  const outcome = await fetchCapabilities(run)
  if (outcome.ok) return new Set(outcome.result.extensions.map(({ urn }) => canonicalUrn(urn)))
  // A service without capabilities promises nothing.
  if (outcome.error.code === 'FUNCTION_NOT_FOUND') return new Set()
  throw toCallError(outcome)
}

function decodeCapabilities(value: unknown): Capabilities {
  if (!isRecord(value)) throw invalidResponse('capabilities must be an object', { field: '' })
  const { service, extensions = [], limits = {} } = value
  if (typeof service !== 'string') {
    throw invalidResponse('capabilities.service must be a string', { field: '/service' })
  }
  if (!Array.isArray(extensions) || !extensions.every(isEnabledExtension)) {
    throw invalidResponse('capabilities.extensions must be an array of objects with a urn', {
      field: '/extensions',
    })
  }
  return {
    service,
    protocolVersions: decodeNames(
      'protocolVersions',
      value['protocolVersions'] ?? value['protocol_versions'],
    ),
    functions: decodeNames('functions', value['functions']),
    extensions,
    limits: isRecord(limits) ? decodeLimits(limits) : {},
    raw: value as JsonObject,
  }
}

function decodeNames(member: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw invalidResponse(`capabilities.${member} must be an array of strings`, {
    field: `/${member}`,
  })
}

function decodeLimits(limits: Record<string, unknown>): Capabilities['limits'] {
  const bytes = limits['maxRequestSize'] ?? limits['max_request_bytes']
  const { rateLimit, default_deadline: deadline } = limits
  return {
    ...(typeof bytes === 'number' && { maxRequestBytes: bytes }),
    ...(typeof rateLimit === 'number' && { rateLimit }),
    ...(isDuration(deadline) && { defaultDeadline: deadline }),
  }
}

function isDuration(value: unknown): value is Duration {
  return isRecord(value) && toMilliseconds(value) !== undefined
}

function isEnabledExtension(value: unknown): value is EnabledExtension {
  return isRecord(value) && typeof value['urn'] === 'string'
}
