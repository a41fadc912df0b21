import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allSurfaces, explorer, forrst, mcp, rest, type Service, serve } from 'waymark'
import { createClient } from 'waymark/client'
import { generateClient } from 'waymark/codegen'
import { buildDocument } from '../../src/discovery/document.ts'
import { runMain } from '../cli/run-main.ts'

/** What a call comes to, however its surface says it. */
export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: string; readonly message?: string; readonly details?: unknown }
  /** What an extension answered in place of the function. */
  readonly extension?: unknown
  readonly items?: readonly unknown[]
}

/** A feature that a surface does not carry: by the protocol's own words, or not yet. */
export type Missing = { readonly reason: string } | { readonly issue: number }

/** A request as one surface writes it. */
export type Send = object

interface ForrstSend {
  readonly function: string
  readonly version?: string | undefined
  readonly arguments?: object
  readonly extensions?: readonly object[]
}

interface RestSend {
  readonly request: string
  readonly body?: object
  readonly form?: Readonly<Record<string, string | Blob>>
  readonly file?: Blob
  readonly headers?: Readonly<Record<string, string>>
}

interface McpSend {
  readonly name: string
  readonly arguments: object
  readonly meta?: object
  /** Asks for a task, and waits for its result. */
  readonly task?: boolean
  /** The first revision that can say it, and why the earlier ones cannot. */
  readonly since?: string
  readonly reason?: string
}

interface ToolSend {
  readonly tool: string
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

interface ClientSend {
  readonly method: 'call' | 'stream' | 'start'
  readonly rest: readonly unknown[]
}

interface GeneratedSend {
  readonly path: readonly string[]
  readonly rest: readonly unknown[]
}

/** One feature, and how it is asked for over each surface. */
export interface Feature {
  readonly title: string
  readonly gives: Answer
  readonly sends: {
    readonly forrst: ForrstSend | Missing
    readonly rest: RestSend | Missing
    readonly mcp: McpSend | Missing
    readonly tools: ToolSend | Missing
    readonly client: ClientSend | Missing
    readonly generated: GeneratedSend | Missing
    readonly cli: readonly string[] | Missing
  }
}

/** The columns of the table: title, whose requests it sends, and the revision of MCP where it is one. */
export const SURFACES = [
  ['Forrst', 'forrst'],
  ['REST', 'rest'],
  ['MCP 2024-11-05', 'mcp'],
  ['MCP 2025-03-26', 'mcp'],
  ['MCP 2025-06-18', 'mcp'],
  ['MCP 2025-11-25', 'mcp'],
  ['MCP 2026-07-28', 'mcp'],
  ['tool API', 'tools'],
  ['typed client', 'client'],
  ['generated client', 'generated'],
  ['command line', 'cli'],
] as const

/** A running feature service that can be asked over every surface. */
export interface Asking {
  readonly ask: (column: (typeof SURFACES)[number], send: Send) => Promise<Answer>
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves a service and connects to it over every surface. */
export async function startSurfaces(service: Service): Promise<Asking> {
  const others = allSurfaces().filter(
    ({ name }) => !['mcp', 'explorer', 'forrst', 'rest'].includes(name),
  )
  const server = await serve(service, {
    port: 0,
    surfaces: [
      forrst(),
      rest(),
      mcp({ versions: { 'tickets.get': ['1.0.0', '2.0.0'] } }),
      explorer({ allowExecute: true }),
      ...others,
    ],
  })
  const { url } = server
  const client = createClient({ url: `${url}/forrst`, name: 'parity', retry: false })
  const generated = await loadGenerated(service, `${url}/forrst`)
  const sessions = new Map<string, Promise<string | undefined>>()
  const openSession = (revision: string) => {
    const known = sessions.get(revision) ?? initialize(url, revision)
    sessions.set(revision, known)
    return known
  }
  return {
    url,
    close: server.close,
    async ask([title, kind], send) {
      switch (kind) {
        case 'forrst':
          return askForrst(url, send as ForrstSend)
        case 'rest':
          return askRest(url, send as RestSend)
        case 'mcp': {
          const revision = title.slice(4)
          const session = revision === MODERN ? undefined : await openSession(revision)
          return askMcp(url, send as McpSend, revision, session)
        }
        case 'tools':
          return askTools(url, send as ToolSend)
        case 'client':
          return withTexts(await askClient(client, send as ClientSend))
        case 'generated':
          return withTexts(await askGenerated(generated, send as GeneratedSend))
        case 'cli':
          return askCli(`${url}/forrst`, send as readonly string[])
      }
    },
  }
}

type Json = Record<string, unknown>

const JSON_TYPE = { 'content-type': 'application/json' }

/** Nobody else knows what stands in for a result when there is none. */
function toAnswer(result: unknown, extensions: readonly Json[] = []): Answer {
  const [first] = extensions
  return result === null && first !== undefined ? { extension: first['data'] } : { result }
}

async function askForrst(url: string, send: ForrstSend): Promise<Answer> {
  const { extensions = [], ...call } = send
  const post = async (body: object): Promise<Response> =>
    fetch(`${url}/forrst`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'parity',
        context: { caller: 'parity' },
        ...body,
      }),
    })
  const response = await post({ call, ...(extensions.length > 0 && { extensions }) })
  const text = await response.text()
  if (response.headers.get('content-type') === 'text/event-stream') return readEvents(text)
  const document = JSON.parse(text) as Json
  if (document['errors']) return { error: (document['errors'] as never[])[0] as never }
  const entries = (document['extensions'] ?? []) as Json[]
  const operation = (entries[0]?.['data'] as Json | undefined)?.['operation_id']
  if (operation === undefined) return toAnswer(document['result'], entries)
  for (;;) {
    const status = await post({
      call: {
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: operation },
      },
    })
    const { result } = (await status.json()) as { readonly result: Json }
    if (result['status'] === 'completed') return { result: result['result'] }
  }
}

