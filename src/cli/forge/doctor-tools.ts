import { nameWays, pickWay } from '../../runtime/auth.ts'
import {
  createToolCaller,
  type Environment,
  type Operation,
  ToolError,
  toOperation,
} from '../../runtime/index.ts'
import type { ToolDef, ToolSpec } from '../../spec/index.ts'

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
    for (const fault of await listFaults(spec, tool, env)) {
      tools.set(fault, [...(tools.get(fault) ?? []), tool.name])
    }
  }
  const errors = [...tools].map(
    ([fault, names]): Fault => ({ level: 'error', message: `${formatNames(names)}: ${fault}` }),
  )
  const own = spec.tools.filter((tool) => tool.method === undefined).map(({ name }) => name)
  return own.length === 0 ? errors : [...errors, needsCode(own)]
}

function needsCode(names: readonly string[]): Fault {
  return {
    level: 'warning',
    message: `${formatNames(names)}: without method and path`,
    fix: 'it runs only in generated code, between its <custom> marks',
  }
}

/** More variables than a tool can need; ends the loop whatever a tool says. */
const MOST_ROUNDS = 20

/**
 * Asks the runtime itself what a call would lack, so that nothing here has to know how credentials are named. It stops
 * at the first thing that is missing; that gets a value and it is asked again.
 */
async function listFaults(spec: ToolSpec, tool: ToolDef, env: Environment): Promise<string[]> {
  const whole = toOperation(spec, tool)
  if (whole === undefined) return []
  const { auth, ...bare } = whole
  const way = auth?.or ? pickWay(auth, env) : auth
  const operation: Operation = way ? { ...bare, auth: way } : bare
  const none = auth && !way ? [`${nameWays(auth, env)} is not set`] : []
  return [...none, ...(await listMissing(operation, env))]
}

async function listMissing(operation: Operation, env: Environment): Promise<string[]> {
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
      return [...toSentences(missing), ...(isOurs ? [] : [withoutTool(error)])]
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

function withoutTool({ message, tool }: ToolError): string {
  return message.replace(`${tool}: `, '')
}

/** Answers as an API and as a token server would; nothing leaves this process. */
async function answerNothing(): Promise<Response> {
  return Response.json({ access_token: 'none', token_endpoint: 'https://filled-in.invalid/token' })
}

const MOST_NAMES = 5

/** Names the first few of a list. */
export function formatNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`
}
