import { setTimeout as delay } from 'node:timers/promises'
import type { Principal } from '../../../core/index.ts'
import { andThen, isPromise, type Maybe } from '../../../values/index.ts'
import {
  decodeMessage,
  type Message,
  parseMessages,
  readCaller,
  readEnvelope,
  readMeta,
} from '../decode.ts'
import { encodeResultMessage } from '../encode.ts'
import { encodeError, invalidRequest, toMcpError, unsupportedVersion } from '../errors.ts'
import { encodeResultText } from '../http/answer.ts'
import { type BatchEntry, decodeBatch } from '../http/batch.ts'
import {
  type Encoded,
  type McpExchange,
  META,
  MODERN_VERSION,
  type RequestId,
  UNSPOKEN_VERSION,
} from '../protocol.ts'
import { createCancellable } from '../run.ts'
import type { Introduction, McpServer } from '../server.ts'
import { createPeer, encodeNotification, type LivePeer } from '../session/peer.ts'
import { followChanges } from '../session/peer-changes.ts'
import type { LineSink } from './stdio.ts'

/** Both ends of a pipe that carries one message per line, whichever revision the client speaks. */
export interface StdioConnection extends LineSink {
  /** Waits for running requests, and ends what is left after a while. */
  readonly finish: (graceMs: number) => Promise<void>
}

/** What a connection needs to know about its pipe. */
export interface StdioConnectionOptions {
  readonly send: (message: string) => Maybe<void>
  readonly token: string | undefined
}

type Request = Extract<Message, { readonly kind: 'request' }>

/** Creates the connection to one client. */
export function createStdioConnection(
  server: McpServer,
  { send, token }: StdioConnectionOptions,
): StdioConnection {
  const { environment } = server
  const { service } = environment
  const peer = createPeer()
  const running = createRunning()
  const authenticate = createPrincipal(server, token)
  let introduction: Introduction | undefined
  let stopFollowing: (() => void) | undefined

  const encodeFailure = (id: RequestId | undefined, thrown: unknown) =>
    encodeError(id, toMcpError(thrown, service.log))

  /** Gives the answer to a message, if it gets one. */
  function receive(message: Message): Maybe<string | undefined> {
    if (message.kind === 'request') return answer(message)
    if (message.kind === 'response') peer.settle(message)
    else if (message.method === 'notifications/cancelled') peer.cancel(message.params['requestId'])
    else if (message.method === 'notifications/initialized') {
      stopFollowing ??= followChanges(environment, peer, send)
    }
    return undefined
  }

  function answer(request: Request): Maybe<string | undefined> {
    const { id, method, params } = request
    if (method === 'initialize' && !isModern(request)) {
      const known = server.introduce(params)
      introduction = known.introduction
      return encodeResultMessage(id, known.result)
    }
    const abortable = createCancellable()
    const result = andThen(authenticate(), (principal) => {
      const shared = toShared(request, {
        principal,
        callerKey: () => principal?.id ?? '',
        startedAt: service.clock.elapsed(),
        signal: abortable.signal,
        notify: (name, content) => send(encodeNotification(name, content)),
      })
      return server.answer(
        isModern(request) ? toModern(shared) : toLegacy(shared, introduction, peer, send),
      )
    })
    if (!isPromise(result)) return encodeResultText(id, result)
    peer.track(id, abortable)
    const text = result.then(
      (ready: Encoded) => (abortable.aborted() ? undefined : encodeResultText(id, ready)),
      (thrown: unknown) => (abortable.aborted() ? undefined : encodeFailure(id, thrown)),
    )
    return text.finally(() => peer.forget(id))
  }

  function reply(text: Maybe<string | undefined>): void {
    if (isPromise(text)) running.add(text.then(reply))
    else if (text !== undefined) void send(text)
  }

  function receiveEntry(entry: BatchEntry): Maybe<string | undefined> {
    if ('error' in entry) return encodeFailure(entry.id, entry.error)
    try {
      return receive(entry.message)
    } catch (thrown) {
      return encodeFailure(entry.message.kind === 'request' ? entry.message.id : undefined, thrown)
    }
  }

  return {
    tooLong: (maxBytes) =>
      send(encodeError(undefined, invalidRequest(`The message is longer than ${maxBytes} bytes`))),
    line(bytes) {
      let id: RequestId | undefined
      try {
        const document = parseMessages(bytes, service, (known) => {
          id = known
        })
        if (!Array.isArray(document)) return reply(receive(decodeMessage(document)))
        const entries = decodeBatch(document, introduction?.version)
        reply(joinTexts(entries.map(receiveEntry)))
      } catch (thrown) {
        void send(encodeFailure(id, thrown))
      }
    },
    async finish(graceMs) {
      stopFollowing?.()
      await running.finish(graceMs)
      peer.close()
    },
  }
}

/** Answers to messages that came as one leave as one; there is none when none of them gets any. */
function joinTexts(texts: readonly Maybe<string | undefined>[]): Maybe<string | undefined> {
  const join = (ready: readonly (string | undefined)[]) => {
    const answers = ready.filter((text) => text !== undefined)
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`
  }
  return texts.some(isPromise)
    ? Promise.all(texts).then(join)
    : join(texts as readonly (string | undefined)[])
}

/** Requests that are not answered yet. */
function createRunning(): {
  readonly add: (work: Promise<unknown>) => void
  readonly finish: (graceMs: number) => Promise<void>
} {
  const running = new Set<Promise<unknown>>()
  return {
    add(work) {
      const settled = work.finally(() => running.delete(settled))
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
type SharedExchange = Omit<
  McpExchange,
  'era' | 'version' | 'capabilities' | 'caller' | 'request' | 'release' | 'peer'
>

function toShared(
  { id, method, params }: Request,
  rest: Pick<SharedExchange, 'principal' | 'callerKey' | 'startedAt' | 'signal' | 'notify'>,
): SharedExchange {
  return { id, method, params, meta: readMeta(params), ...rest }
}

function toModern(shared: SharedExchange): McpExchange {
  const { version, capabilities } = readEnvelope(shared.params)
  if (version !== MODERN_VERSION) throw unsupportedVersion(version)
  return {
    ...shared,
    era: 'modern',
    version,
    capabilities,
    caller: readCaller(shared.meta[META.client]),
    request: undefined,
    release: undefined,
    peer: undefined,
  }
}

function toLegacy(
  shared: SharedExchange,
  introduction: Introduction | undefined,
  peer: LivePeer,
  send: (message: string) => void,
): McpExchange {
  return {
    ...shared,
    era: 'legacy',
    version: introduction?.version ?? UNSPOKEN_VERSION,
    capabilities: introduction?.capabilities ?? {},
    caller: introduction?.caller,
    request: (method, params, signal) => peer.request({ method, params }, send, signal),
    release: undefined,
    peer,
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
