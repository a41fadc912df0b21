import { createClient } from '../../client/index.ts'
import type { Service } from '../../core/index.ts'
import { jsonLogger } from '../../observe/index.ts'
import { connectForrstSource } from '../../sources/forrst/index.ts'
import { createService } from '../../system/index.ts'
import { toReason } from '../../values/index.ts'
import { type Io, RemoteError, UsageError } from '../command.ts'
import { advise } from '../remote.ts'
import type { ServiceSurroundings } from './module.ts'

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Reads a Forrst service as a command line names it: `https://host/forrst`, or `forrst:https://host/forrst`. */
export function parseForrstReference(reference: string): URL | undefined {
  const text = reference.replace(/^forrst:/, '')
  const marked = text !== reference
  if (!marked && !/^https?:\/\//i.test(text)) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not a URL; give the endpoint: https://host/forrst`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('a URL must not contain a password; put the token in WAYMARK_REMOTE_TOKEN')
  }
  if (url.pathname === '/') url.pathname = '/forrst'
  return url
}

/** Makes a service of a remote one: its functions, its health, and calls that go there. */
export async function loadForrstService(
  url: URL,
  io: Io,
  { store }: ServiceSurroundings,
): Promise<{ readonly service: Service; readonly notes: readonly string[] }> {
  const name = url.host
  const log = jsonLogger({ write: io.err })
  const client = createClient({ url, name: 'waymark', target: name, headers: readHeaders(url, io) })
  const source = await connectForrstSource({ client, name, log }).catch((thrown: unknown) => {
    const message = toReason(thrown)
    const code = /\b(CLIENT_[A-Z_]+|UNAUTHORIZED): /.exec(message)?.[1] ?? ''
    throw new RemoteError(`${message}${advise(code, message)}`)
  })
  const service = createService({
    info: source.info,
    functions: source.functions(),
    health: { remote_api: { check: source.check } },
    onClose: source.close,
    log,
    ...(store && { store }),
  })
  source.follow(service.registry)
  return { service, notes: [] }
}

/** A token of one host is not for another: `WAYMARK_REMOTE_TOKEN_API_EXAMPLE_COM` belongs to api.example.com alone. */
function readHeaders(url: URL, { env }: Io): Record<string, string> {
  const own = `WAYMARK_REMOTE_TOKEN_${url.hostname.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
  const token = env[own] ?? env['WAYMARK_REMOTE_TOKEN']
  if (token === undefined || token === '') return {}
  if (url.protocol !== 'https:' && !LOOPBACK.has(url.hostname)) {
    throw new UsageError(`a token is not sent to ${url.origin} in the clear; use https://`)
  }
  return { authorization: `Bearer ${token}` }
}
