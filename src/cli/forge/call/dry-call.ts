import { randomUUID } from 'node:crypto'
import {
  type ApiOperation,
  createToolCaller,
  type Environment,
  type HttpTool,
  pickWay,
  runHttpTool,
} from '../../../sources/runtime/index.ts'
import { formatCurl, type ShellVariable } from './curl.ts'

/** A call that was not sent. */
export interface DryCall {
  readonly curl: string
  /** What the command reads, and whether it is there. */
  readonly variables: readonly { readonly name: string; readonly set: boolean }[]
}

/** Builds the request of a call without sending it, and writes it as a command without secrets. */
export async function buildDryCall(
  tool: HttpTool,
  args: unknown,
  env: Environment,
): Promise<DryCall> {
  const { marks, marked } = markVariables(tool.operation, env)
  // To the runtime all variables are set, so which way to authenticate is decided by those that really are.
  const { auth, ...operation } = tool.operation
  const way = auth && (pickWay(auth, env) ?? auth)
  const { or: _, ...chosen } = way ?? { type: 'none' }
  let request: Request | undefined
  const call = createToolCaller({
    env: marked,
    // The runtime does all but the sending, so the command cannot differ from what is sent.
    fetch: async (input, init) => {
      request = new Request(input, init)
      return new Response(null, { status: 204 })
    },
  })
  await runHttpTool({ ...tool, operation: { ...operation, auth: chosen } }, call, args)
  if (request === undefined) throw new Error(`${tool.name} sent nothing`)
  const base = markBase(request.url, tool.operation, env)
  if (base.mark !== undefined) marks.set(base.mark, base.variable)
  const curl = formatCurl({
    method: request.method,
    url: base.url,
    headers: [...request.headers],
    body: new Uint8Array(await request.arrayBuffer()),
    marks,
  })
  const names = [...new Set([...marks.values()].map(({ name }) => name))]
  const used = names.filter((name) => new RegExp(`\\$\\{?${name}\\b`).test(curl))
  return { curl, variables: used.map((name) => ({ name, set: isSet(env, name) })) }
}

/** Puts a mark in the place of every variable but those that name the host, which an address cannot do without. */
function markVariables(
  { base_url }: ApiOperation,
  env: Environment,
): { readonly marks: Map<string, ShellVariable>; readonly marked: Environment } {
  const marks = new Map<string, ShellVariable>()
  const host = namesIn(HOST.exec(base_url)?.[0] ?? '')
  const known = new Map<string, string>()
  const withFallback = new Set([...base_url.matchAll(/\$\{(\w+):-/g)].map(([, name = '']) => name))
  const read = (name: string): string | undefined => {
    if (host.has(name) || (withFallback.has(name) && !isSet(env, name))) return env[name]
    const mark = known.get(name) ?? createMark()
    known.set(name, mark)
    marks.set(mark, { name, as: 'value' })
    return mark
  }
  const marked = new Proxy<Record<string, string | undefined>>(
    {},
    { get: (_target, name) => (typeof name === 'string' ? read(name) : undefined) },
  )
  return { marks, marked }
}

const HOST = /^(?:[a-z][a-z+.-]*:\/\/)?(?:\$\{[^{}]*\}|[^/])*/i

function namesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))
}

/** An address from the environment may be a secret behind its host, as those of web hooks are. */
function markBase(
  url: string,
  { base_url }: ApiOperation,
  env: Environment,
): { readonly url: string } & (
  | { readonly mark: string; readonly variable: ShellVariable }
  | { readonly mark?: never }
) {
  const [, name = ''] = /^\$\{(\w+)/.exec(base_url) ?? []
  const value = env[name] ?? ''
  const base = URL.canParse(value) ? new URL(value) : undefined
  if (base === undefined || base.pathname === '/') return { url }
  const prefix = base.href.replace(/(?<!\/)\/+$/, '')
  if (!url.startsWith(prefix)) return { url }
  const mark = createMark()
  return { url: mark + url.slice(prefix.length), mark, variable: { name, as: 'base' } }
}

/** Nobody can guess it, so no argument can pretend to be a variable; escaping leaves it is. */
function createMark(): string {
  return `w${randomUUID().replaceAll('-', '')}w`
}

function isSet(env: Environment, name: string): boolean {
  return (env[name] ?? '') !== ''
}
