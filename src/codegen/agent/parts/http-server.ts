import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseExactJson } from '../../../core/exact-json.ts'
import {
  type AgentOptions,
  type AgentReply,
  type AgentRequest,
  describeFailure,
  toLogText,
} from './agent.ts'
import { answerMcp } from './mcp.ts'
import { startTriggers, type Triggers } from './triggers.ts'

const MAX_BODY_BYTES = 1024 * 1024
const STOP_AFTER_MS = 10_000

/** An agent that answers. */
export interface RunningAgent {
  readonly url: string
  readonly emit: Triggers['emit']
  readonly ask: Triggers['ask']
  /** Takes no more work, waits for what is under way, and ends. */
  readonly stop: () => Promise<void>
}

/** Starts an agent: tools over plain HTTP and MCP, and the triggers. */
export async function startAgent(agent: AgentOptions): Promise<RunningAgent> {
  const triggers = startTriggers(agent)
  await triggers.ready.catch(async (thrown: unknown) => {
    await triggers.stop()
    throw thrown
  })
  if (!mayRun(agent)) {
    agent.log('tools are not run: set AGENT_TOKEN, or let HOST be 127.0.0.1')
  }
  const server = createServer((incoming, response) => {
    void handle(incoming, response, { agent, triggers })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(agent.port, agent.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${agent.host.includes(':') ? `[${agent.host}]` : agent.host}:${port}`,
    emit: triggers.emit,
    ask: triggers.ask,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await Promise.race([Promise.all([closed, triggers.stop()]), delay(STOP_AFTER_MS)])
      server.closeAllConnections()
    },
  }
}

// The rest of the body is never read, so the connection cannot be used again.
const TOO_LARGE: AgentReply = {
  status: 413,
  body: { error: 'the body is too large' },
  headers: { connection: 'close' },
}

interface Surroundings {
  readonly agent: AgentOptions
  readonly triggers: Triggers
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  around: Surroundings,
): Promise<void> {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) controller.abort()
  })
  try {
    const body = await readBody(incoming)
    if (body === undefined) write(response, TOO_LARGE)
    else write(response, await route(toRequest(incoming, body), around, controller.signal))
  } catch (thrown) {
    around.agent.log(`request failed: ${toLogText(thrown)}`)
    if (!response.headersSent) write(response, { status: 500, body: { error: 'internal error' } })
  }
}

async function route(
  request: AgentRequest,
  { agent, triggers }: Surroundings,
  signal: AbortSignal,
): Promise<AgentReply> {
  const stranger = refuseStranger(request, agent)
  const webhook = triggers.isUnsigned(request) && stranger ? stranger : triggers.webhook(request)
  if (webhook) return webhook
  if (request.path === '/health') return { status: 200, body: { status: 'ok' } }
  if (stranger) return stranger
  if (request.path === '/mcp') {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
    return answerMcp(request.body, agent, signal)
  }
  if (request.path === '/' || request.path === '/tools')
    return { status: 200, body: describe(agent) }
  const name = /^\/tools\/([^/]+)$/.exec(request.path)?.[1]
  if (name === undefined) return { status: 404, body: { error: 'no such path' } }
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  return runTool(name, request.body, { agent, signal })
}

async function runTool(
  name: string,
  body: string,
  { agent, signal }: { readonly agent: AgentOptions; readonly signal: AbortSignal },
): Promise<AgentReply> {
  const tool = agent.tools.find((one) => one.name === name)
  if (tool === undefined) return { status: 404, body: { error: `there is no tool ${name}` } }
  let args: unknown
  try {
    args = body === '' ? {} : parseExactJson(body)
  } catch {
    return { status: 400, body: { error: 'the body is not JSON' } }
  }
  try {
    return { status: 200, body: { result: (await tool.handler(args, { signal })) ?? null } }
  } catch (thrown) {
    agent.log(`tool ${name} failed: ${toLogText(thrown)}`)
    const { status, ...error } = describeFailure(thrown)
    return { status, body: { error } }
  }
}

function describe(agent: AgentOptions): unknown {
  const { name, description } = agent
  const tools = agent.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
  }))
  return { name, description, tools, endpoints: { mcp: '/mcp', call: '/tools/{name}' } }
}

// A page in somebody's browser must not reach an agent on this machine, not even through a name that
// resolves to it.
function refuseStranger(request: AgentRequest, agent: AgentOptions): AgentReply | undefined {
  if (agent.token) {
    const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
    const given = digest(request.header('authorization'))
    if (timingSafeEqual(given, digest(`Bearer ${agent.token}`))) return undefined
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { error: 'wrong token' },
    }
  }
  const origin = request.header('origin')
  const isLocal = isLoopback(hostOf(`http://${request.header('host')}`))
  const isOwnPage = origin === '' || isLoopback(hostOf(origin))
  if (mayRun(agent) && isLocal && isOwnPage) return undefined
  return { status: 403, body: { error: 'only this machine may call, unless AGENT_TOKEN is set' } }
}

function mayRun(agent: AgentOptions): boolean {
  return Boolean(agent.token) || isLoopback(agent.host)
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/.test(host)
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

function toRequest(incoming: IncomingMessage, body: string): AgentRequest {
  const [path = '/', ...query] = (incoming.url ?? '/').split('?')
  return {
    method: incoming.method ?? '',
    path,
    query: query.join('?'),
    header: (name) => String(incoming.headers[name] ?? ''),
    body,
  }
}

async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += (chunk as Buffer).length
    if (length > MAX_BODY_BYTES) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function write(response: ServerResponse, reply: AgentReply): void {
  if (reply.text !== undefined) {
    response.writeHead(reply.status, { ...PLAIN, ...reply.headers })
    response.end(reply.text)
    return
  }
  const text = reply.body === undefined ? '' : JSON.stringify(reply.body)
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  response.end(text)
}

// Text that somebody else chose must not become a page.
const PLAIN = {
  'content-type': 'text/plain; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
