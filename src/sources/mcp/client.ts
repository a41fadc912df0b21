import type { ElicitResult } from '@modelcontextprotocol/client'
import { admitDigits, compileSchema, type JsonSchema } from '../../schema/index.ts'
import type { JsonObject } from '../../values/index.ts'
import type { AuthorizedFetch, McpAuthorization } from './authorization.ts'
import { fetchExact, readExactly, writeExactly } from './exact-transport.ts'
import { receiveLeniently } from './lenient.ts'
import { MAX_ANSWER_BYTES } from './line-limit.ts'

/** Where an MCP server is. */
export type McpServerAddress =
  | {
      /** Address of a server that speaks streamable HTTP. */
      readonly url: string
      /** Sent with every request; nothing a caller sent is ever added. */
      readonly headers?: Readonly<Record<string, string>>
      /** How a token is got when the server asks for one (OAuth). */
      readonly auth?: McpAuthorization
    }
  | {
      /** Program that speaks MCP on its standard streams. */
      readonly command: string
      readonly args?: readonly string[]
      /** Its environment; of ours it only gets what every program needs, such as PATH. */
      readonly env?: Readonly<Record<string, string>>
      readonly cwd?: string
    }

/** A tool as a remote server describes it. */
export interface RemoteTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly annotations?:
    | {
        readonly readOnlyHint?: boolean | undefined
        readonly destructiveHint?: boolean | undefined
        readonly openWorldHint?: boolean | undefined
      }
    | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/** What a remote tool gave. */
export interface RemoteResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

/** A resource as a remote server describes it. */
export interface RemoteResource {
  readonly uri: string
  readonly name: string
  readonly description?: string | undefined
}

/** A family of resources as a remote server describes it. */
export interface RemoteTemplate {
  readonly uriTemplate: string
  readonly name: string
  readonly description?: string | undefined
}

/** A prompt as a remote server describes it. */
export interface RemotePrompt {
  readonly name: string
  readonly description?: string | undefined
  readonly arguments?: readonly { readonly name: string }[] | undefined
}

interface ListOptions {
  readonly cacheMode?: 'refresh'
}

interface AskOptions {
  readonly signal?: AbortSignal
}

/** The members of the official client that we call. */
export interface RemoteClient {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  connect(transport: never): Promise<unknown>
  close(): Promise<void>
  getProtocolEra(): 'legacy' | 'modern' | undefined
  getServerCapabilities(): { readonly resources?: unknown; readonly prompts?: unknown } | undefined
  listTools(
    params?: undefined,
    options?: ListOptions,
  ): Promise<{ readonly tools: readonly RemoteTool[] }>
  listResources(
    params?: undefined,
    options?: ListOptions,
  ): Promise<{ readonly resources: readonly RemoteResource[] }>
  listResourceTemplates(
    params?: undefined,
    options?: ListOptions,
  ): Promise<{ readonly resourceTemplates: readonly RemoteTemplate[] }>
  listPrompts(
    params?: undefined,
    options?: ListOptions,
  ): Promise<{ readonly prompts: readonly RemotePrompt[] }>
  readResource(
    params: { readonly uri: string },
    options?: AskOptions & { readonly cacheMode?: 'bypass' },
  ): Promise<{ readonly contents: readonly { readonly uri: string }[] }>
  getPrompt(
    params: { readonly name: string; readonly arguments: Record<string, string> },
    options?: AskOptions,
  ): Promise<{ readonly messages: readonly { readonly role: string; readonly content: unknown }[] }>
  complete(params: {
    readonly ref: never
    readonly argument: { readonly name: string; readonly value: string }
    readonly context?: { readonly arguments: Record<string, string> }
  }): Promise<{ readonly completion: { readonly values: readonly string[] } }>
  subscribeResource(params: { readonly uri: string }): Promise<unknown>
  unsubscribeResource(params: { readonly uri: string }): Promise<unknown>
  listen(filter: { resourceSubscriptions: string[] }): Promise<{ close(): Promise<void> }>
  callTool(
    params: {
      readonly name: string
      readonly arguments: JsonObject
      readonly _meta?: JsonObject
    },
    options: {
      readonly signal: AbortSignal
      readonly timeout: number
      readonly resetTimeoutOnProgress: boolean
      readonly onprogress: (step: {
        readonly progress: number
        readonly total?: number | undefined
        readonly message?: string | undefined
      }) => void
    },
  ): Promise<RemoteResult>
}

