import { randomUUID } from 'node:crypto'
import {
  type AgentEvent,
  type AgentOptions,
  type AgentReply,
  type AgentRequest,
  type AgentTool,
  type AgentTrigger,
  toLogText,
} from './agent.ts'
import { createAttempts, type Ending, type LaterOptions, type Work } from './attempts.ts'
import { type Challenge, createChallenge } from './challenge.ts'
import { expandEnv } from './env-text.ts'
import { fillPrompt, toArguments } from './map-payload.ts'
import { readDelivered, toMembers } from './payload.ts'
import { startQueue } from './queue.ts'
import { startSchedule } from './schedule.ts'
import { watchFiles } from './watch-files.ts'
import { createVerifier, readScheme, type Verifier } from './webhook.ts'

/** The triggers of an agent, at work. */
export interface Triggers {
  /** Answers a request that belongs to a webhook; undefined for any other. */
  readonly webhook: (request: AgentRequest) => Promise<AgentReply> | undefined
  /** Tells whether a request is for a webhook that has no signature to tell who sends it. */
  readonly isUnsigned: (request: AgentRequest) => boolean
  /** Fires the triggers of an event without waiting. */
  readonly emit: (event: string, payload: unknown) => void
  /** Fires the triggers of an event and waits for what they answer; rejects when nobody listens. */
  readonly ask: (event: string, payload: unknown) => Promise<readonly unknown[]>
  /** Resolves when every queue is being received; rejects when one cannot be. */
  readonly ready: Promise<unknown>
  /** Ends the clocks and waits for what is under way. */
  readonly stop: () => Promise<void>
}

/** Starts the triggers of an agent; a definition that cannot work stops the start. */
export function startTriggers(agent: AgentOptions): Triggers {
  const running = new Set<Promise<unknown>>()
  const stops: (() => void)[] = []
  const queues: Promise<() => Promise<void>>[] = []
  const hooks = new Map<string, Hook>()
  const stopping = new AbortController()
  const listening: Listener[] = []

  function watch<Value>(work: Promise<Value>): Promise<Value> {
    const settled = work.catch(() => undefined).finally(() => running.delete(settled))
    running.add(settled)
    return work
  }

  for (const trigger of agent.triggers) {
    const tool = requireTool(agent, trigger)
    const attempts = createAttempts(trigger, { log: agent.log, stopping: stopping.signal })
    const run: RunEvent = (happening) => watch(attempts.once(toWork(trigger, tool, happening)))
    const runLater: RunLater = (happening, options) => {
      return watch(attempts.later(toWork(trigger, tool, happening), options))
    }
    if (trigger.type === 'webhook' && trigger.path) {
      const verify = createVerifier(trigger, agent.env)
      const challenge = createChallenge(trigger, agent.env)
      if (trigger.secret_env === undefined) {
        const who = agent.token ? 'whoever sends the token' : 'this machine'
        agent.log(`webhook ${trigger.name} has no secret_env: only ${who} may call it`)
      }
      hooks.set(trigger.path, { trigger, verify, challenge, seen: new Set(), run, runLater })
    }
    if (trigger.type === 'schedule')
      stops.push(startSchedule(trigger, async () => void (await runLater({ payload: {} }))))
    if (trigger.type === 'file')
      stops.push(watchFiles(withPath(trigger, agent), (payload) => void runLater({ payload })))
    if (trigger.type === 'emit') listening.push({ trigger, run, runLater })
    if (trigger.type === 'queue') {
      const { env, log } = agent
      const started = startQueue(trigger, {
        env,
        log,
        run: (message) => runLater(message, { isKept: true }),
      })
      started.catch(() => {})
      queues.push(started)
    }
  }

  const listeners = (event: string): readonly Listener[] => {
    return listening.filter(({ trigger }) => matchesEvent(trigger.event ?? '', event))
  }

  return {
    webhook: (request) => {
      const hook = hooks.get(request.path)
      return hook && answerHook(hook, request, agent.log)
    },
    isUnsigned: ({ method, path }) => {
      const hook = method === 'POST' ? hooks.get(path) : undefined
      return hook !== undefined && hook.trigger.secret_env === undefined
    },
    emit: (event, payload) => {
      for (const { runLater } of listeners(event)) void runLater({ payload, event })
    },
    ask: async (event, payload) => {
      const asked = listeners(event)
      if (asked.length === 0) throw new Error(`nobody listens to ${event}`)
      return Promise.all(asked.map(({ run }) => run({ payload, event })))
    },
    ready: Promise.all(queues),
    stop: async () => {
      for (const stop of stops) stop()
      stopping.abort()
      const ended = queues.map((queue) => queue.then((stop) => stop()).catch(() => {}))
      await Promise.all([...running, ...ended])
    },
  }
}

