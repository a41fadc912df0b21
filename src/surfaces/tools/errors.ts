import type { Logger } from '../../core/index.ts'
import { CallError, challengeHeaders, formatRetryAfter } from '../../errors/index.ts'
import { defined, toReason, toShort } from '../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../wire/index.ts'
import type { AuthHook, ToolCallResult } from './tool.ts'

/** Headers of every JSON answer that is made for one request. */
export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Answers with the envelope of everything that fails before a tool runs: `{"error": text}`. */
export function encodeToolRefusal(
  status: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    status,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify({ error: text }),
  }
}

/** Answers a request that is refused before anybody reads it. */
export function refuseTools({ status = 400, message, errors }: CallError): HttpResponse {
  return encodeToolRefusal(status, message, defined({ 'retry-after': formatRetryAfter(errors) }))
}

/** Answers that a tool is unknown; the name is the decoded one. */
export function refuseUnknownTool(name: string): HttpResponse {
  return encodeToolRefusal(404, `Tool not found: ${toShort(name)}`)
}

/** Answers a rejected caller; nothing of the reason is told. */
export function refuseCaller(...challenges: readonly (string | undefined)[]): HttpResponse {
  return encodeToolRefusal(401, 'Unauthorized', challengeHeaders(401, ...challenges))
}

/** Answers a method that a path does not know. */
export function refuseMethod(method: string, allow: string): HttpResponse {
  return encodeToolRefusal(405, `${toShort(method)} is not allowed here; use ${allow}.`, { allow })
}

/** Turns what a call handler threw into a result, as the protocol asks: its message in one text item. */
export function toErrorResult(thrown: unknown): ToolCallResult {
  return { content: [{ type: 'text', text: toReason(thrown) }], isError: true }
}

/**
 * Runs a call behind its hook. A tool that ran is always answered with its own result: a 401 after the fact would make
 * the caller try again what has already happened.
 */
export async function runBehind(
  hook: AuthHook,
  request: HttpRequest,
  run: () => Promise<HttpResponse>,
  { log, challenge }: { readonly log: Logger; readonly challenge: string | undefined },
): Promise<HttpResponse> {
  let running: Promise<HttpResponse> | undefined
  let refused = false
  let asked: string | undefined
  const next = async (): Promise<void> => {
    if (refused) throw new Error('the call was refused before next() was called')
    running ??= run()
    await running
  }
  try {
    await hook(request, next)
    if (running === undefined)
      log.warn('auth hook ended without calling next(); the call is refused')
  } catch (error) {
    if (error instanceof CallError) asked = error.challenge
    const when = running === undefined ? 'refused a call' : 'failed after the call'
    log.warn(`auth hook ${when}`, { error })
  }
  refused = running === undefined
  return running ?? refuseCaller(asked, challenge)
}
