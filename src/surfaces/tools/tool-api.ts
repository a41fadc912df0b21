import type { Logger } from '../../core/index.ts'
import { createGuard } from '../../net/index.ts'
import type { Validation } from '../../schema/index.ts'
import type { Maybe } from '../../values/index.ts'
import type { HttpHandler, HttpRequest, JudgeLocal } from '../../wire/index.ts'
import { createToolHandler } from './handler.ts'
import { preparePage } from './page.ts'
import { createToolReader } from './provider.ts'
import type {
  AuthHook,
  PreparedTools,
  Tool,
  ToolCallHandler,
  ToolStreamHandler,
  ToolsProvider,
} from './tool.ts'
import { createValidator } from './validate.ts'

/** What a tool API is made of. */
export interface ToolApiOptions {
  readonly tools: ToolsProvider
  /** Gives the tools that the sender of a request may see; throws UNAUTHORIZED. Everybody sees `tools` when absent. */
  readonly toolsOf?: (request: HttpRequest) => Maybe<PreparedTools>
  readonly call: ToolCallHandler
  /** Answers a caller that accepts `text/event-stream`, as the tool runs; undefined for a tool without partial results. */
  readonly stream?: ToolStreamHandler
  /** Decides about arguments instead of the tool's schema; undefined leaves it to the schema. */
  readonly check?: (tool: Tool, args: unknown) => Maybe<Validation> | undefined
  /** Opens `/call`; off by default, and enforced here rather than in the page. */
  readonly allowExecute?: boolean
  /** Says why a request may not call, in the caller's words; asked before the hook, and never when absent. */
  readonly judgeCall?: (request: HttpRequest, judgeLocal?: JudgeLocal) => string | undefined
  /** Lets the page show triggers, which it asks the Forrst endpoint for; off by default. */
  readonly hasTriggers?: boolean
  /** Lets the page ask at `watch` below its prefix how the files of the service stand; off by default. */
  readonly isWatched?: boolean
  /** Guards `/call` and nothing else. */
  readonly authHook?: AuthHook
  /** What a refused caller is asked to show, as in the header `WWW-Authenticate`; `Bearer` by default. */
  readonly challenge?: string
  /** Title of the page; `MCP Tool Explorer` by default. */
  readonly title?: string
  /** Named in the footer of the page. */
  readonly projectName?: string
  /** Linked from the name, when its scheme is http, https or mailto, or it is a path. */
  readonly projectUrl?: string
  /** Where the API is mounted; `/explorer` by default, empty for hosts that strip the prefix themselves. */
  readonly prefix?: string
  /** Host names besides loopback and plain addresses; `*` switches the check off. */
  readonly allowedHosts?: readonly string[] | '*'
  /** Other origins that may read and call; none by default. */
  readonly allowedOrigins?: readonly string[]
  /** Where the world reaches the API, such as `https://api.example.com`: its host is allowed, its pages are its own. */
  readonly publicUrl?: string
  /** Longest body of a call or validation; 1 MiB by default. */
  readonly maxBodyBytes?: number
  /** The console by default. */
  readonly log?: Logger
}

/** A tool API, ready for any host: it is a handler, and it says what a host wants to know about it. */
export interface ToolApi extends HttpHandler {
  readonly handle: HttpHandler
  /** Tells whether a path lies under the mount prefix. */
  readonly knows: (path: string) => boolean
  readonly maxRequestBytes: number
}

/** Serves tools, and the page that explores them, under a mount prefix. */
export function createToolApi(options: ToolApiOptions): ToolApi {
  const { tools, call, allowExecute = false, maxBodyBytes = 1024 * 1024, log = console } = options
  if (typeof call !== 'function') throw new TypeError('createToolApi: call must be a function')
  const base = toBase(options.prefix ?? '/explorer')
  const handle = createToolHandler({
    base,
    page: preparePage({
      title: options.title ?? 'MCP Tool Explorer',
      allowExecute,
      hasTriggers: options.hasTriggers ?? false,
      isWatched: options.isWatched ?? false,
      projectName: options.projectName,
      projectUrl: options.projectUrl,
    }),
    guard: createGuard({
      allowedHosts: options.allowedHosts ?? [],
      allowedOrigins: options.allowedOrigins ?? [],
      ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
    }),
    readTools: options.toolsOf ?? createToolReader(tools, log),
    isPrivate: options.toolsOf !== undefined,
    validate: createValidator(options.check, log),
    call,
    stream: options.stream,
    allowExecute,
    judgeCall: options.judgeCall,
    authHook: options.authHook,
    challenge: options.challenge,
    maxBodyBytes,
    log,
  })
  const knows = (path: string) => path === base || path.startsWith(`${base}/`)
  return Object.assign(handle.bind(undefined), { handle, knows, maxRequestBytes: maxBodyBytes })
}

function toBase(prefix: string): string {
  const base = prefix.replace(/(?<!\/)\/+$/, '')
  if (base === '' || base.startsWith('/')) return base
  throw new TypeError(`createToolApi: prefix must begin with a slash, not "${prefix}"`)
}