function withPath(trigger: AgentTrigger, { env }: AgentOptions): AgentTrigger {
  const { name, watch_path = '.' } = trigger
  return { ...trigger, watch_path: expandEnv(watch_path, env, `file trigger ${name}: watch_path`) }
}

/** Tells whether a name to listen to means an event; `*` stands for exactly one part. */
function matchesEvent(pattern: string, event: string): boolean {
  const wanted = pattern.split('.')
  const parts = event.split('.')
  return (
    wanted.length === parts.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  )
}

/** What happened, before it is an event. */
interface Happening {
  readonly payload: unknown
  /** What the event is called; what the trigger says when absent. */
  readonly event?: string | undefined
  /** The same for every copy; made up when absent. */
  readonly id?: string | undefined
  /** Facts about the transport. */
  readonly meta?: Readonly<Record<string, unknown>>
}

type RunEvent = (happening: Happening) => Promise<unknown>
type RunLater = (happening: Happening, options?: LaterOptions) => Promise<Ending>

interface Listener {
  readonly trigger: AgentTrigger
  readonly run: RunEvent
  readonly runLater: RunLater
}

interface Hook extends Listener {
  readonly verify: Verifier
  readonly challenge: Challenge | undefined
  /** Ids of deliveries that were taken already. */
  readonly seen: Set<string>
}

async function answerHook(
  hook: Hook,
  request: AgentRequest,
  log: AgentOptions['log'],
): Promise<AgentReply> {
  const { trigger, verify, seen } = hook
  if (request.method === 'GET' && hook.challenge) return hook.challenge.answer(request)
  if (request.method !== 'POST')
    return { status: 405, headers: { allow: hook.challenge ? 'GET, POST' : 'POST' } }
  const verdict = verify(request, Date.now())
  if (!verdict.ok || hook.challenge?.signs(request.body))
    return { status: 401, body: { error: 'the signature is not right' } }
  const scheme = readScheme(trigger)
  const delivered = readDelivered(request, scheme)
  if (delivered === undefined) return { status: 400, body: { error: 'the body is not JSON' } }
  const { payload, id = verdict.id } = delivered
  const { type, challenge } = toMembers(payload)
  if (scheme === 'slack' && type === 'url_verification') return { status: 200, body: { challenge } }
  if (id !== undefined && seen.has(id)) return { status: 200, body: { status: 'accepted' } }
  if (id !== undefined) remember(seen, id)
  const happening = { payload, id, ...(delivered.event && { event: delivered.event }) }
  if (!trigger.wait) {
    void hook.runLater(happening)
    return { status: 200, body: { status: 'accepted' } }
  }
  try {
    const result = await hook.run(happening)
    return { status: 200, body: { status: 'done', result: result ?? null } }
  } catch (thrown) {
    // Whoever waited knows of the failure and may send it again.
    if (id !== undefined) seen.delete(id)
    log(`trigger ${trigger.name} failed: ${toLogText(thrown)}`)
    return { status: 500, body: { error: 'the trigger failed' } }
  }
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id)
  const [oldest] = seen
  if (seen.size > 10_000 && oldest !== undefined) seen.delete(oldest)
}

/** Makes what is tried: the tool, then the code of the trigger. A tool that has answered is not called again. */
function toWork(trigger: AgentTrigger, tool: AgentTool | undefined, happening: Happening): Work {
  const { payload, id = randomUUID(), event: name = trigger.event } = happening
  const received_at = new Date().toISOString()
  let answered: { readonly result: unknown } | undefined
  return async ({ number, signal }) => {
    const event: AgentEvent = {
      id,
      trigger: trigger.name,
      type: trigger.type,
      ...(name !== undefined && { event: name }),
      received_at,
      payload,
      meta: { ...happening.meta, attempt: number },
      signal,
    }
    const args = toArguments(trigger, event)
    if (tool) answered ??= { result: await tool.handler(args, { signal }) }
    const { prompt } = trigger
    const filled = prompt === undefined ? undefined : fillPrompt(prompt, args, event)
    const meta = { ...event.meta, ...answered, ...(filled !== undefined && { prompt: filled }) }
    return trigger.handler({ ...event, meta })
  }
}

/** Finds the tool of a trigger: the one it says, or the one of its own name; undefined when there is only code. */
function requireTool(agent: AgentOptions, trigger: AgentTrigger): AgentTool | undefined {
  const { name, tool: wanted, version = TOOL_VERSION } = trigger
  const tool = agent.tools.find((one) => one.name === (wanted ?? name))
  if (wanted !== undefined && tool === undefined)
    throw new Error(`trigger ${name}: there is no tool ${wanted}`)
  if (tool && version !== TOOL_VERSION)
    throw new Error(`trigger ${name}: version must be ${TOOL_VERSION}, that of every tool here`)
  return tool
}

const TOOL_VERSION = '1.0.0'
