import { didYouMean, isRecord, toText } from '../../values/index.ts'
import type { McpAuthorization } from './authorization.ts'
import { toSourceName } from './reference.ts'
import type { McpToolSelection } from './selection.ts'
import type { McpSourceOptions } from './source.ts'

/** Members of a server that we read, and those of other programs that mean nothing here. */
const KNOWN = [
  'command',
  'args',
  'env',
  'cwd',
  'url',
  'headers',
  'auth',
  'type',
  'disabled',
  'tools',
  'timeout',
  'trusted',
]
const OF_OTHERS = new Set([
  'alwaysAllow',
  'autoApprove',
  'description',
  'envFile',
  'gallery',
  'dev',
  'disabledTools',
])

/**
 * Reads MCP servers from the configuration that most agents share: `{ "mcpServers": { "files": { "command": "npx", … } } }`.
 * `${NAME}` and `${NAME:-otherwise}` stand for variables of the environment. Undefined when the document is something else.
 */
export function readMcpConfig(
  document: unknown,
  env: Readonly<Record<string, string | undefined>>,
): readonly McpSourceOptions[] | undefined {
  const servers = isRecord(document) ? (document['mcpServers'] ?? document['servers']) : undefined
  if (!isRecord(servers) || !Object.values(servers).every(isRecord)) return undefined
  const used = new Set<string>()
  return Object.entries(servers).flatMap(([key, server]) => {
    const place = `mcpServers.${key}`
    if (!isRecord(server) || server['disabled'] === true) return []
    const name = toSourceName(key)
    if (used.has(name)) throw new TypeError(`${place}: another server is already called "${name}"`)
    used.add(name)
    return [{ name, ...readServer(expand(server, env, place), place) } as McpSourceOptions]
  })
}

type Server = Readonly<Record<string, unknown>>

function readServer(server: Server, place: string): Omit<McpSourceOptions, 'name'> {
  for (const key of Object.keys(server)) {
    if (KNOWN.includes(key) || OF_OTHERS.has(key)) continue
    const hint = didYouMean(key, KNOWN)
    throw new TypeError(
      `${place}.${key} is not a setting of an MCP server${hint ? `; ${hint}` : ''}`,
    )
  }
  if (server['type'] === 'sse') {
    throw new TypeError(
      `${place}.type: "sse" is the transport of 2024-11-05, which is not supported; use the server's streamable HTTP address and "http"`,
    )
  }
  const { url, command, timeout, trusted } = server
  if ((url === undefined) === (command === undefined)) {
    throw new TypeError(`${place} needs either "command" or "url"`)
  }
  return {
    ...(url === undefined ? readProgram(server, place) : readAddress(server, place)),
    ...(server['tools'] !== undefined && { tools: readSelection(server['tools'], place) }),
    ...(timeout !== undefined && { timeoutMs: readMilliseconds(timeout, `${place}.timeout`) }),
    ...(trusted !== undefined && { trusted: readFlag(trusted, `${place}.trusted`) }),
  }
}

function readProgram(server: Server, place: string): object {
  return {
    command: readText(server['command'], `${place}.command`),
    ...(server['args'] !== undefined && { args: readTexts(server['args'], `${place}.args`) }),
    ...(server['env'] !== undefined && { env: readMap(server['env'], `${place}.env`) }),
    ...(server['cwd'] !== undefined && { cwd: readText(server['cwd'], `${place}.cwd`) }),
  }
}

function readAddress(server: Server, place: string): object {
  const url = readText(server['url'], `${place}.url`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`${place}.url: "${url}" is not an HTTP URL`)
  }
  const { headers, auth } = server
  return {
    url,
    ...(headers !== undefined && { headers: readMap(headers, `${place}.headers`) }),
    ...(auth !== undefined && { auth: readAuthorization(auth, `${place}.auth`) }),
  }
}

const AUTH_TEXTS = [
  'clientId',
  'clientSecret',
  'privateKey',
  'algorithm',
  'issuer',
  'scope',
  'clientMetadataUrl',
  'redirectUrl',
]

function readAuthorization(value: unknown, place: string): McpAuthorization {
  if (value === 'browser') return { browser: true }
  if (!isRecord(value)) {
    throw new TypeError(
      `${place} must be "browser", or an object such as { clientId, clientSecret }`,
    )
  }
  return Object.fromEntries<string | boolean>(
    Object.entries(value).map(([key, item]) => {
      if (key === 'browser') return [key, readFlag(item, `${place}.browser`)]
      if (AUTH_TEXTS.includes(key)) return [key, readText(item, `${place}.${key}`)]
      const hint = didYouMean(key, [...AUTH_TEXTS, 'browser'])
      throw new TypeError(`${place}.${key} is not a setting${hint ? `; ${hint}` : ''}`)
    }),
  )
}

function readSelection(value: unknown, place: string): McpToolSelection {
  if (Array.isArray(value)) return { allow: readTexts(value, `${place}.tools`) }
  if (!isRecord(value)) {
    throw new TypeError(
      `${place}.tools must be a list of names, or an object with allow, deny and rename`,
    )
  }
  const { allow, deny, rename } = value
  return {
    ...(allow !== undefined && { allow: readTexts(allow, `${place}.tools.allow`) }),
    ...(deny !== undefined && { deny: readTexts(deny, `${place}.tools.deny`) }),
    ...(rename !== undefined && { rename: readMap(rename, `${place}.tools.rename`) }),
  }
}

function readText(value: unknown, place: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`${place} must be a text`)
}

function readTexts(value: unknown, place: string): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError(`${place} must be a list of texts`)
  return value.map((item, index) => {
    if (typeof item === 'string') return item
    throw new TypeError(`${place}[${index}] must be a text`)
  })
}

function readMap(value: unknown, place: string): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw new TypeError(`${place} must be an object of texts`)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (isRecord(item) || Array.isArray(item))
        throw new TypeError(`${place}.${key} must be a text`)
      return [key, toText(item)]
    }),
  )
}

function readMilliseconds(value: unknown, place: string): number {
  if (typeof value === 'number' && value > 0 && value <= 86_400_000) return value
  throw new TypeError(`${place} must be a number of milliseconds, at most a day`)
}

function readFlag(value: unknown, place: string): boolean {
  if (typeof value === 'boolean') return value
  throw new TypeError(`${place} must be true or false`)
}

const VARIABLE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,200})(?::-([^}]{0,1000}))?\}/g

/** Puts variables of the environment into every text of a server. */
function expand(
  server: Server,
  env: Readonly<Record<string, string | undefined>>,
  place: string,
): Server {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (isRecord(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]))
    }
    if (typeof value !== 'string') return value
    return value.replace(VARIABLE, (_whole, name: string, otherwise: string | undefined) => {
      const found = env[name] ?? otherwise
      if (found !== undefined) return found
      throw new TypeError(`${place}: the environment has no ${name}`)
    })
  }
  return walk(server) as Server
}
