import type { Logger } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import type { Guard } from '../../net/index.ts'
import { andThen, isPromise, type Maybe } from '../../values/index.ts'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  type JudgeLocal,
  selectMediaType,
} from '../../wire/index.ts'
import { type Content, prepareJson } from './content.ts'
import {
  decodeAction,
  decodeArguments,
  decodeBody,
  decodeName,
  decodeRoute,
  refuseBody,
} from './decode.ts'
import { encodeCallResult, encodeJson, encodeUnreadable, toCallResult, toDetail } from './encode.ts'
import {
  encodeToolRefusal,
  refuseCaller,
  refuseMethod,
  refuseUnknownTool,
  runBehind,
  toErrorResult,
} from './errors.ts'
import type { ReadTools } from './provider.ts'
import type {
  AuthHook,
  PreparedTools,
  Tool,
  ToolCallHandler,
  ToolCallOutcome,
  ToolStreamHandler,
} from './tool.ts'
import type { ToolApiOptions } from './tool-api.ts'
import type { ValidateArguments } from './validate.ts'

/** Everything a tool API works with, made once. */
export interface ToolApiParts {
  /** Mount prefix without a slash at its end. */
  readonly base: string
  readonly page: Content
  readonly guard: Guard
  readonly readTools: ReadTools
  /** True when callers see different tools: nobody else may keep what one of them got. */
  readonly isPrivate: boolean
  readonly validate: ValidateArguments
  readonly call: ToolCallHandler
  readonly stream: ToolStreamHandler | undefined
  readonly allowExecute: boolean
  readonly judgeCall: ToolApiOptions['judgeCall']
  readonly authHook: AuthHook | undefined
  readonly challenge: string | undefined
  readonly maxBodyBytes: number
  readonly log: Logger
}

/** Serves page, list, detail, validation and calls. Hosts leave the body of an answer to HEAD away. */
export function createToolHandler(parts: ToolApiParts): HttpHandler {
  const { guard, log } = parts

  function fail(thrown: unknown): HttpResponse {
    if (thrown instanceof CallError && thrown.code === 'UNAUTHORIZED') {
      log.warn('a caller was refused', { error: thrown })
      return refuseCaller(thrown.challenge, parts.challenge)
    }
    log.error('tool API failed', { error: thrown })
    // The cause stays in the log.
    return encodeToolRefusal(500, 'Internal Server Error')
  }

  return function handleTools(request, judgeLocal) {
    try {
      const reason = guard.judgeHost(request)
      const response =
        reason === undefined ? answer(parts, request, judgeLocal) : encodeToolRefusal(403, reason)
      return isPromise(response)
        ? response.catch(fail).then((ready) => guard.share(request, ready))
        : guard.share(request, response)
    } catch (thrown) {
      return fail(thrown)
    }
  }
}

function answer(
  parts: ToolApiParts,
  request: HttpRequest,
  judgeLocal: JudgeLocal | undefined,
): Maybe<HttpResponse> {
  const { method } = request
  const route = decodeRoute(request.path, parts.base)
  const preflight = method === 'OPTIONS' ? parts.guard.preflight(request) : undefined
  if (preflight !== undefined && route.kind !== 'unknown') return preflight
  const reads = method === 'GET' || method === 'HEAD'
  switch (route.kind) {
    case 'unknown':
      return encodeToolRefusal(404, 'Not found')
    case 'page':
      return reads ? parts.page.respond(request) : refuseMethod(method, READS)
    case 'list':
      if (!reads) return refuseMethod(method, READS)
      return andThen(parts.readTools(request), (tools) =>
        andThen(tools.respond(request), (list) => keepPrivate(list, parts)),
      )
    case 'tool':
      return reads
        ? answerDetail(parts, request, route.rest)
        : answerAction(parts, request, route.rest, judgeLocal)
  }
}

const READS = 'GET, HEAD'

function keepPrivate(response: HttpResponse, { isPrivate }: ToolApiParts): HttpResponse {
  if (!isPrivate) return response
  const { headers } = response
  const vary = `${String(headers['vary'] ?? '')}, authorization`.replace(/^, /, '')
  return { ...response, headers: { ...headers, 'cache-control': 'private, no-cache', vary } }
}

