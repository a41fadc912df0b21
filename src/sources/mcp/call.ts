import type { Call, Invocation } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { type Clock, isRecord, type JsonObject, toReason } from '../../values/index.ts'
import { ELICITATION, type RemoteClient, type RemoteResult, type RemoteTool } from './client.ts'
import type { McpConnection } from './connection.ts'
import { restoreBlocks } from './lenient.ts'
import { MAX_ANSWER_BYTES, TOO_LARGE } from './line-limit.ts'
import { type Namespace, rewriteBlock } from './namespace.ts'
import type { RemoteQuestions } from './questions.ts'

/** The error of a remote tool that ran and failed. */
export const REMOTE_FAILURE = 'REMOTE_TOOL_FAILED'

/** Calls a tool of a remote server; `structured` when the tool promises the shape of its result. Digits are marked in `args`. */
export type CallTool = (
  tool: RemoteTool,
  structured: boolean,
  invocation: Invocation,
  args: unknown,
) => Promise<unknown>

/** Agents get content blocks of a result as they are; the surface for them looks for this mark. */
const CONTENT = Symbol.for('waymark tool content')

/** Members of a result that agents get besides its value. */
const EXTRAS = Symbol.for('waymark tool extras')

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What was asked of a server so far. */
export interface CallCounts {
  readonly calls: number
  readonly failures: number
  readonly averageMs?: number
}

/** Creates what calls the tools of one server, and counts. */
export function createCallTool(
  connection: McpConnection<RemoteClient>,
  {
    name,
    timeoutMs,
    clock,
    questions,
    namespace,
  }: {
    readonly name: string
    readonly timeoutMs: number
    readonly clock: Clock
    readonly questions: RemoteQuestions
    readonly namespace: Namespace
  },
): { readonly call: CallTool; readonly counts: () => CallCounts } {
  let calls = 0
  let failures = 0
  let spentMs = 0
  const call: CallTool = async (tool, structured, invocation, args) => {
    const started = clock.elapsed()
    try {
      const timeout = timeLeft(invocation.call, timeoutMs, clock)
      const result = await send({ tool, args }, invocation, timeout)
      if (result.isError) throw toToolFailure(result)
      return toValue(result, structured, namespace)
    } catch (thrown) {
      failures += 1
      throw thrown
    } finally {
      calls += 1
      spentMs += clock.elapsed() - started
    }
  }
  return {
    call,
    counts: () => ({
      calls,
      failures,
      ...(calls > 0 && { averageMs: Math.round(spentMs / calls) }),
    }),
  }

  async function send(
    asked: { readonly tool: RemoteTool; readonly args: unknown },
    invocation: Invocation,
    timeout: number,
  ): Promise<RemoteResult> {
    return askClient(connection, name, invocation.signal, (client) => {
      // Only arguments and the trace travel on: no token, no header, no identity of the caller.
      const params = {
        name: asked.tool.name,
        arguments: asked.args as JsonObject,
        ...toMeta(invocation.call, client, questions),
      }
      return questions.during(invocation, (signal) =>
        client.callTool(params, {
          signal,
          timeout,
          resetTimeoutOnProgress: true,
          onprogress: ({ progress, total, message }) =>
            invocation.progress(total ? progress / total : 0, message),
        }),
      )
    })
  }
}

/** Asks a server something; an answer that never comes costs the connection. */
export async function askClient<Result>(
  connection: McpConnection<RemoteClient>,
  name: string,
  signal: AbortSignal | undefined,
  work: (client: RemoteClient) => Promise<Result>,
  again = false,
): Promise<Result> {
  const client = await connection.client()
  try {
    return await work(client)
  } catch (thrown) {
    if (signal?.aborted) throw signal.reason
    if (thrown instanceof CallError) throw thrown
    const failure = toFailure(thrown, name)
    if (failure !== 'lost') throw failure
    if (!again && isForgotten(thrown)) {
      // The session was unknown, so the request never reached the server: it may be made again.
      connection.renew(client)
      return askClient(connection, name, signal, work, true)
    }
    connection.lose(client)
    throw new CallError('UNAVAILABLE', { message: `${name} cannot be reached`, cause: thrown })
  }
}

function toMeta(
  call: Call,
  client: RemoteClient,
  questions: RemoteQuestions,
): { readonly _meta?: JsonObject } {
  const meta: JsonObject = {
    ...toTraceMeta(call),
    // Where every call says what its client can do, it is said for this caller.
    ...(client.getProtocolEra() === 'modern' && {
      [CAPABILITIES]: questions.canAsk(call) ? ELICITATION : {},
    }),
  }
  return Object.keys(meta).length === 0 ? {} : { _meta: meta }
}

function toTraceMeta({ facts: { trace } }: Call): JsonObject {
  if (trace === undefined) return {}
  const flags = trace.sampled === false ? '00' : '01'
  return { traceparent: `00-${trace.traceId}-${trace.spanId}-${flags}` }
}

function timeLeft({ facts }: Call, timeoutMs: number, clock: Clock): number {
  const left = facts.deadline === undefined ? timeoutMs : facts.deadline - clock.now()
  return Math.min(Math.max(left, 1), LONGEST_TIMER_MS)
}

