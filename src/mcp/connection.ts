import { setTimeout as delay } from 'node:timers/promises'
import type { Principal } from '../core/call.ts'
import { andThen, isPromise, type Maybe } from '../core/maybe.ts'
import { parseJson } from '../wire/json.ts'
import { createAbortable } from './abortable.ts'
import {
  decodeMessage,
  type Message,
  readCaller,
  readEnvelope,
  readId,
  readMeta,
} from './decode.ts'
import { encodeResult } from './encode.ts'
import {
  encodeError,
  invalidRequest,
  type McpError,
  toMcpError,
  unsupportedVersion,
} from './errors.ts'
import type { Exchange } from './exchange.ts'
import { toText } from './http-answer.ts'
import type { LineSink } from './line-reader.ts'
import type { Encoded } from './methods.ts'
import { createPeer, encodeNotification } from './peer.ts'
import { followChanges } from './peer-changes.ts'
import { META, MODERN_VERSION, type RequestId } from './protocol.ts'
import type { Introduction, McpServer } from './server.ts'

/** Both ends of a pipe that carries one message per line, whichever revision the client speaks. */
export interface Connection extends LineSink {
  /** Waits for running requests, and ends what is left after a while. */
  readonly finish: (graceMs: number) => Promise<void>
}

/** What a connection needs to know about its pipe. */
export interface ConnectionOptions {
  readonly send: (message: string) => void
  readonly token: string | undefined
}

type Request = Extract<Message, { readonly kind: 'request' }>

/** Creates the connection to one client. */
export function createConnection(
  server: McpServer,
  { send, token }: ConnectionOptions,
): Connection {
  const { environment } = server
  const { service } = environment
  const peer = createPeer()
  const running = createRunning()
  const authenticate = createPrincipal(server, token)
  let introduction: Introduction | undefined
  let stopFollowing: (() => void) | undefined

  const refuse = (id: RequestId | undefined, error: McpError) => send(encodeError(id, error))
  const fail = (id: RequestId | undefined, thrown: unknown) =>
    refuse(id, toMcpError(thrown, service.log))

  const toShared = (
    { id, method, params }: Request,
    principal: Principal | undefined,
    signal: () => AbortSignal,
  ): SharedExchange => ({
    id,
    method,
    params,
    meta: readMeta(params),
    principal,
    startedAt: service.clock.elapsed(),
    signal,
    notify: (name, content) => send(encodeNotification(name, content)),
  })

  function receive(message: Message): void {
    if (message.kind === 'response') peer.settle(message)
    else if (message.kind === 'request') answer(message)
    else if (message.method === 'notifications/cancelled') peer.cancel(message.params['requestId'])
    else if (message.method === 'notifications/initialized') {
      stopFollowing ??= followChanges(environment, peer, send)
    }
  }

  function answer(request: Request): void {
    const { id, method, params } = request
    if (method === 'initialize' && !isModern(request)) {
      const known = server.introduce(params)
      introduction = known.introduction
      send(encodeResult(id, known.result))
      return
    }
    const abortable = createAbortable()
    const result = andThen(authenticate(), (principal) =>
      server.answer(
        isModern(request)
          ? toModern(toShared(request, principal, abortable.signal))
          : {
              ...toShared(request, principal, abortable.signal),
              era: 'legacy',
              capabilities: introduction?.capabilities ?? {},
              caller: introduction?.caller,
              request: (name, content, signal) =>
                peer.request({ method: name, params: content }, send, signal),
              peer,
            },
      ),
    )
    if (!isPromise(result)) {
      send(toText(id, result))
      return
    }
    peer.track(id, abortable)
    running.add(
      result.then(
        (ready: Encoded) => !abortable.aborted() && send(toText(id, ready)),
        (thrown: unknown) => !abortable.aborted() && fail(id, thrown),
      ),
      () => peer.forget(id),
    )
  }

  return {
    tooLong: (maxBytes) =>
      refuse(undefined, invalidRequest(`The message is longer than ${maxBytes} bytes`)),
    line(bytes) {
      let id: RequestId | undefined
      try {
        const document = parseJson(bytes, service.limits.maxDepth)
        id = readId(document)
        receive(decodeMessage(document))
      } catch (thrown) {
        fail(id, thrown)
      }
    },
    async finish(graceMs) {
      stopFollowing?.()
      await running.finish(graceMs)
      peer.close()
    },
  }
}

/** Requests that are not answered yet. */
function createRunning(): {
  readonly add: (work: Promise<unknown>, done: () => void) => void
  readonly finish: (graceMs: number) => Promise<void>
} {
  const running = new Set<Promise<unknown>>()
  return {
    add(work, done) {
      const settled = work.finally(() => {
        done()
        running.delete(settled)
      })
      running.add(settled)
    },
    async finish(graceMs) {
      const enough = new AbortController()
      const patience = delay(graceMs, undefined, { signal: enough.signal }).catch(() => undefined)
      await Promise.race([Promise.allSettled([...running]), patience])
      enough.abort()
    },
  }
}

/** What an exchange is made of, whichever era it belongs to. */
type SharedExchange = Omit<Exchange, 'era' | 'capabilities' | 'caller' | 'request' | 'peer'>

function toModern(shared: SharedExchange): Exchange {
  const { version, capabilities } = readEnvelope(shared.params)
  if (version !== MODERN_VERSION) throw unsupportedVersion(version)
  return {
    ...shared,
    era: 'modern',
    capabilities,
    caller: readCaller(shared.meta[META.client]),
    request: undefined,
    peer: undefined,
  }
}

/** The client is who started this process; a service that wants to know gets the token from the environment. */
function createPrincipal(
  { environment: { service } }: McpServer,
  token: string | undefined,
): () => Maybe<Principal | undefined> {
  let principal: Maybe<Principal | undefined>
  let known = service.authenticate === undefined
  return () => {
    if (!known) {
      const bearer = token === undefined ? undefined : `Bearer ${token}`
      principal = service.authenticate?.({
        header: (name) => (name === 'authorization' ? bearer : undefined),
        surface: 'mcp',
      })
      known = true
    }
    return principal
  }
}

/** Discovery belongs to the stateless revision, even where the request forgets to say so. */
function isModern({ method, params }: Request): boolean {
  return readMeta(params)[META.version] !== undefined || method === 'server/discover'
}
