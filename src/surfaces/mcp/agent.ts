import { createHash } from 'node:crypto'
import type { Call, CallFacts } from '../../core/index.ts'
import { isRecord, type Json, type JsonObject } from '../../values/index.ts'
import { invalidParams } from './errors.ts'
import type { LogLevel, McpExchange } from './protocol.ts'
import type { Seal } from './session/sessions.ts'

/** What a client may be able to do while a call runs. */
export type AgentCapability = 'elicitation' | 'sampling' | 'roots'

/** A question to the client: to its user, to its model, or about its folders. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: JsonObject
}

/** Questions by a name of the asker's choosing. */
export type InputRequests = Readonly<Record<string, InputRequest>>

/**
 * The agent at the other end of a running call.
 *
 * Where the protocol cannot ask in the middle of a call (2026-07-28), the call ends with the question and is made
 * again with the answer: a handler asks before it changes anything, and gives each question its own name.
 */
export interface Agent {
  /** How the client calls itself; nobody checks it. */
  readonly name: string | undefined
  readonly supports: (capability: AgentCapability) => boolean
  /** Asks several questions at once. */
  readonly ask: (requests: InputRequests) => Promise<Readonly<Record<string, JsonObject>>>
  /** Asks the user to fill in a form: `{ message, requestedSchema }`. */
  readonly elicit: (name: string, params: JsonObject) => Promise<JsonObject>
  /** Asks the client's model: `{ messages, maxTokens }`. */
  readonly sample: (name: string, params: JsonObject) => Promise<JsonObject>
  /** Asks which folders the client works on. */
  readonly roots: (name?: string) => Promise<JsonObject>
  /** Sends a log line, if the client wants lines of this severity. */
  readonly log: (level: LogLevel, data: Json, logger?: string) => void
  /**
   * Lets the client go on: the rest of the call becomes a task, where the client knows tasks. In 2025-11-25 it
   * hangs up instead and comes back for the rest.
   */
  readonly detach: () => Promise<void>
}

// Shared by every copy of the package in a process: a handler may ask through another than the one that serves.
const agent: unique symbol = Symbol.for('waymark.agent')

/** Facts of a call that came through MCP. */
interface AgentFacts extends CallFacts {
  readonly [agent]?: () => Agent
}

/** Makes the facts of a call; the agent among them is only made when somebody asks for it. */
export function toAgentFacts(progress: CallFacts['progress'], create: () => Agent): CallFacts {
  // Two literals, because spreading into an object with a symbol costs more than the rest of the call.
  const facts: AgentFacts =
    progress === undefined ? { [agent]: create } : { progress, [agent]: create }
  return facts
}

/** Gives the agent behind a call; undefined when the call came another way than through MCP. */
export function agentOf(call: Pick<Call, 'facts'>): Agent | undefined {
  return (call.facts as AgentFacts)[agent]?.()
}

/** How long a client may take to answer a question. */
const STATE_TTL_MS = 3_600_000
/** What clients have to send back must fit into their requests. */
const MOST_STATE = 32_768

/** Answers by the name of their question. */
export type Answers = Readonly<Record<string, unknown>>

const NO_ANSWERS: Answers = Object.freeze({})

/** Reads the answers a request brings: new ones, and those of earlier rounds out of the sealed state. */
export function readAnswers(exchange: McpExchange, seal: Seal): Answers {
  const { inputResponses, requestState } = exchange.params
  if (inputResponses === undefined && requestState === undefined) return NO_ANSWERS
  if (inputResponses !== undefined && !isRecord(inputResponses)) {
    throw invalidParams('params.inputResponses must be an object')
  }
  return { ...readState(exchange, requestState, seal), ...inputResponses }
}

function readState(exchange: McpExchange, requestState: unknown, seal: Seal): Answers {
  if (requestState === undefined) return NO_ANSWERS
  const state = typeof requestState === 'string' ? seal.open(requestState) : undefined
  const genuine = state?.['owner'] === ownerOf(exchange) && state['subject'] === subjectOf(exchange)
  if (!genuine) {
    throw invalidParams('params.requestState is not what this server sent for this request')
  }
  const answers = state['answers']
  return isRecord(answers) ? answers : NO_ANSWERS
}

/** Writes the result that asks the client for more. */
export function encodeInputRequired(
  exchange: McpExchange,
  requests: InputRequests,
  answers: Answers,
  seal: Seal,
): string {
  if (JSON.stringify(answers).length > MOST_STATE) {
    throw invalidParams('params.inputResponses are too long to be remembered')
  }
  const requestState = seal.close(
    { owner: ownerOf(exchange), subject: subjectOf(exchange), answers: answers as JsonObject },
    STATE_TTL_MS,
  )
  return `{"resultType":"input_required","inputRequests":${JSON.stringify(requests)},"requestState":"${requestState}"}`
}

/** Tells whether an answer has the form its question asks for. */
export function isAnswerTo({ method }: InputRequest, answer: unknown): answer is JsonObject {
  if (!isRecord(answer)) return false
  if (method === 'roots/list') return Array.isArray(answer['roots'])
  if (method === 'sampling/createMessage') {
    return typeof answer['role'] === 'string' && answer['content'] !== undefined
  }
  const { action, content } = answer
  return ACTIONS.has(action) && (content === undefined || isRecord(content))
}

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

function ownerOf({ principal }: McpExchange): string {
  return principal?.id ?? ''
}

/** State that was given for one request is worth nothing for another. */
function subjectOf({ method, params }: McpExchange): string {
  const { name, uri, arguments: input } = params
  return createHash('sha256')
    .update(JSON.stringify([method, name, uri, input ?? {}]))
    .digest('base64url')
}
