import { CallError } from '../../errors/index.ts'
import { createPublicFetch, type PublicFetchOptions } from '../../net/index.ts'

/** Where requests of tools may go; redirects are refused, whatever they lead to. */
export type PublicOnlyOptions = Pick<
  PublicFetchOptions,
  'allowLoopback' | 'allowPrivate' | 'requireHttps' | 'lookup'
>

const MAX_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 60_000

/**
 * Makes a `fetch` for tools of unreviewed documents: it cannot be made to reach
 * internal addresses, and connections are pinned to the addresses that were checked.
 */
export function createPublicOnlyFetch(options: PublicOnlyOptions = {}): typeof fetch {
  const send = createPublicFetch({
    ...options,
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    redirects: 'refuse',
  })
  return async (input, init) => {
    const request = new Request(input, init)
    const body = new Uint8Array(await request.arrayBuffer())
    try {
      const response = await send(request.url, {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        signal: request.signal,
        ...(body.length > 0 && { body }),
      })
      const names = ['content-type', 'retry-after', 'link', 'location']
      const headers = names.flatMap((name) => {
        const value = response.header(name)
        return value === undefined ? [] : [[name, value] as [string, string]]
      })
      const hasBody = response.body.length > 0 && response.status !== 204 && response.status !== 304
      const content = hasBody ? new Uint8Array(response.body) : null
      return new Response(content, { status: response.status, headers })
    } catch (thrown) {
      throw new TypeError('fetch failed', { cause: toCause(thrown) })
    }
  }
}

// The reason goes where `fetch` itself puts the code of a failed connection.
function toCause(thrown: unknown): unknown {
  const reason = thrown instanceof CallError ? thrown.errors[0].details?.['reason'] : undefined
  return typeof reason === 'string' ? Object.assign(new Error(reason), { code: reason }) : thrown
}
