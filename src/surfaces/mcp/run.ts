import { CallError } from '../../errors/index.ts'
import { type Abortable, createAbortable, type JsonObject, toReason } from '../../values/index.ts'
import {
  type Agent,
  type AgentCapability,
  type Answers,
  type InputRequest,
  type InputRequests,
  isAnswerTo,
} from './agent.ts'
import { isLogLevel, LOG_LEVELS, type LogLevel, type McpExchange, META } from './protocol.ts'

/** Creates a signal that follows another one until it is detached; why it ended is always that the call was cancelled. */
export function createCancellable(above?: () => AbortSignal): Abortable {
  return createAbortable(above, () => new CallError('CANCELLED'))
}

/** A request at work: what it asked the client for, and where its answers come from. */
export interface Run {
  /** Questions without an answer; the request cannot go on before the client brings them. */
  pending: InputRequests | undefined
  /** What the client would have to be able to do. */
  missing: JsonObject | undefined
  /** Takes questions once the call has become a task. */
  ask: ((requests: InputRequests) => Promise<Readonly<Record<string, JsonObject>>>) | undefined
  /** What every message of the call says about itself; absent when there is nothing to say. */
  meta: JsonObject | undefined
  readonly agent: () => Agent
}

const CAPABILITY: Readonly<Record<InputRequest['method'], AgentCapability>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** Creates the run of one request. */
export function createRun(
  exchange: McpExchange,
  answers: Answers,
  abortable: Pick<Abortable, 'signal'>,
  detach?: () => Promise<void>,
): Run {
  let agent: Agent | undefined
  const run: Run = {
    pending: undefined,
    missing: undefined,
    ask: undefined,
    meta: undefined,
    agent() {
      agent ??= toAgent(exchange, run, createAsk(exchange, answers, abortable, run), detach)
      return agent
    },
  }

  return run
}

function createAsk(
  exchange: McpExchange,
  answers: Answers,
  abortable: Pick<Abortable, 'signal'>,
  run: Run,
): Agent['ask'] {
  return async (requests) => {
    assertCapable(exchange, requests, run)
    if (run.ask !== undefined) return run.ask(requests)
    if (exchange.request !== undefined) {
      return askDirectly(exchange.request, requests, abortable.signal())
    }
    return lookUp(requests, answers, run)
  }
}

function toAgent(
  exchange: McpExchange,
  run: Run,
  ask: Agent['ask'],
  detach: Agent['detach'] | undefined,
): Agent {
  const askOne = async (name: string, request: InputRequest): Promise<JsonObject> =>
    (await ask({ [name]: request }))[name] ?? {}
  return {
    name: exchange.caller,
    supports: (capability) => exchange.capabilities[capability] !== undefined,
    ask,
    elicit: (name, params) => askOne(name, { method: 'elicitation/create', params }),
    sample: (name, params) => askOne(name, { method: 'sampling/createMessage', params }),
    roots: (name = 'roots') => askOne(name, { method: 'roots/list', params: {} }),
    log(level, data, logger) {
      if (!wantsLevel(exchange, level)) return
      void exchange.notify('notifications/message', {
        level,
        data,
        ...(logger !== undefined && { logger }),
        ...(run.meta && { _meta: run.meta }),
      })
    },
    detach: detach ?? (async () => exchange.release?.()),
  }
}

function assertCapable(exchange: McpExchange, requests: InputRequests, run: Run): void {
  const reachable = exchange.era === 'modern' || exchange.request !== undefined
  const missing = Object.values(requests)
    .map(({ method }) => CAPABILITY[method])
    .filter((capability) => !reachable || exchange.capabilities[capability] === undefined)
  if (missing.length === 0) return
  run.missing = Object.fromEntries(missing.map((capability) => [capability, {}]))
  throw new CallError('CLIENT_CAPABILITY_MISSING', {
    message: `The client lacks capabilities that this call needs: ${missing.join(', ')}`,
  })
}

/** Asks the client while a request is open, and checks the form of its answers. */
export async function askDirectly(
  request: NonNullable<McpExchange['request']>,
  requests: InputRequests,
  signal: AbortSignal,
): Promise<Readonly<Record<string, JsonObject>>> {
  const replies = await Promise.all(
    Object.entries(requests).map(async ([name, question]) => {
      const reply = await request(question.method, question.params, signal).catch(refused)
      if (!isAnswerTo(question, reply))
        return refused(`its answer to ${name} does not match the schema`)
      return [name, reply] as const
    }),
  )
  return Object.fromEntries(replies)
}

function refused(reason: unknown): never {
  throw new CallError('CLIENT_REFUSED', {
    message: `The client did not answer: ${toReason(reason)}`,
  })
}

function lookUp(
  requests: InputRequests,
  answers: Answers,
  run: Run,
): Readonly<Record<string, JsonObject>> {
  const replies: Record<string, JsonObject> = {}
  const open: Record<string, InputRequest> = {}
  for (const [name, question] of Object.entries(requests)) {
    const answer = Object.hasOwn(answers, name) ? answers[name] : undefined
    if (isAnswerTo(question, answer)) replies[name] = answer
    else open[name] = question
  }
  if (Object.keys(open).length === 0) return replies
  run.pending = { ...run.pending, ...open }
  // Not a failure to remember: the same call goes on once the client has the answers.
  throw new CallError('CANCELLED', {
    message: `The call needs answers from the client: ${Object.keys(open).join(', ')}`,
  })
}

function wantsLevel({ era, meta, peer }: McpExchange, level: LogLevel): boolean {
  const lowest = era === 'modern' ? meta[META.logLevel] : (peer?.logLevel ?? 'info')
  return isLogLevel(lowest) && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(lowest)
}
