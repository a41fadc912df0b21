import { CallError } from '../core/error.ts'
import type { Logger } from '../core/service.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { refuseCaller } from './errors.ts'
import type { AuthHook } from './tool.ts'

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