/** How a connection is opened. */
export interface OpenClientOptions {
  /** `auto` asks the server which revision it speaks; `legacy` saves the question. */
  readonly revision: 'auto' | 'legacy'
  readonly onTools: (tools: readonly RemoteTool[]) => void
  /** Told when resources or prompts came or went. */
  readonly onOffers: () => void
  /** Told that the contents of a resource changed. */
  readonly onResource: (uri: string) => void
  /** Told of each tool that makes no sense. */
  readonly onSkipped: (tool: string, reason: string) => void
  /** Answers a question to the user; the server is told that nobody can be asked when absent. */
  readonly onQuestion?: ((params: JsonObject) => Promise<JsonObject>) | undefined
  /** Sends requests with their token; without one when absent. */
  readonly fetch?: AuthorizedFetch | undefined
  readonly onClose: () => void
  readonly onError: (error: Error) => void
  /** Ends the attempt, and a program that was started for it. */
  readonly signal: AbortSignal
}

/** Connects to an MCP server with the official client, which is only loaded here. */
export async function openMcpClient(
  address: McpServerAddress,
  options: OpenClientOptions,
): Promise<RemoteClient> {
  const { revision, onTools, onOffers, onSkipped, onQuestion, onClose, onError, signal } = options
  const { Client, StreamableHTTPClientTransport, StdioClientTransport } = await loadClient()
  const offers = {
    autoRefresh: false,
    onChanged: (error: Error | null) => (error ? onError(error) : onOffers()),
  }
  const official = new Client(
    { name: 'waymark', version: '1.0.0' },
    {
      capabilities: onQuestion === undefined ? {} : ELICITATION,
      versionNegotiation: { mode: revision },
      // Large integers arrive as digits, which the client's own validator would refuse.
      jsonSchemaValidator: { getValidator: createValidator as never },
      listChanged: {
        tools: { onChanged: (error, tools) => (error ? onError(error) : onTools(tools ?? [])) },
        prompts: offers,
        resources: offers,
      },
    },
  )
  if (onQuestion !== undefined) {
    official.setRequestHandler('elicitation/create', ({ params }) =>
      onQuestion(params as unknown as JsonObject).then(toElicitResult),
    )
  }
  official.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onResource(params.uri),
  )
  const client: RemoteClient = official
  client.onerror = onError
  const transport =
    'url' in address
      ? new StreamableHTTPClientTransport(new URL(address.url), {
          requestInit: { headers: { ...address.headers } },
          fetch: options.fetch ?? fetchExact,
        })
      : new StdioClientTransport({
          command: address.command,
          args: [...(address.args ?? [])],
          stderr: 'ignore',
          // Lines are bounded before they come here; several may come at once.
          maxBufferSize: 3 * MAX_ANSWER_BYTES,
          ...(address.env && { env: { ...address.env } }),
          ...(address.cwd !== undefined && { cwd: address.cwd }),
        })
  if (!('url' in address)) {
    readExactly(transport)
    writeExactly(transport)
  }
  receiveLeniently(transport, onSkipped)
  const abandon = () => void transport.close().catch(() => undefined)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    await client.connect(transport as never)
  } finally {
    signal.removeEventListener('abort', abandon)
  }
  client.onclose = onClose
  return client
}

function createValidator(schema: JsonSchema): (data: unknown) => {
  readonly valid: boolean
  readonly data?: unknown
  readonly errorMessage?: string
} {
  const check = compileSchema(admitDigits(schema))
  return (data) => {
    const checked = check(data)
    if (checked.ok) return { valid: true, data }
    const [{ pointer, message }] = checked.problems
    return { valid: false, errorMessage: `${pointer} ${message}` }
  }
}

/** What a client can do whose user can be asked. */
export const ELICITATION: { readonly elicitation: { readonly form: Record<string, never> } } = {
  elicitation: { form: {} },
}

function toElicitResult(answer: JsonObject): ElicitResult {
  return answer as unknown as ElicitResult
}

const PACKAGE = '@modelcontextprotocol/client'

/** Loads the official client. */
export async function loadClient(): Promise<
  typeof import('@modelcontextprotocol/client') &
    typeof import('@modelcontextprotocol/client/stdio')
> {
  // A bundler that does not find an import with a `catch` of its own leaves it for later.
  const [client, stdio] = await Promise.all([
    import('@modelcontextprotocol/client').catch(explainMissing),
    import('@modelcontextprotocol/client/stdio').catch(explainMissing),
  ])
  return { ...client, ...stdio }
}

function explainMissing(thrown: unknown): never {
  if (!isMissing(thrown)) throw thrown
  throw new TypeError(
    `An MCP server as a source needs the package "${PACKAGE}": run npm install ${PACKAGE}`,
    { cause: thrown },
  )
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_MODULE_NOT_FOUND'
}
