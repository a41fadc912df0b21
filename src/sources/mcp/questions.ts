import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { type Call, type Invocation, markQuestion } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { isRecord, type JsonObject, runInScope, toText } from '../../values/index.ts'

/** Passes questions of a remote server on to the agent behind the call that makes it ask. */
export interface RemoteQuestions {
  /** Tells whether the caller can be asked. */
  readonly canAsk: (call: Call) => boolean
  /** Makes a call during which the server may ask; the signal also ends it when an answer can only come later. */
  readonly during: <Result>(
    invocation: Invocation,
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result>
  /** Answers the server; throws an error for it that says why nobody can be asked. */
  readonly answer: (params: JsonObject) => Promise<JsonObject>
}

/** The part of an agent that is needed here; the surface for agents leaves it in the facts of a call. */
interface Agent {
  readonly supports: (capability: 'elicitation') => boolean
  readonly elicit: (name: string, params: JsonObject) => Promise<JsonObject>
}

interface Running {
  readonly call: Call
  readonly later: AbortController
  /** Why the call has to be made again. */
  failure: CallError | undefined
}

const AGENT = Symbol.for('waymark.agent')

/** Creates what passes the questions of one server on. */
export function createRemoteQuestions({
  name,
  trusted,
  wanted,
}: {
  readonly name: string
  readonly trusted: boolean
  /** False when nobody is ever asked. */
  readonly wanted: boolean
}): RemoteQuestions {
  const running = new Set<Running>()
  // Over HTTP a question comes on the stream of its call, and so in the context of that call.
  const context = new AsyncLocalStorage<Running>()

  function requireAsker(): Running {
    const own = context.getStore()
    if (own !== undefined) return own
    const [only, ...others] = running
    if (only === undefined) throw refuse('no call is running')
    // On a pipe nothing tells which call asks, and nobody may see the questions of others.
    if (others.length > 0) throw refuse('several calls are running, and any of them may ask')
    return only
  }

  return {
    canAsk: (call) => wanted && agentOf(call)?.supports('elicitation') === true,
    async during(invocation, work) {
      const entry: Running = {
        call: invocation.call,
        later: new AbortController(),
        failure: undefined,
      }
      running.add(entry)
      try {
        const result = await runInScope(
          [invocation.signal, entry.later.signal],
          undefined,
          (signal) => context.run(entry, () => work(signal)),
        )
        if (entry.failure !== undefined) throw entry.failure
        return result
      } catch (thrown) {
        throw entry.failure ?? thrown
      } finally {
        running.delete(entry)
      }
    },
    async answer(params) {
      const entry = requireAsker()
      const agent = agentOf(entry.call)
      if (agent === undefined) throw refuse('the call did not come over MCP')
      if (!agent.supports('elicitation')) throw refuse('the client does not support elicitation')
      const question = toQuestion(params, name, trusted)
      try {
        return await agent.elicit(toName(name, question), question)
      } catch (thrown) {
        // The call ends here and is made again with the answer: the server must not go on without it.
        if (thrown instanceof CallError && thrown.code === 'CANCELLED') {
          entry.failure = thrown
          entry.later.abort(thrown)
        }
        throw thrown
      }
    },
  }
}

function agentOf({ facts }: Call): Agent | undefined {
  return (facts as { readonly [AGENT]?: () => Agent })[AGENT]?.()
}

/** Takes over what a form needs and nothing else; says who asks. */
function toQuestion(params: JsonObject, server: string, trusted: boolean): JsonObject {
  const { mode = 'form', message, requestedSchema } = params
  if (mode !== 'form' || !isRecord(requestedSchema)) throw refuse('only forms are passed on')
  return {
    message: trusted ? toText(message) : markQuestion(toText(message), server),
    requestedSchema: requestedSchema,
  }
}

/** The same question has the same name when the call is made again. */
function toName(server: string, question: JsonObject): string {
  const digest = createHash('sha256').update(JSON.stringify(question)).digest('hex')
  return `${server}-${digest.slice(0, 16)}`
}

function refuse(reason: string): CallError {
  return new CallError('CLIENT_CAPABILITY_MISSING', {
    message: `The user cannot be asked: ${reason}`,
  })
}
