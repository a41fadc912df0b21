import { randomUUID } from 'node:crypto'
import type { AgentEvent, AgentOptions, AgentReply, AgentRequest, AgentTrigger } from './agent.ts'
import { startSchedule } from './schedule.ts'
import { watchFiles } from './watch-files.ts'
import { createVerifier, type Verifier } from './webhook.ts'

/** The triggers of an agent, at work. */
export interface Triggers {
  /** Answers a request that belongs to a webhook; undefined for any other. */
  readonly webhook: (request: AgentRequest) => Promise<AgentReply> | undefined
  /** Fires the triggers of an event without waiting. */
  readonly emit: (event: string, payload: unknown) => void
  /** Fires the triggers of an event and waits for what they answer. */
  readonly ask: (event: string, payload: unknown) => Promise<readonly unknown[]>
  /** Ends the clocks and waits for what is under way. */
  readonly stop: () => Promise<void>
}

/** Starts the triggers of an agent; a webhook whose secret is missing stops the start. */
export function startTriggers(agent: AgentOptions): Triggers {
  const running = new Set<Promise<unknown>>()
  const stops: (() => void)[] = []
  const hooks = new Map<string, Hook>()

  function run(
    trigger: AgentTrigger,
    payload: unknown,
    meta: AgentEvent['meta'] = {},
  ): Promise<unknown> {
    const work = runTrigger(agent, trigger, { payload, meta })
    const settled = work.catch(() => undefined).finally(() => running.delete(settled))
    running.add(settled)
    return work
  }

  function runLater(trigger: AgentTrigger, payload: unknown): Promise<void> {
    return run(trigger, payload).then(
      () => undefined,
      (thrown: unknown) => agent.log(`trigger ${trigger.name} failed: ${String(thrown)}`),
    )
  }

  for (const trigger of agent.triggers) {
    if (trigger.type === 'webhook' && trigger.path) {
      hooks.set(trigger.path, {
        trigger,
        verify: createVerifier(trigger, agent.env),
        seen: new Set(),
      })
    }
    if (trigger.type === 'schedule') stops.push(startSchedule(trigger, () => runLater(trigger, {})))
    if (trigger.type === 'file')
      stops.push(watchFiles(trigger, (payload) => runLater(trigger, payload)))
    if (trigger.type === 'queue') {
      agent.log(`queue trigger ${trigger.name} is not run here: serve its spec with waymark`)
    }
  }

  const listeners = (event: string): readonly AgentTrigger[] => {
    return agent.triggers.filter((trigger) => trigger.type === 'emit' && trigger.event === event)
  }

  return {
    webhook: (request) => {
      const hook = hooks.get(request.path)
      return hook && answerHook(hook, request, { run, runLater, log: agent.log })
    },
    emit: (event, payload) => {
      for (const trigger of listeners(event)) void runLater(trigger, payload)
    },
    ask: (event, payload) => Promise.all(listeners(event).map((trigger) => run(trigger, payload))),
    stop: async () => {
      for (const stop of stops) stop()
      await Promise.all(running)
    },
  }
}

interface Hook {
  readonly trigger: AgentTrigger
  readonly verify: Verifier
  /** Ids of deliveries that were taken already. */
  readonly seen: Set<string>
}

async function answerHook(
  hook: Hook,
  request: AgentRequest,
  work: {
    readonly run: (trigger: AgentTrigger, payload: unknown) => Promise<unknown>
    readonly runLater: (trigger: AgentTrigger, payload: unknown) => Promise<void>
    readonly log: AgentOptions['log']
  },
): Promise<AgentReply> {
  const { trigger, verify, seen } = hook
  if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } }
  const verdict = verify(request, Date.now())
  if (!verdict.ok) return { status: 401, body: { error: 'the signature is not right' } }
  if (verdict.id !== undefined && seen.has(verdict.id))
    return { status: 200, body: { status: 'accepted' } }
  if (verdict.id !== undefined) remember(seen, verdict.id)
  const payload = parsePayload(request)
  const challenge = (payload as { type?: unknown; challenge?: unknown } | null) ?? {}
  if (challenge.type === 'url_verification')
    return { status: 200, body: { challenge: challenge.challenge } }
  if (!trigger.wait) {
    void work.runLater(trigger, payload)
    return { status: 200, body: { status: 'accepted' } }
  }
  try {
    return {
      status: 200,
      body: { status: 'done', result: (await work.run(trigger, payload)) ?? null },
    }
  } catch (thrown) {
    work.log(`trigger ${trigger.name} failed: ${String(thrown)}`)
    return { status: 500, body: { error: 'the trigger failed' } }
  }
}

function remember(seen: Set<string>, id: string): void {
  seen.add(id)
  const [oldest] = seen
  if (seen.size > 10_000 && oldest !== undefined) seen.delete(oldest)
}

function parsePayload(request: AgentRequest): unknown {
  const type = request.header('content-type')
  if (type.includes('form-urlencoded')) return Object.fromEntries(new URLSearchParams(request.body))
  try {
    return JSON.parse(request.body)
  } catch {
    return request.body
  }
}

async function runTrigger(
  agent: AgentOptions,
  trigger: AgentTrigger,
  given: { readonly payload: unknown; readonly meta: AgentEvent['meta'] },
): Promise<unknown> {
  const { payload } = given
  const mapped = Object.fromEntries(
    Object.entries(trigger.payload_map ?? {}).map(([name, path]) => [name, follow(payload, path)]),
  )
  const args = withFixed(trigger, trigger.payload_map ? mapped : payload)
  const tool = agent.tools.find((one) => one.name === trigger.tool)
  const result = tool && (await tool.handler(args))
  return trigger.handler({
    id: randomUUID(),
    trigger: trigger.name,
    type: trigger.type,
    ...(trigger.event !== undefined && { event: trigger.event }),
    received_at: new Date().toISOString(),
    payload,
    meta: {
      ...given.meta,
      ...(tool && { result }),
      ...(trigger.prompt !== undefined && { prompt: fillPrompt(trigger.prompt, args) }),
    },
  })
}

/** What the event gives wins over the arguments of the definition. */
function withFixed({ arguments: fixed }: AgentTrigger, given: unknown): unknown {
  if (fixed === undefined || Array.isArray(given)) return given
  if (given === null || given === undefined || given === '') return fixed
  if (typeof given !== 'object') return given
  const found = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...fixed, ...Object.fromEntries(found) }
}

function fillPrompt(prompt: string, values: unknown): string {
  return prompt.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (placeholder, path: string) => {
    const value = follow(values, path)
    if (value === undefined) return placeholder
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

function follow(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((current, key) => {
    const isObject = typeof current === 'object' && current !== null
    return isObject && Object.hasOwn(current, key)
      ? (current as Record<string, unknown>)[key]
      : undefined
  }, value)
}
