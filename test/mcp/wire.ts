import type { McpHandler } from '../../src/surfaces/mcp/handler.ts'
import type { JsonObject } from '../../src/values/json.ts'
import type { HttpRequest, HttpResponse } from '../../src/wire/http.ts'
import { createWireCheck, type Revision, type WireCheck } from './wire-schema.ts'

/** What came back for one request. */
export interface WireReply {
  readonly status: number
  readonly headers: HttpResponse['headers']
  /** Every message, in order; the answer is the last. */
  readonly messages: readonly JsonObject[]
  readonly result: Record<string, unknown>
  readonly error: { code: number; message: string; data?: Record<string, unknown> }
}

/** What a test may say about a request beyond its params. */
export interface WireOptions {
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly meta?: JsonObject
  readonly capabilities?: JsonObject
  readonly signal?: AbortSignal
  readonly id?: string | number
}

/** A client that checks every message it gets against the schema of its revision. */
export interface WireClient {
  readonly request: (
    method: string,
    params?: JsonObject,
    options?: WireOptions,
  ) => Promise<WireReply>
  /** Sends a request and gives the messages one by one, as they come. */
  readonly stream: (
    method: string,
    params?: JsonObject,
    options?: WireOptions,
  ) => AsyncGenerator<JsonObject, void>
  readonly notify: (method: string, params?: JsonObject) => Promise<number>
  readonly respond: (id: unknown, result: JsonObject) => Promise<number>
}

/** Makes a request as a host on this machine would. */
export function toHttpRequest(
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
  signal: AbortSignal = new AbortController().signal,
  method = 'POST',
): HttpRequest {
  const sent: Readonly<Record<string, string | undefined>> = {
    host: '127.0.0.1:4000',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return {
    method,
    path: '/mcp',
    query: '',
    header: (name) => sent[name],
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    bodyTooLarge: false,
    signal: () => signal,
  }
}

/** Reads the messages of an answer, whole or streamed. */
export async function* readMessages({
  headers,
  body,
}: HttpResponse): AsyncGenerator<JsonObject, void> {
  const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  let text = ''
  for await (const chunk of chunks) {
    text += Buffer.from(chunk).toString()
    if (headers['content-type'] !== 'text/event-stream') continue
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1]
      // An event without data only says where to go on after a break.
      if (data) yield JSON.parse(data) as JsonObject
    }
  }
  if (text.trim() !== '') yield JSON.parse(text) as JsonObject
}

/** Creates a client of the stateless revision. */
export function modernClient(handler: McpHandler, defaults: WireOptions = {}): WireClient {
  const check = createWireCheck('2026-07-28')
  let count = 0
  return createClient(handler, check, (method, params, options) => {
    count += 1
    const id = options.id ?? count
    const name = params['name'] ?? params['uri'] ?? params['taskId']
    return {
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' && { 'mcp-name': name }),
        ...defaults.headers,
        ...options.headers,
      },
      body: {
        jsonrpc: '2.0',
        id,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1.0.0' },
            'io.modelcontextprotocol/clientCapabilities':
              options.capabilities ?? defaults.capabilities ?? {},
            ...defaults.meta,
            ...options.meta,
          },
        },
      },
    }
  })
}

/** Creates a client of a revision with sessions, already introduced. */
export async function legacyClient(
  handler: McpHandler,
  defaults: WireOptions & { readonly revision?: Revision } = {},
): Promise<WireClient & { readonly session: string | undefined }> {
  const { revision = '2025-11-25' } = defaults
  const check = createWireCheck(revision)
  let session: string | undefined
  let count = 0
  const client = createClient(handler, check, (method, params, options) => {
    count += 1
    const meta = { ...defaults.meta, ...options.meta }
    const withMeta = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta }
    return {
      headers: {
        ...(session !== undefined && { 'mcp-session-id': session }),
        ...(count > 1 && { 'mcp-protocol-version': revision }),
        ...defaults.headers,
        ...options.headers,
      },
      body: { jsonrpc: '2.0', id: options.id ?? count, method, params: withMeta },
    }
  })
  const { headers } = await client.request('initialize', {
    protocolVersion: revision,
    capabilities: defaults.capabilities ?? {},
    clientInfo: { name: 'tests', version: '1.0.0' },
  })
  const given = headers['mcp-session-id']
  session = typeof given === 'string' ? given : undefined
  await client.notify('notifications/initialized')
  return { ...client, session }
}

interface Written {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: JsonObject & { readonly id: string | number; readonly method: string }
}

function createClient(
  handler: McpHandler,
  check: WireCheck,
  write: (method: string, params: JsonObject, options: WireOptions) => Written,
): WireClient {
  const send = async (written: Written, signal?: AbortSignal) =>
    handler(toHttpRequest(written.body, written.headers, signal))
  const verify = (written: Written, message: JsonObject) => {
    check.message(message)
    const { id, result } = message
    if (id === written.body.id && result !== undefined) {
      check.result(written.body.method, result as Record<string, unknown>)
    }
  }
  const post = async (body: (id: number) => JsonObject): Promise<number> => {
    const { headers } = write('', {}, {})
    return (await handler(toHttpRequest(body(0), headers))).status
  }
  return {
    async request(method, params = {}, options = {}) {
      const written = write(method, params, options)
      const response = await send(written, options.signal)
      const messages: JsonObject[] = []
      for await (const message of readMessages(response)) {
        verify(written, message)
        messages.push(message)
      }
      const last = messages.at(-1) as Partial<WireReply> | undefined
      return {
        status: response.status,
        headers: response.headers,
        messages,
        result: last?.result ?? {},
        error: last?.error ?? { code: 0, message: '' },
      }
    },
    async *stream(method, params = {}, options = {}) {
      const written = write(method, params, options)
      const response = await send(written, options.signal)
      for await (const message of readMessages(response)) {
        verify(written, message)
        yield message
      }
    },
    notify: (method, params) => post(() => ({ jsonrpc: '2.0', method, ...(params && { params }) })),
    respond: (id, result) => post(() => ({ jsonrpc: '2.0', id: id as string, result })),
  }
}