function readEvents(text: string): Answer {
  const items = text.split('\n\n').flatMap((event) => {
    const data = /^event: data\ndata: ?(.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [JSON.parse(data) as unknown]
  })
  // The first event says that the stream is open.
  return { items: items.slice(1) }
}

async function askRest(url: string, send: RestSend): Promise<Answer> {
  const { request, body, form, file, headers } = send
  const [method = '', path = ''] = request.split(' ')
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(!form && !file && JSON_TYPE), ...headers },
    ...(method === 'POST' && { body: toForm(form) ?? file ?? JSON.stringify(body ?? {}) }),
  })
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('image/')) {
    const name = /filename="(.*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    return { result: toFileText(type, name, Buffer.from(await response.arrayBuffer())) }
  }
  const text = await response.text()
  const location = response.headers.get('location')
  if (response.status === 202 && location) return followOperation(`${url}${location}`)
  if (type === 'application/jsonl') {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
    return { items: lines.flatMap((line) => ('item' in line ? [line['item']] : [])) }
  }
  const document = JSON.parse(text) as Json
  if (type === 'application/problem+json') {
    const { code, title, details } = document as { code: string; title: string; details?: Json }
    const waits = details?.['retry_after'] as { readonly value: number } | undefined
    if (waits && response.headers.get('retry-after') !== String(waits.value)) {
      throw new Error('Retry-After is missing')
    }
    return { error: { code, message: title, details } }
  }
  return type === 'application/json'
    ? { result: document }
    : toAnswer(null, document['extensions'] as Json[])
}

function toForm(members: RestSend['form']): FormData | undefined {
  if (members === undefined) return undefined
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.append(name, value as Blob)
  return form
}

function toFileText(type: string, name: string | undefined, bytes: Buffer): string {
  return `data:${type};name=${name};base64,${bytes.toString('base64')}`
}

