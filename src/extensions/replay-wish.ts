import { isRecord } from '../core/json.ts'
import { readChoice, readDuration } from './option-values.ts'
import { invalidOption, type OptionSource, readBoolean } from './options.ts'
import type { Outgoing } from './outgoing.ts'
import { findHeaderProblem } from './outgoing-headers.ts'
import type { ReplayCallback, ReplayPriority } from './replay-record.ts'
import { refusedOption } from './webhook-registration.ts'

/** What a caller wants done with a call that cannot run now. */
export interface ReplayWish {
  readonly enabled: boolean
  readonly ttlMs: number
  readonly priority: ReplayPriority
  readonly callback: ReplayCallback | undefined
}

/** Reads the options of the replay extension, or throws what is wrong with them and where. */
export function readReplayWish(
  source: OptionSource,
  limits: { readonly ttlMs: number; readonly maxTtlMs: number },
  outgoing: Outgoing | undefined,
): ReplayWish {
  const ttlMs = readDuration(source, 'ttl', { above: 0 }) ?? limits.ttlMs
  return {
    enabled: readBoolean(source, 'enabled') ?? true,
    ttlMs: Math.min(ttlMs, limits.maxTtlMs),
    priority: readChoice(source, 'priority', ['high', 'normal', 'low']) ?? 'normal',
    callback: readCallback(source, outgoing),
  }
}

function readCallback(
  source: OptionSource,
  outgoing: Outgoing | undefined,
): ReplayCallback | undefined {
  const callback: unknown = source.options['callback']
  if (callback === undefined) return undefined
  if (outgoing === undefined) {
    throw invalidOption(source, 'callback', 'left out: this service sends no callbacks')
  }
  if (!isRecord(callback)) throw invalidOption(source, 'callback', 'an object with a url')
  const { url, headers } = callback
  if (typeof url !== 'string') throw invalidOption(source, 'callback/url', 'an https URL')
  const problem = outgoing.refuse(url)
  if (problem !== undefined) throw refusedOption(source, 'callback/url', problem)
  if (headers === undefined) return { url }
  if (!isRecord(headers)) throw invalidOption(source, 'callback/headers', 'an object of texts')
  const refused = findHeaderProblem(headers)
  if (refused !== undefined) throw refusedOption(source, 'callback/headers', refused.message)
  return { url, headers: headers as Readonly<Record<string, string>> }
}
