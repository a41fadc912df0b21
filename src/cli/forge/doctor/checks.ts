import { CallError } from '../../../errors/index.ts'
import { createPublicFetch } from '../../../net/index.ts'
import {
  type ApiOperation,
  createToolCaller,
  type Environment,
  nameWays,
  pickWay,
  ToolError,
  toApiOperation,
} from '../../../sources/runtime/index.ts'
import {
  expandEnvText,
  type ToolDef,
  type ToolSpec,
  type TriggerDef,
} from '../../../sources/tool-spec/index.ts'
import { loadOptional } from '../../../store/index.ts'
import { type QueueKind, readQueueAddress } from '../../../triggers/index.ts'
import { pushTo, toReason } from '../../../values/index.ts'
import { nameFirst } from '../../print.ts'

/** Something that keeps a spec from working, or that a person should know. */
export interface Fault {
  readonly level: 'error' | 'warning'
  readonly message: string
  /** What to do about it. */
  readonly fix?: string
}

/** Finds what tools lack: variables that are not set, a base URL that is none, code. */
export async function findToolFaults(spec: ToolSpec, env: Environment): Promise<Fault[]> {
  const tools = new Map<string, string[]>()
  for (const tool of spec.tools) {
    for (const fault of await listFaults(spec, tool, env)) pushTo(tools, fault, tool.name)
  }
  const errors = [...tools].map(
    ([fault, names]): Fault => ({
      level: 'error',
      message: `${nameFirst(names, MOST_NAMES)}: ${fault}`,
    }),
  )
  const own = spec.tools.filter((tool) => tool.method === undefined).map(({ name }) => name)
  if (own.length === 0) return errors
  const message = `${nameFirst(own, MOST_NAMES)}: without method and path`
  const fix = 'it runs only in generated code, between its <custom> marks'
  return [...errors, { level: 'warning', message, fix }]
}

const MOST_NAMES = 5

/** More variables than a tool can need; ends the loop whatever a tool says. */
const MOST_ROUNDS = 20

/**
 * Asks the runtime itself what a call would lack, so that nothing here has to know how credentials are named. It stops
 * at the first thing that is missing; that gets a value and it is asked again.
 */
async function listFaults(spec: ToolSpec, tool: ToolDef, env: Environment): Promise<string[]> {
  const whole = toApiOperation(spec, tool)
  if (whole === undefined) return []
  const { auth, ...bare } = whole
  const way = auth?.or ? pickWay(auth, env) : auth
  const operation: ApiOperation = way ? { ...bare, auth: way } : bare
  const none = auth && !way ? [`${nameWays(auth, env)} is not set`] : []
  return [...none, ...(await listMissing(operation, env))]
}

async function listMissing(operation: ApiOperation, env: Environment): Promise<string[]> {
  const missing = new Set<string>()
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const filled = Object.fromEntries([...missing].map((name) => [name, FILLER]))
    const call = createToolCaller({ env: { ...env, ...filled }, fetch: answerNothing, retries: 0 })
    const error = await call(operation, {}).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    // Arguments are missing, of course; by then all variables were read.
    if (!(error instanceof ToolError) || error.reason !== 'setup') break
    const names = namesIn(error).filter((name) => !env[name] && !missing.has(name))
    if (names.length === 0) {
      const isOurs = missing.size > 0
      return [
        ...toSentences(missing),
        ...(isOurs ? [] : [error.message.replace(`${error.tool}: `, '')]),
      ]
    }
    for (const name of names) missing.add(name)
  }
  return toSentences(missing)
}

const FILLER = 'https://filled-in.invalid'

function toSentences(names: ReadonlySet<string>): string[] {
  return [...names].map((name) => `${name} is not set`)
}

function namesIn({ problems }: ToolError): string[] {
  return problems.flatMap(
    (problem) => /^environment variable (\w+) is not set$/.exec(problem)?.[1] ?? [],
  )
}

/** Answers as an API and as a token server would; nothing leaves this process. */
async function answerNothing(): Promise<Response> {
  return Response.json({ access_token: 'none', token_endpoint: 'https://filled-in.invalid/token' })
}

/** Finds what triggers lack: variables that are not set, a queue that is nowhere. */
export function findTriggerFaults({ triggers = [] }: ToolSpec, env: Environment): Fault[] {
  return triggers.flatMap((trigger) =>
    listTriggerFaults(trigger, env).map(
      (fault): Fault => ({ level: 'error', message: `trigger ${trigger.name}: ${fault}` }),
    ),
  )
}

