import { CallError } from '../../core/error.ts'
import { toReason } from '../../core/text.ts'
import type { Environment } from '../../runtime/index.ts'
import { expandEnvText } from '../../spec/env-text.ts'
import type { ToolSpec } from '../../spec/index.ts'
import { createPublicFetch } from '../../wire/public-address.ts'
import { type Fault, formatNames } from './doctor-tools.ts'

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
        faults.push({ ...fault, message: `${formatNames(tools)}: ${fault.message}` })
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