/** These tell of the server's own exchange with us. */
const HOP_META = /^(?:waymark\/|io\.modelcontextprotocol\/(?:serverInfo|related-task)$)/

function toPassedMeta(meta: RemoteResult['_meta']): JsonObject | undefined {
  const passed = Object.entries(meta ?? {}).filter(([key]) => !HOP_META.test(key))
  return passed.length === 0 ? undefined : (Object.fromEntries(passed) as JsonObject)
}

/** Gives what a function returns; what only agents can use is marked, so that other surfaces do not see it. */
function toValue(
  { content, structuredContent, _meta: given }: RemoteResult,
  structured: boolean,
  namespace: Namespace,
): unknown {
  const _meta = toPassedMeta(given)
  const restored = restoreBlocks(content ?? [])
  const blocks = Array.isArray(restored)
    ? restored.map((block) => rewriteBlock(block, namespace))
    : restored
  if (!structured) {
    return {
      content: blocks,
      ...(structuredContent !== undefined && { structuredContent }),
      [CONTENT]: true,
      ...(_meta && { [EXTRAS]: { meta: _meta } }),
    }
  }
  const more =
    Array.isArray(blocks) && blocks.some((block) => !isRecord(block) || block['type'] !== 'text')
  if (!isRecord(structuredContent) || (!more && _meta === undefined)) return structuredContent
  return {
    ...structuredContent,
    [EXTRAS]: { ...(_meta && { meta: _meta }), ...(more && { content: blocks }) },
  }
}

/** A Waymark server says which of its errors it was, and its caller gets that; others only say it in words. */
function toToolFailure({ content, _meta }: RemoteResult): CallError {
  const errors = _meta?.['waymark/errors']
  const first = Array.isArray(errors) && isRecord(errors[0]) ? errors[0] : {}
  const { code, message, details } = first
  const text = (typeof message === 'string' ? message : textOf(content)).slice(0, 4_000)
  if (typeof code === 'string' && CODE.test(code) && !PROTOCOL_CODES.has(code)) {
    return new CallError(code, {
      message: text,
      ...(isRecord(details) && { details: details as JsonObject }),
    })
  }
  return new CallError(REMOTE_FAILURE, {
    message: text || 'The remote tool failed',
    details:
      typeof code === 'string' && CODE.test(code)
        ? { errors: errors as JsonObject[] }
        : { text: textOf(content).slice(0, 16_000) },
  })
}

const CODE = /^[A-Z][A-Z0-9_]{0,99}$/

/** What these say is about our call of the other server, not about our caller's call of us. */
const PROTOCOL_CODES = new Set([
  'PARSE_ERROR',
  'INVALID_REQUEST',
  'EXTENSION_NOT_SUPPORTED',
  'EXTENSION_NOT_APPLICABLE',
  'INTERNAL_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
])

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : []))
    .join('\n')
}

const INVALID_PARAMS = -32602

const LOST = new Set(['NOT_CONNECTED', 'CONNECTION_CLOSED', 'SEND_FAILED', 'NOT_INITIALIZED'])

/** What the MCP client says of its own accord about a result; its words hold the result. */
const UNPROMISED =
  /structured content does not match|failed to validate structured content|has an output schema but did not return/i

/** Tells an answer that says no from an answer that never came. */
function toFailure(thrown: unknown, name: string): CallError | 'lost' {
  const code = isRecord(thrown) ? thrown['code'] : undefined
  const message = toReason(thrown)
  if (code === 'REQUEST_TIMEOUT') {
    return new CallError('DEADLINE_EXCEEDED', { message: `${name} did not answer in time` })
  }
  if (message.includes(TOO_LARGE)) {
    return new CallError('DEPENDENCY_ERROR', {
      message: `${name} gave an answer that is too large: more than ${MAX_ANSWER_BYTES} bytes`,
      details: { max_bytes: MAX_ANSWER_BYTES },
    })
  }
  if (typeof code === 'number' && UNPROMISED.test(message)) {
    return new CallError('DEPENDENCY_ERROR', {
      message: `${name} answered something else than its tool promises`,
      reason: message.slice(0, 1_000),
      cause: thrown,
    })
  }
  if (typeof code === 'number') {
    return new CallError('DEPENDENCY_ERROR', {
      // What the arguments lack helps the caller; any other text may be that of an exception.
      ...(code === INVALID_PARAMS
        ? { message: `${name} refused the call: ${message.slice(0, 1_000)}` }
        : { message: `${name} refused the call`, reason: message.slice(0, 1_000) }),
      details: { rpc_code: code },
      cause: thrown,
    })
  }
  if (typeof code === 'string' && !LOST.has(code) && !code.startsWith('CLIENT_HTTP')) {
    return new CallError('DEPENDENCY_ERROR', {
      message: `${name} gave an answer that makes no sense`,
      cause: thrown,
    })
  }
  return 'lost'
}

function isForgotten(thrown: unknown): boolean {
  return isRecord(thrown) && (thrown['status'] === 404 || isForgotten(thrown['data']))
}