interface Block {
  readonly type: string
  readonly text: string
  readonly mimeType: string
  readonly data: string
  readonly _meta?: Json
}

/** The only block of an answer: what it says, or the picture it shows. */
function readBlock(block: Block | undefined): unknown {
  if (block?.type !== 'image') return JSON.parse(block?.text ?? 'null')
  const name = String(block._meta?.['waymark/uri']).split('/').at(-1)
  return toFileText(block.mimeType, name, Buffer.from(block.data, 'base64'))
}

/** Files as text, so that all answers look alike. */
async function withTexts(answer: Answer): Promise<Answer> {
  const { result } = answer
  if (!(result instanceof File)) return answer
  return { result: toFileText(result.type, result.name, Buffer.from(await result.arrayBuffer())) }
}

async function followOperation(url: string): Promise<Answer> {
  for (;;) {
    const operation = (await (await fetch(url)).json()) as Json
    if (operation['status'] === 'completed') return { result: operation['result'] }
  }
}

const MODERN = '2026-07-28'

async function postMcp(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{
  readonly message: Json
  readonly before: readonly Json[]
  readonly session: string | undefined
}> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
  })
  const text = await response.text()
  const events = [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data]) => data ?? '')
  const messages = (events.length > 0 ? events : [text])
    .filter((data) => data !== '')
    .map((data) => JSON.parse(data) as Json)
  return {
    message: messages.at(-1) ?? {},
    before: messages.slice(0, -1),
    session: response.headers.get('mcp-session-id') ?? undefined,
  }
}

async function initialize(url: string, revision: string): Promise<string | undefined> {
  const { session } = await postMcp(url, {
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'parity', version: '1.0.0' },
    },
  })
  await postMcp(
    url,
    { method: 'notifications/initialized' },
    session ? { 'mcp-session-id': session } : {},
  )
  return session
}

async function askMcp(
  url: string,
  { name, arguments: given, meta, task }: McpSend,
  revision: string,
  session: string | undefined,
): Promise<Answer> {
  const isModern = revision === MODERN
  const own = isModern && {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'parity', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': task
      ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
      : {},
  }
  const post = (method: string, params: object, about: string) =>
    postMcp(
      url,
      { id: 1, method, params: { ...params, _meta: { ...own, ...meta } } },
      {
        'mcp-protocol-version': revision,
        ...(isModern && { 'mcp-method': method, 'mcp-name': about }),
        ...(session && { 'mcp-session-id': session }),
      },
    )
  const params = { name, arguments: given, ...(task && !isModern && { task: {} }) }
  const { message, before } = await post('tools/call', params, name)
  if (before.length > 0) {
    const items = before.map(({ params }) => JSON.parse((params as { message: string }).message))
    return { items }
  }
  if (task) return followTask(message['result'] as Json, post)
  const result = message['result'] as Json | undefined
  if (result === undefined) throw new Error(`refused: ${JSON.stringify(message)}`)
  const answered = (result['_meta'] ?? {}) as Json
  const errors = answered['waymark/errors'] as Answer['error'][] | undefined
  if (errors?.[0]) return { error: errors[0] }
  if (result['isError']) return toAnswer(null, answered['waymark/extensions'] as Json[])
  const [block] = result['content'] as readonly Block[]
  return { result: result['structuredContent'] ?? readBlock(block) }
}

type Post = (method: string, params: object, about: string) => Promise<{ readonly message: Json }>

async function followTask(created: Json, post: Post): Promise<Answer> {
  const { taskId } = (created['task'] ?? created) as { readonly taskId: string }
  const isModern = created['task'] === undefined
  for (;;) {
    const { message } = await post(isModern ? 'tasks/get' : 'tasks/result', { taskId }, taskId)
    const told = message['result'] as Json
    const result = (isModern ? told['result'] : told) as Json | undefined
    if (result !== undefined) return { result: result['structuredContent'] }
  }
}

