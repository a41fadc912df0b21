import type { Principal } from '../core/call.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { Maybe } from '../core/maybe.ts'
import type { HttpRequest, HttpResponse } from '../wire/http.ts'
import { type Message, readCaller, readEnvelope, readMeta } from './decode.ts'
import { headerMismatch, McpError, RPC, toMcpError, unsupportedVersion } from './errors.ts'
import { checkParameterHeaders, checkRoutingHeaders } from './headers.ts'
import { acceptsStream, answerHttp, answerOne, ONE_ANSWER, type Outlet } from './http-answer.ts'
import { encodeNotification } from './peer.ts'
import { type ClientCapabilities, META, MODERN_VERSION } from './protocol.ts'
import type { McpServer } from './server.ts'

type Request = Extract<Message, { readonly kind: 'request' }>

/** Answers a request of the stateless revision: all there is to know stands in the request itself. */
export function answerModern(
  server: McpServer,
  request: HttpRequest,
  { id, method, params }: Request,
  principal: Principal | undefined,
): Maybe<HttpResponse> {
  const { service, keepAliveMs, callerKey } = server.environment
  const capabilities = checkRequest(server, request, method, params)
  const meta = readMeta(params)
  const work = ({ push }: Outlet) =>
    server.answer({
      id,
      method,
      params,
      meta,
      era: 'modern',
      version: MODERN_VERSION,
      capabilities,
      caller: readCaller(meta[META.client]),
      principal,
      callerKey: () => callerKey(request, principal),
      startedAt: service.clock.elapsed(),
      signal: request.signal,
      notify: (name, content) => push(encodeNotification(name, content)),
      request: undefined,
      release: undefined,
      peer: undefined,
    })
  return answerHttp({
    request,
    keepAliveMs,
    encoding: ONE_ANSWER,
    work: (outlet) =>
      answerOne(
        id,
        () => work(outlet),
        (thrown) => toMcpError(thrown, service.log),
      ),
  })
}

function checkRequest(
  server: McpServer,
  request: HttpRequest,
  method: string,
  params: JsonObject,
): ClientCapabilities {
  const { version, capabilities } = readEnvelope(params)
  const header = request.header('mcp-protocol-version')
  if (header !== version) {
    throw headerMismatch(
      header === undefined
        ? 'the MCP-Protocol-Version header is missing'
        : 'the MCP-Protocol-Version header and the version in _meta differ',
    )
  }
  if (version !== MODERN_VERSION) throw unsupportedVersion(version)
  checkRoutingHeaders(request, method, params)
  if (method === 'tools/call') checkMarkedArguments(server, request, params)
  if (method === 'subscriptions/listen') checkListen(request)
  return capabilities
}

/** A request that listens stays in memory for as long as its client likes. */
const LONGEST_LISTEN_BYTES = 65_536

function checkListen(request: HttpRequest): void {
  if (!acceptsStream(request)) {
    throw new McpError(RPC.invalidRequest, 'Accept must include text/event-stream', { status: 406 })
  }
  if (request.body.byteLength > LONGEST_LISTEN_BYTES) {
    throw new McpError(
      RPC.invalidRequest,
      `A request that listens may have at most ${LONGEST_LISTEN_BYTES} bytes`,
      { status: 413 },
    )
  }
}

function checkMarkedArguments(server: McpServer, request: HttpRequest, params: JsonObject): void {
  const { name, arguments: input } = params
  const tool = typeof name === 'string' ? server.environment.catalogue().find(name) : undefined
  const marked = tool?.headerParameters() ?? []
  if (marked.length > 0 && isRecord(input)) {
    checkParameterHeaders(request, marked, input)
  }
}
