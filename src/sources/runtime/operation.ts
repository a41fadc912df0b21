/*
 * An operation is what a tool spec says about one HTTP call, reduced to what sending it needs. It is
 * plain data: generated code prints it as a literal, the runtime builds it from a spec in memory.
 * What `generated.ts` reaches is bundled into generated code, so it uses nothing but globals that Node
 * and browsers share, and imports nothing but small modules such as `values`.
 */

/** One HTTP call that a tool stands for. */
export interface ApiOperation {
  readonly tool: string
  readonly method: string
  /** May hold `${NAME}` and `${NAME:-fallback}`, replaced from the environment at call time. */
  readonly base_url: string
  readonly path: string
  readonly params?: readonly ParamRule[]
  readonly body?: BodyRule
  readonly auth?: AuthRule
  readonly response?: ResponseRule
  readonly paginate?: PaginateRule
}

/** Where and how one argument travels beside the body. */
export interface ParamRule {
  readonly arg: string
  /** Name on the wire; the argument's name when absent. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** A constant of the API, sent when the caller leaves the argument out. */
  readonly value?: string | number | boolean
  /** `form` in query and cookie, `simple` in path and header when absent. */
  readonly style?: string
  /** True for `form` and `deepObject`, else false when absent. */
  readonly explode?: boolean
  readonly allow_reserved?: boolean
  /** The value is written as this media type instead of by style. */
  readonly content_type?: string
  /** As of a body field, where `content_type` is JSON. */
  readonly digits?: readonly string[]
}

/** How the body of a request is put together. */
export interface BodyRule {
  readonly type: 'json' | 'form' | 'multipart' | 'raw'
  readonly media_type?: string
  /** The argument that is the whole body. */
  readonly root?: BodyField
  /** Arguments that are the fields of the body object. */
  readonly fields?: readonly BodyField[]
}

/** One argument of a body. */
export interface BodyField {
  readonly arg: string
  readonly name?: string
  /** The members of the argument are members of the body itself. */
  readonly rest?: boolean
  /** Null is sent, not left out. */
  readonly nullable?: boolean
  /** The argument is base64, the wire carries the bytes. */
  readonly binary?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly content_type?: string
  /** Pointers to strings of digits that the wire carries as numbers; `*` is every element, `~*` every member not named. */
  readonly digits?: readonly string[]
}

/** How a call authenticates; the credential itself is only in the environment. */
export interface AuthRule {
  readonly type: string
  readonly env?: string
  readonly header?: string
  readonly in?: string
  readonly name?: string
  readonly prefix?: string
  readonly scopes?: readonly string[]
  readonly token_url?: string
  readonly discovery_url?: string
  /** Further credentials of the same request. */
  readonly also?: readonly AuthRule[]
  /** Other ways; the first whose variables are set is used, and `none` when none is. */
  readonly or?: readonly AuthRule[]
}

/** How an answer is trimmed before anybody reads it. */
export interface ResponseRule {
  readonly pick?: readonly string[]
  readonly max_bytes?: number
  readonly max_items?: number
}

/** How the next page is found. */
export interface PaginateRule {
  readonly style: 'cursor' | 'page' | 'offset' | 'link'
  /** Wire name of the parameter with the cursor, page number or offset. */
  readonly cursor?: string
  /** Wire name of the parameter with the page size. */
  readonly limit?: string
  readonly items?: string
  readonly next?: string
}

/** Arguments of a tool, by argument name. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** The environment a call reads its credentials from. */
export type Environment = Readonly<Record<string, string | undefined>>