function listTriggerFaults(trigger: TriggerDef, env: Environment): string[] {
  if (trigger.type === 'webhook') {
    const names = [trigger.secret_env, trigger.verify_env].filter((name) => name !== undefined)
    return names.filter((name) => !env[name]).map((name) => `${name} is not set`)
  }
  if (trigger.type === 'file') {
    const expanded = expandEnvText(trigger.watch_path, (name) => env[name])
    return expanded.ok ? [] : expanded.missing.map((name) => `${name} is not set`)
  }
  if (trigger.type !== 'queue') return []
  try {
    readQueueAddress(trigger, env)
    return []
  } catch (thrown) {
    return [toReason(thrown).replace(`queue ${trigger.name}: `, '')]
  }
}

const PACKAGES: Readonly<Record<QueueKind, string>> = {
  rabbitmq: 'amqplib',
  redis: 'ioredis',
  sqs: '@aws-sdk/client-sqs',
}

/** Finds the packages that queues of a spec need and that are not installed. */
export async function findMissingPackages(
  { triggers = [] }: ToolSpec,
  env: Environment,
  load?: (name: string) => Promise<unknown>,
): Promise<Fault[]> {
  const kinds = new Map<QueueKind, string>()
  for (const trigger of triggers) {
    const kind = trigger.type === 'queue' ? resolveKind(trigger, env) : undefined
    if (kind !== undefined) kinds.set(kind, kinds.get(kind) ?? trigger.name)
  }
  const faults: Fault[] = []
  for (const [kind, name] of kinds) {
    try {
      await loadOptional(PACKAGES[kind], kind, load, 'queue')
    } catch {
      const message = `trigger ${name}: the package ${PACKAGES[kind]} is not installed or cannot be loaded`
      faults.push({ level: 'error', message, fix: `npm install ${PACKAGES[kind]}` })
    }
  }
  return faults
}

function resolveKind(
  trigger: Parameters<typeof readQueueAddress>[0],
  env: Environment,
): QueueKind | undefined {
  try {
    return readQueueAddress(trigger, env).kind
  } catch {
    return undefined
  }
}

const LIMITS = { maxBytes: 1024 * 1024, timeoutMs: 10_000, redirects: 'refuse' } as const

/** Asks every host of a spec for a sign of life, without credentials; any answer is one. */
export async function findUnreachable(
  spec: ToolSpec,
  env: Environment,
  signal: AbortSignal,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [origin, { tools, isOwn }] of listOrigins(spec, env)) {
    // A host that the person put into the environment may be in their own network; one that a spec brings may not.
    const fetchHost = createPublicFetch({ ...LIMITS, allowLoopback: isOwn, allowPrivate: isOwn })
    try {
      await fetchHost(`${origin}/`, { method: 'HEAD', signal })
    } catch (thrown) {
      const fault = explain(thrown, origin)
      if (fault !== undefined)
        faults.push({ ...fault, message: `${nameFirst(tools, MOST_NAMES)}: ${fault.message}` })
    }
  }
  return faults
}

interface Origin {
  readonly tools: readonly string[]
  readonly isOwn: boolean
}

function listOrigins(spec: ToolSpec, env: Environment): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>()
  for (const tool of spec.tools) {
    const text = tool.base_url ?? spec.base_url ?? ''
    const expanded = expandEnvText(text, (name) => env[name])
    if (tool.method === undefined || !expanded.ok || !URL.canParse(expanded.text)) continue
    const { origin } = new URL(expanded.text)
    const known = origins.get(origin)
    origins.set(origin, {
      tools: [...(known?.tools ?? []), tool.name],
      isOwn: (known?.isOwn ?? true) && /^\$\{\w+\}/.test(text),
    })
  }
  return origins
}

function explain(thrown: unknown, origin: string): Fault | undefined {
  const reason = thrown instanceof CallError ? thrown.errors[0].details?.['reason'] : undefined
  // Somebody answered; where they point to is of no interest here.
  if (reason === 'redirect_refused') return undefined
  if (reason === 'address_refused') {
    return { level: 'warning', message: `${origin} is a private address and was not tried` }
  }
  return { level: 'error', message: `${origin} cannot be reached: ${toReason(thrown)}` }
}
