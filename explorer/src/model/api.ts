import { decodeDetail, decodeSummary } from './decode-tool.ts'
import { parseExactly } from './exact-json.ts'
import type { CallAnswer, Content, Failure, ToolDetail, ToolSummary } from './types.ts'

/** What a validation came to. */
export type Verdict =
  | { readonly state: 'valid' }
  | { readonly state: 'invalid'; readonly errors: readonly Failure[]; readonly body: unknown }
  | { readonly state: 'failed'; readonly reason: string }

/** The tool API of this page's own server. */
export interface ToolApi {
  readonly base: string
  readonly callUrl: (tool: string) => string
  readonly readTools: () => Promise<readonly ToolSummary[]>
  readonly readTool: (name: string) => Promise<ToolDetail>
  readonly validate: (name: string, body: string) => Promise<Verdict>
  readonly call: (name: string, body: string, signal: AbortSignal) => Promise<CallAnswer>
}

/** An answer that was not what the page asked for. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Makes the API for a page at `pathname`; headers are asked for on each request. */
export function createToolApi(
  pathname: string,
  headers: () => Readonly<Record<string, string>>,
): ToolApi {
  const base = pathname.replace(/(?<!\/)\/+$/, '')
  const toolUrl = (name: string) => `${base}/tools/${encodeURIComponent(name)}`

  async function read<Value>(url: string): Promise<Value> {
    const response = await send(url, { headers: headers() })
    const body = await readJson(response)
    if (!response.ok) throw new ApiError(response.status, describeFailure(response.status, body))
    return body as Value
  }

  function post(url: string, body: string, signal?: AbortSignal): Promise<Response> {
    return send(url, {
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json' },
      body,
      ...(signal && { signal }),
    })
  }

  return {
    base,
    callUrl: (tool) => `${location.origin}${toolUrl(tool)}/call`,
    async readTools() {
      const tools = await read<unknown>(`${base}/tools`)
      if (!Array.isArray(tools)) throw new ApiError(200, 'The server did not answer with a list.')
      return tools.map(decodeSummary)
    },
    readTool: async (name) => decodeDetail(await read<unknown>(toolUrl(name))),
    async validate(name, body) {
      const response = await post(`${toolUrl(name)}/validate`, body)
      return toVerdict(response.status, await readJson(response))
    },
    async call(name, body, signal) {
      const started = performance.now()
      const response = await post(`${toolUrl(name)}/call`, body, signal)
      const envelope = await readJson(response)
      return toAnswer(response.status, envelope, performance.now() - started)
    },
  }
}

/** Says in a sentence why the server refused. */
function describeFailure(status: number, body: unknown): string {
  // What stands in front of the tool API, our own guard included, speaks in problem details.
  const { error, detail } = (body ?? {}) as { error?: unknown; detail?: unknown }
  const said = error ?? detail
  if (status === 401)
    return 'Unauthorized: the server wants a valid token. Set one under Authorization.'
  if (typeof said === 'string') return said
  return `The server answered ${status}.`
}

/** Reads the envelope of a call. */
function toAnswer(status: number, envelope: unknown, elapsed: number): CallAnswer {
  const { content, isError, structuredContent } = (envelope ?? {}) as Record<string, unknown>
  if (!Array.isArray(content)) {
    const notice = describeFailure(status, envelope)
    return { status, elapsed, envelope, content: [], isError: true, notice }
  }
  return {
    status,
    elapsed,
    envelope,
    content: content as readonly Content[],
    ...(structuredContent !== undefined && { structured: structuredContent }),
    isError: isError === true,
  }
}

function toVerdict(status: number, body: unknown): Verdict {
  const { valid, errors } = (body ?? {}) as { valid?: unknown; errors?: unknown }
  if (valid === true) return { state: 'valid' }
  if (valid === false && Array.isArray(errors)) {
    return { state: 'invalid', errors: errors as readonly Failure[], body }
  }
  return { state: 'failed', reason: describeFailure(status, body) }
}

/** Browsers say little, and each something else, about a connection that failed. */
async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (thrown) {
    // A header that cannot be sent is a TypeError as well, with a text of its own.
    if (thrown instanceof TypeError && /fetch$|network|load failed/i.test(thrown.message))
      throw new Error('The server cannot be reached.', { cause: thrown })
    throw thrown
  }
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return parseExactly(text)
  } catch {
    return text
  }
}