function answerDetail(
  parts: ToolApiParts,
  request: HttpRequest,
  rest: string,
): Maybe<HttpResponse> {
  const name = decodeName(rest)
  if (name === undefined) return refuseEncoding()
  return andThen(parts.readTools(request), (tools) => {
    const tool = findTolerantly(tools, name)
    if (tool !== undefined) {
      const detail = prepareJson(toDetail(tool)).respond(request)
      return andThen(detail, (ready) => keepPrivate(ready, parts))
    }
    const action = decodeAction(rest)
    // Names may end in "/call"; only when none does is the method what is wrong.
    const acted = action && decodeName(action.rest)
    if (acted !== undefined && tools.find(acted)) return refuseMethod(request.method, 'POST')
    return refuseUnknownTool(stripSlash(name))
  })
}

function answerAction(
  parts: ToolApiParts,
  request: HttpRequest,
  rest: string,
  judgeLocal: JudgeLocal | undefined,
): Maybe<HttpResponse> {
  const action = decodeAction(rest)
  if (request.method !== 'POST') return refuseMethod(request.method, action ? 'POST' : READS)
  if (action === undefined) return refuseMethod('POST', READS)
  const foreign = parts.guard.judgeSite(request)
  if (foreign !== undefined) return encodeToolRefusal(403, foreign)
  if (action.verb === 'call') {
    // Said of tools that do not exist as well.
    if (!parts.allowExecute) return encodeToolRefusal(403, 'Tool execution is disabled.')
    const stranger = parts.judgeCall?.(request, judgeLocal)
    if (stranger !== undefined) return encodeToolRefusal(403, stranger)
  }
  const name = decodeName(action.rest)
  if (name === undefined) return refuseEncoding()
  return andThen(parts.readTools(request), (tools) => {
    const tool = findTolerantly(tools, name)
    if (tool === undefined) return refuseUnknownTool(name)
    const refused = refuseBody(request, parts.maxBodyBytes)
    if (refused !== undefined) return refused
    if (action.verb === 'call') return answerCall(parts, request, tool)
    const body = decodeBody(request.body)
    if (!body.ok) return encodeUnreadable(body.reason)
    return andThen(parts.validate(tool, body.value), (verdict) => encodeJson(verdict))
  })
}

function answerCall(parts: ToolApiParts, request: HttpRequest, tool: Tool): Maybe<HttpResponse> {
  const { authHook, call, log } = parts
  const args = decodeArguments(request.body)
  if (!args.ok) return encodeToolRefusal(400, args.reason)
  const run = async (): Promise<HttpResponse> => {
    try {
      const streamed = acceptsEvents(request) && parts.stream?.(tool.name, args.value, request)
      if (streamed) return await streamed
      return encodeCallResult(toCallResult(await invoke(call, tool.name, args.value, request)))
    } catch (error) {
      log.error('tool call failed', { tool: tool.name, error })
      return encodeCallResult(toErrorResult(error))
    }
  }
  return authHook === undefined ? run() : runBehind(authHook, request, run, parts)
}

function acceptsEvents({ header }: HttpRequest): boolean {
  const types = ['application/json', 'text/event-stream'] as const
  return selectMediaType(header('accept'), types) === 'text/event-stream'
}

function invoke(
  call: ToolCallHandler,
  tool: string,
  args: Record<string, unknown>,
  request: HttpRequest,
): Maybe<ToolCallOutcome> {
  // Two declared parameters mean that the handler wants no request; one with defaults or rest may want it.
  const withoutRequest: (name: string, args: Record<string, unknown>) => Maybe<ToolCallOutcome> =
    call as never
  return call.length === 2 ? withoutRequest(tool, args) : call(tool, args, request)
}

/** A slash at the end is forgiven, unless a name really ends in one. */
function findTolerantly(tools: PreparedTools, name: string): Tool | undefined {
  return tools.find(name) ?? (name.endsWith('/') ? tools.find(stripSlash(name)) : undefined)
}

function stripSlash(name: string): string {
  return name.endsWith('/') ? name.slice(0, -1) : name
}

function refuseEncoding(): HttpResponse {
  return encodeToolRefusal(400, 'The percent-encoding in the path is malformed.')
}
