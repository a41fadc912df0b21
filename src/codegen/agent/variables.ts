import {
  type AuthConfig,
  authOf,
  envNamesOf,
  type ToolSpec,
  type TriggerDef,
} from '../../sources/tool-spec/index.ts'

/** An environment variable with what reads it. */
export interface Variable {
  readonly name: string
  /** What it is for, one phrase each: `user name: list_trees, plant_tree`. */
  readonly uses: readonly string[]
  /** Works without; an empty value would not mean the same as none. */
  readonly optional?: boolean
}

/** The variables of one domain. */
export interface DomainVariables {
  readonly domain: string
  readonly variables: readonly Variable[]
}

/** Lists every variable that specs read, by domain, each once and in the domain that names it first. */
export function listVariables(specs: readonly ToolSpec[]): DomainVariables[] {
  const seen = new Set<string>()
  return specs.map((spec) => {
    const readers = new Map<string, Map<string, string[]>>()
    for (const { name, purpose, reader } of findUses(spec)) {
      const purposes = readers.get(name) ?? new Map<string, string[]>()
      purposes.set(purpose, [...new Set([...(purposes.get(purpose) ?? []), reader])])
      readers.set(name, purposes)
    }
    const variables = [...readers]
      .filter(([name]) => !seen.has(name) && seen.add(name))
      .map(([name, purposes]) => ({ name, uses: [...purposes].map(toPhrase) }))
    return { domain: spec.domain, variables }
  })
}

/** Prints the variables as a file to fill in; it never holds a value. */
export function formatEnvTemplate(
  domains: readonly DomainVariables[],
  own: readonly Variable[] = [],
): string {
  const groups = [{ domain: 'the agent itself', variables: own }, ...domains]
    .filter(({ variables }) => variables.length > 0)
    .map(({ domain, variables }) => {
      const lines = variables.flatMap(({ name, uses, optional }) => [
        ...uses.map((use) => `# ${oneLine(use)}`),
        `${optional ? '# ' : ''}${name}=`,
        '',
      ])
      return [`# --- ${oneLine(domain)}`, '', ...lines].join('\n')
    })
  return `# Copy this file to .env and fill it in. Never commit .env.\n\n${groups.join('\n')}`
}

interface Use {
  readonly name: string
  readonly purpose: string
  readonly reader: string
}

function findUses(spec: ToolSpec): Use[] {
  const tools = spec.tools
    .filter((tool) => tool.method !== undefined)
    .flatMap((tool) => {
      const base = envNamesOf(tool.base_url ?? spec.base_url ?? '')
      return [
        ...base.map((name) => ({ name, purpose: 'base URL', reader: tool.name })),
        ...authUses(authOf(spec, tool), tool.name),
      ]
    })
  return [...tools, ...(spec.triggers ?? []).flatMap(triggerUses)]
}

function authUses(auth: AuthConfig, reader: string): Use[] {
  const also = [...(auth.also ?? []), ...(auth.or ?? [])].flatMap((one) => authUses(one, reader))
  if (auth.env === undefined || auth.type === 'none') return also
  return [
    ...variablesOf(auth.type, auth.env).map(([name, purpose]) => ({ name, purpose, reader })),
    ...also,
  ]
}

function variablesOf(type: AuthConfig['type'], env: string): (readonly [string, string])[] {
  if (type === 'basic') {
    return [
      [env, 'user name'],
      [env.replace(/_USERNAME$/, '_PASSWORD'), 'password'],
    ]
  }
  if (type !== 'oauth2') return [[env, type === 'bearer' ? 'bearer token' : 'API key']]
  const base = env.replace(/_CLIENT_ID$/, '')
  return [
    [env, 'OAuth 2 client id'],
    [`${base}_CLIENT_SECRET`, 'OAuth 2 client secret'],
    [`${base}_TOKEN_URL`, 'OAuth 2 token URL'],
    [`${base}_REDIRECT_URI`, 'OAuth 2 redirect URI, only for logging in'],
    [`${base}_REFRESH_TOKEN`, 'OAuth 2 refresh token, used instead of client credentials when set'],
  ]
}

function triggerUses(trigger: TriggerDef): Use[] {
  const reader = trigger.name
  const named = (name: string | undefined, purpose: string): Use[] => {
    return name === undefined ? [] : [{ name, purpose, reader }]
  }
  if (trigger.type === 'webhook') {
    const token = named(trigger.verify_env, 'verify token of the webhook')
    return [...named(trigger.secret_env, 'signing secret of the webhook'), ...token]
  }
  if (trigger.type === 'queue') {
    const url = envNamesOf(trigger.queue_url).flatMap((name) => named(name, 'queue URL'))
    return [...named(trigger.queue_env, 'connection string of the queue'), ...url]
  }
  if (trigger.type !== 'file') return []
  return envNamesOf(trigger.watch_path).flatMap((name) => named(name, 'path to watch'))
}

function toPhrase([purpose, readers]: readonly [string, readonly string[]]): string {
  const shown = readers.slice(0, 5).join(', ')
  return `${purpose}: ${shown}${readers.length > 5 ? ` and ${readers.length - 5} more` : ''}`
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
