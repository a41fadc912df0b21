import { parseExactJson } from '../../../core/exact-json.ts'
import { type AgentOptions, type AgentReply, describeFailure, toLogText } from './agent.ts'

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: Readonly<Record<string, unknown>>
}

/** Answers one MCP message over HTTP, without sessions. */
export async function answerMcp(
  body: string,
  agent: AgentOptions,
  signal: AbortSignal,
): Promise<AgentReply> {
  const message = parseMessage(body)
  if (message === undefined) return refuse(null, -32700, 'the body is not a JSON-RPC message', 400)
  const { id, method, params = {} } = message
  // Notifications and answers have no id to answer to.
  if (id === undefined || typeof method !== 'string') return { status: 202 }
  if (method === 'initialize') return answer(id, initialize(agent, params))
  if (method === 'ping') return answer(id, {})
  if (method === 'tools/list') return answer(id, { tools: listTools(agent) })
  if (method !== 'tools/call') return refuse(id, -32601, `method ${method} is not known`)
  const tool = agent.tools.find((one) => one.name === params['name'])
  if (tool === undefined)
    return refuse(id, -32602, `there is no tool ${JSON.stringify(params['name'])}`)
  try {
    const result = await tool.handler(params['arguments'] ?? {}, { signal })
    return answer(id, { content: [toText(result)] })
  } catch (thrown) {
    agent.log(`tool ${tool.name} failed: ${toLogText(thrown)}`)
    return answer(id, { content: [toText(describeFailure(thrown).message)], isError: true })
  }
}

function initialize(agent: AgentOptions, params: Readonly<Record<string, unknown>>): unknown {
  const asked = VERSIONS.find((version) => version === params['protocolVersion'])
  return {
    protocolVersion: asked ?? VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: agent.name, version: '1.0.0' },
    instructions: agent.description,
  }
}

function listTools(agent: AgentOptions): unknown[] {
  return agent.tools.map(({ name, description, parameters, annotations }) => ({
    name,
    description,
    inputSchema: parameters,
    ...(annotations && { annotations }),
  }))
}

function toText(value: unknown): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value ?? null) }
}

function parseMessage(body: string): Message | undefined {
  try {
    const value: unknown = parseExactJson(body)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? value : undefined
  } catch {
    return undefined
  }
}

function answer(id: unknown, result: unknown): AgentReply {
  return { status: 200, body: { jsonrpc: '2.0', id, result } }
}

function refuse(id: unknown, code: number, message: string, status = 200): AgentReply {
  return { status, body: { jsonrpc: '2.0', id, error: { code, message } } }
}
