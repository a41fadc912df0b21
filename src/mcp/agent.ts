import type { Call, CallFacts } from '../core/call.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { LogLevel } from './protocol.ts'

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
