import { createHash } from 'node:crypto'
import { MAX_TOOL_NAME, spellName } from '../values/index.ts'

/** What a tool tells agents about its behaviour; every hint is optional. */
export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

/** Side effects that reach people or systems outside the service. */
const REACHES_OUT = new Set(['sends_email', 'sends_sms', 'triggers_webhook', 'external_api_call'])
/** Side effects that overwrite or remove what was there. */
const OVERWRITES = new Set(['update', 'delete'])

/** Derives hints from declared side effects; nothing declared means nothing claimed. */
export function toToolAnnotations(sideEffects: readonly string[] | undefined): ToolAnnotations {
  if (sideEffects === undefined) return {}
  if (sideEffects.length === 0) return { readOnlyHint: true, destructiveHint: false }
  const reachesOut = sideEffects.some((effect) => REACHES_OUT.has(effect))
  return {
    readOnlyHint: false,
    destructiveHint: sideEffects.some((effect) => OVERWRITES.has(effect)),
    ...(reachesOut && { openWorldHint: true }),
  }
}

/** What agent clients accept as a tool name. */
export const TOOL_NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/

const DIGEST_LENGTH = 16

/**
 * Gives the tool name of a function: it depends on that one name only, so adding functions never renames a tool.
 * Ordinary names are spelled out and can be read back; long or exotic ones end in a digest.
 */
export function toToolName(functionName: string): string {
  return spellName(functionName) ?? toDigestName(functionName)
}

/** The underscore at the end keeps these apart from spelled-out names, which never end in one. */
function toDigestName(functionName: string): string {
  const digest = createHash('sha256').update(functionName).digest('hex').slice(0, DIGEST_LENGTH)
  const readable = functionName
    .replace(/[^a-zA-Z0-9-]+/g, '_')
    .slice(0, MAX_TOOL_NAME - DIGEST_LENGTH - 2)
    .replace(/^_+|(?<!_)_+$/g, '')
  return readable === '' ? `${digest}_` : `${readable}_${digest}_`
}
