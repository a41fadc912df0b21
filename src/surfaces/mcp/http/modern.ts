import { type Principal, viewOf } from '../../../core/index.ts'
import type { JsonSchema } from '../../../schema/index.ts'
import { isRecord, type JsonObject, type Maybe, toText } from '../../../values/index.ts'
import type { HttpRequest, HttpResponse } from '../../../wire/index.ts'
import { type Message, readCaller, readEnvelope, readMeta } from '../decode.ts'
import { headerMismatch, McpError, RPC, toMcpError, unsupportedVersion } from '../errors.ts'
import { type ClientCapabilities, META, MODERN_VERSION } from '../protocol.ts'
import type { McpServer } from '../server.ts'
import { encodeNotification } from '../session/peer.ts'
import { type AnswerOutlet, acceptsStream, answerHttp, answerOne, ONE_ANSWER } from './answer.ts'

/** An argument that clients repeat in a header, so that proxies can route by it. */
export interface HeaderParameter {
  /** Lower case: `mcp-param-region`. */
  readonly header: string
  /** Where the argument stands. */
  readonly path: readonly string[]
}

/** Which parameter `Mcp-Name` repeats. */
const NAME_SOURCE: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const PRIMITIVE: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Throws unless the headers say what the body says: others on the way may have decided by them. */
export function checkRoutingHeaders(
  { header }: Pick<HttpRequest, 'header'>,
  method: string,
  params: JsonObject,
): void {
  compare('Mcp-Method', header('mcp-method'), method)
  const source = NAME_SOURCE.get(method)
  const name = source === undefined ? undefined : params[source]
  if (typeof name === 'string') compare('Mcp-Name', header('mcp-name'), name)
}

/** Throws unless the headers of marked arguments say what the arguments say. */
export function checkParameterHeaders(
  { header }: Pick<HttpRequest, 'header'>,
  parameters: readonly HeaderParameter[],
  input: JsonObject,
): void {
  for (const parameter of parameters) {
    const value = parameter.path.reduce<unknown>(
      (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
      input,
    )
    const given = header(parameter.header)
    if (value !== undefined && value !== null) compare(parameter.header, given, value)
    else if (given !== undefined)
      throw headerMismatch(`${parameter.header} has no value in the body`)
  }
}

/** Lists the arguments that a schema marks with `x-mcp-header`. */
export function findHeaderParameters(
  schema: JsonSchema,
  path: readonly string[] = [],
): readonly HeaderParameter[] {
  const { properties } = schema
  if (!isRecord(properties) || path.length > 8) return []
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isRecord(property)) return []
    const here = [...path, key]
    const name = property['x-mcp-header']
    const marked = typeof name === 'string' && TOKEN.test(name) && PRIMITIVE.has(property['type'])
    return [
      ...(marked ? [{ header: `mcp-param-${name.toLowerCase()}`, path: here }] : []),
      ...findHeaderParameters(property, here),
    ]
  })
}

function compare(name: string, header: string | undefined, value: unknown): void {
  if (header === undefined) throw headerMismatch(`the ${name} header is missing`)
  if (header === value) return
  const given = decodeValue(name, header.trim())
  const same =
    given === toText(value) ||
    (typeof value === 'number' && Number(given) === value && given !== '')
  if (same) return
  throw headerMismatch(
    `the ${name} header says "${given.slice(0, 100)}", but the body says something else`,
  )
}

function decodeValue(name: string, header: string): string {
  const encoded = SENTINEL.exec(header)?.[1]
  if (encoded === undefined) return header
  if (!BASE64.test(encoded)) throw headerMismatch(`the ${name} header is not valid base64`)
  return Buffer.from(encoded, 'base64').toString('utf8')
}

type Request = Extract<Message, { readonly kind: 'request' }>

/** Answers a request of the stateless revision: all there is to know stands in the request itself. */
export function answerModern(
  server: McpServer,
  request: HttpRequest,
  { id, method, params }: Request,
  principal: Principal | undefined,
): Maybe<HttpResponse> {
  const { service, keepAliveMs, callerKey } = server.environment
  const capabilities = checkRequest(server, request, method, params, principal)
  const meta = readMeta(params)
  const work = ({ push }: AnswerOutlet) =>
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
  principal: Principal | undefined,
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
  if (method === 'tools/call') checkMarkedArguments(server, request, params, principal)
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

function checkMarkedArguments(
  { environment: { service, catalogue } }: McpServer,
  request: HttpRequest,
  params: JsonObject,
  principal: Principal | undefined,
): void {
  const { name, arguments: input } = params
  const { find } = catalogue(viewOf(service, principal))
  const tool = typeof name === 'string' ? find(name) : undefined
  const marked = tool?.headerParameters() ?? []
  if (marked.length > 0 && isRecord(input)) {
    checkParameterHeaders(request, marked, input)
  }
}
