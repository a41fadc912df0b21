import type { Link } from '../core/index.ts'
import { clientError, toClientError } from './errors.ts'
import { evaluateLink, resolveServerUrl } from './link.ts'
import { type CallOutcome, toCallOutcome, toFailedAnswer } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import type { RunCall } from './run-call.ts'

/** Calls the function a link leads to; a link to another server is refused, since it was not the caller who chose it. */
export async function followLink(
  run: RunCall,
  { link, result, endpoint }: { link: Link; result: unknown; endpoint: URL | undefined },
  options?: CallOptions,
): Promise<CallOutcome> {
  try {
    const linked = evaluateLink(link, result)
    if (linked.function === undefined) throw refuseFollow(link, 'names no function')
    assertSameServer(link, endpoint)
    return await run(linked.function, linked.arguments, options)
  } catch (thrown) {
    const error = toClientError(thrown, 'CLIENT_INVALID_REQUEST')
    return toCallOutcome(toFailedAnswer(error), { id: '', attempts: 0 })
  }
}

function assertSameServer(link: Link, endpoint: URL | undefined): void {
  if (link.server === undefined) return
  const url = resolveServerUrl(link.server)
  if (URL.canParse(url) && new URL(url).href === endpoint?.href) return
  throw refuseFollow(link, `leads to ${url}; create a client for that URL and follow it there`)
}

function refuseFollow(link: Link, problem: string): Error {
  return clientError('CLIENT_INVALID_REQUEST', {
    message: `Link "${link.name}" ${problem}`,
    details: { link: link.name },
  })
}
