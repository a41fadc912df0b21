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