async function askTools(url: string, { tool, body, headers }: ToolSend): Promise<Answer> {
  const response = await fetch(`${url}/explorer/tools/${tool}/call`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  })
  if (response.headers.get('content-type') === 'text/event-stream') {
    const events = [...(await response.text()).matchAll(/^event: item\ndata: ?(.*)$/gm)]
    return { items: events.map(([, data]) => JSON.parse(data ?? '')) }
  }
  const { content } = (await response.json()) as { content: readonly Block[] }
  // biome-ignore lint/suspicious/noExplicitAny: whatever the tool answered
  const value = readBlock(content[0]) as any
  const operation = value?.extensions?.[0]?.data?.operation_id as string | undefined
  if (operation !== undefined) {
    const status = 'urn:cline:forrst:ext:async:fn:status'
    return askTools(url, { tool: status, body: { operation_id: operation } })
  }
  if (value?.status === 'pending' || value?.status === 'processing') {
    return askTools(url, { tool, body })
  }
  if (value?.status === 'completed') return { result: value.result }
  if (value?.errors) return { error: value.errors[0] }
  return value?.extensions ? toAnswer(null, value.extensions) : { result: value }
}

async function askClient(
  client: ReturnType<typeof createClient>,
  { method, rest: [name, given, options] }: ClientSend,
): Promise<Answer> {
  const called = [name as string, given as Json, options as object] as const
  if (method === 'stream') {
    const items: unknown[] = []
    for await (const item of client.stream(...called)) items.push(item)
    return { items }
  }
  const outcome =
    method === 'start'
      ? await (await client.start(...called)).result()
      : await client.call(...called)
  return outcome.ok
    ? toAnswer(outcome.result, outcome.extensions as never)
    : { error: outcome.error }
}

async function loadGenerated(service: Service, url: string): Promise<Json> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-parity-'))
  const file = join(folder, 'client.ts')
  writeFileSync(file, generateClient(buildDocument(service), { name: 'Tickets' }))
  const module = await import(/* @vite-ignore */ file)
  rmSync(folder, { recursive: true })
  return module.createTicketsClient({ url, name: 'parity', retry: false })
}

async function askGenerated(client: Json, { path, rest: given }: GeneratedSend): Promise<Answer> {
  const method = path.reduce<unknown>((member, name) => (member as Json)[name], client) as (
    ...rest: readonly unknown[]
  ) => unknown
  try {
    const answer = method(...given)
    if (path.at(-1) === 'stream') {
      const items: unknown[] = []
      for await (const item of answer as AsyncIterable<unknown>) items.push(item)
      return { items }
    }
    const value = await answer
    if (path.at(-1) === 'safe') {
      const { result, extensions } = value as { result: unknown; extensions?: Json[] }
      return toAnswer(result, extensions)
    }
    return path.at(-1) === 'start'
      ? { result: await (value as { wait(): Promise<unknown> }).wait() }
      : { result: value }
  } catch (thrown) {
    const { code, message, details } = thrown as Required<NonNullable<Answer['error']>>
    if (typeof code !== 'string') throw thrown
    return { error: { code, message, details } }
  }
}

async function askCli(url: string, words: readonly string[]): Promise<Answer> {
  const { out } = await runMain([
    'call',
    url,
    ...words,
    ...(words.includes('--json') ? [] : ['--json']),
  ])
  const lines = out.trim()
  if (words.includes('--stream')) {
    const parts = lines.split('\n').map((line) => JSON.parse(line) as Json)
    return { items: parts.flatMap((part) => ('item' in part ? [part['item']] : [])) }
  }
  const outcome = JSON.parse(lines)
  if (words.includes('--wait')) return { result: outcome.result ?? outcome }
  return outcome.ok ? toAnswer(outcome.result, outcome.extensions) : { error: outcome.error }
}
