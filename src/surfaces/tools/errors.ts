import type { Logger } from '../../core/index.ts'
import { CallError, challengeHeaders, formatRetryAfter } from '../../errors/index.ts'
import { toReason, toShort } from '../../values/index.ts'
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
  const retryAfter = formatRetryAfter(errors)
  return encodeToolRefusal(
    status,
    message,
    retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  )
}

/** Answers that a tool is unknown; the name is the decoded one. */
export function refuseUnknownTool(name: string): HttpResponse {
  return encodeToolRefusal(404, `Tool not found: ${toShort(name)}`)
}

/** Answers that execution is off, also for tools that do not exist. */
export function refuseExecution(): HttpResponse {
  return encodeToolRefusal(403, 'Tool execution is disabled.')
}

/** Answers a rejected caller; nothing of the reason is told. */
export function refuseCaller(...challenges: readonly (string | undefined)[]): HttpResponse {
  return encodeToolRefusal(401, 'Unauthorized', challengeHeaders(401, ...challenges))
}

/** Answers a method that a path does not know. */
export function refuseMethod(method: string, allow: string): HttpResponse {
  return encodeToolRefusal(405, `${toShort(method)} is not allowed here; use ${allow}.`, { allow })
}

/** Answers a failure on our side, such as a provider that threw; the cause stays in the log. */
export function refuseInternally(): HttpResponse {
  return encodeToolRefusal(500, 'Internal Server Error')
}

/** Turns what a call handler threw into a result, as the protocol asks: its message in one text item. */
export function toErrorResult(thrown: unknown): ToolCallResult {
  const text = toReason(thrown)
  return { content: [{ type: 'text', text }], isError: true }
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
    log.warn(
      running === undefined ? 'auth hook refused a call' : 'auth hook failed after the call',
      {
        error,
      },
    )
  }
  refused = running === undefined
  return running ?? refuseCaller(asked, challenge)
}
