import type { JsonSchema } from '../../schema/index.ts'
import type { Duration, Json, JsonObject } from '../../values/index.ts'

/*
 * The tool-spec format as a type. Keys are spelled as in the YAML file (snake_case): a parsed file
 * *is* a value of this type, nothing is renamed, and no default is filled in by the parser.
 * Keys marked "extension" are not in the seed; `strictSeed` reports them as E090.
 */

/** HTTP methods a tool may use. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** An HTTP method of a tool. */
export type HttpMethod = (typeof METHODS)[number]

/** Types a field may have. */
export const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const
/** The type of a field. */
export type FieldType = (typeof FIELD_TYPES)[number]

/** Ways to authenticate. */
export const AUTH_TYPES = ['bearer', 'api_key', 'basic', 'oauth2', 'none'] as const
/** A way to authenticate. */
export type AuthType = (typeof AUTH_TYPES)[number]

/** Kinds of trigger. */
export const TRIGGER_TYPES = ['webhook', 'schedule', 'emit', 'queue', 'file'] as const
/** A kind of trigger. */
export type TriggerType = (typeof TRIGGER_TYPES)[number]

/** File events a file trigger may react to. */
export const FILE_EVENTS = ['create', 'modify', 'delete'] as const
/** A file event. */
export type FileEvent = (typeof FILE_EVENTS)[number]

/** How a request body is written. */
export const CONTENT_TYPES = ['json', 'form', 'multipart', 'raw'] as const
/** A way to write a request body. */
export type ContentType = (typeof CONTENT_TYPES)[number]

/** Where a parameter travels. */
export const FIELD_LOCATIONS = ['query', 'path', 'header', 'cookie'] as const
/** A place a parameter travels in. */
export type FieldLocation = (typeof FIELD_LOCATIONS)[number]

/** How arrays and objects are written in a parameter, as OpenAPI names it. */
export const FIELD_STYLES = [
  'form',
  'simple',
  'label',
  'matrix',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
] as const
/** A parameter style. */
export type FieldStyle = (typeof FIELD_STYLES)[number]

/** Where an API key travels. */
export const AUTH_LOCATIONS = ['header', 'query', 'cookie'] as const
/** A place an API key travels in. */
export type AuthLocation = (typeof AUTH_LOCATIONS)[number]

/** OAuth 2 grants; only `client_credentials` and `refresh_token` run unattended. */
export const OAUTH_FLOWS = [
  'client_credentials',
  'refresh_token',
  'authorization_code',
  'implicit',
  'password',
] as const
/** An OAuth 2 grant. */
export type OauthFlow = (typeof OAUTH_FLOWS)[number]

/** Ways an API hands out long lists. */
export const PAGINATE_STYLES = ['cursor', 'page', 'offset', 'link'] as const
/** A way to page through a list. */
export type PaginateStyle = (typeof PAGINATE_STYLES)[number]

/** Signature schemes a webhook can be verified with. */
export const SIGNATURE_SCHEMES = [
  'standard',
  'github',
  'bitbucket',
  'slack',
  'stripe',
  'secret',
] as const
/** A signature scheme: `standard` is Standard Webhooks, `secret` a shared secret in a header. */
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** Questions by GET that senders ask before they send. */
export const WEBHOOK_CHALLENGES = ['meta', 'twitter'] as const
/** A question by GET: `meta` wants its text back, `twitter` its token signed. */
export type WebhookChallenge = (typeof WEBHOOK_CHALLENGES)[number]

/** Keys starting `x-` are kept and ignored wherever they stand. */
export interface Extensible {
  readonly [extension: `x-${string}`]: Json | undefined
}

/** A tool spec: one YAML file, one domain. */
export interface ToolSpec extends Extensible {
  /** Identifier of the tool set; file names, the collision prefix and variable names come from it. */
  readonly domain: string
  /** For people; nothing reads it. */
  readonly version?: string
  /** Base of every HTTP tool; may hold `${NAME}` and `${NAME:-fallback}`, read at run time. */
  readonly base_url?: string
  /** Default for every tool without an `auth` of its own. */
  readonly auth?: AuthConfig
  readonly tools: readonly ToolDef[]
  readonly triggers?: readonly TriggerDef[]
  /** Extension: JSON Schemas that `responses` refer to as `#/$defs/NAME`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** Extension: what the tags of the tools stand for, in the order people read them. */
  readonly groups?: readonly GroupDef[]
}

/** A group of tools: what a tag stands for. */
export interface GroupDef extends Extensible {
  /** The tag. */
  readonly name: string
  /** Heading for people; the name when absent. */
  readonly title?: string
  readonly description?: string
}

/** One tool. With `method` and `path` it is an HTTP call, without both it is not. */
export interface ToolDef extends Extensible {
  /** snake_case, unique in the file, at most 64 characters. */
  readonly name: string
  /** What the tool does; the model reads it unchanged. */
  readonly description: string
  /** Extension: name for people, such as "List tickets"; the first sentence of the description when absent. */
  readonly title?: string
  readonly method?: HttpMethod
  /** Appended to the base URL; `{x}` stands for the entry of `params` named `x`. */
  readonly path?: string
  /** Path, query, header and cookie parameters; see `locationOf` for where one travels. */
  readonly params?: readonly FieldDef[]
  /** Fields of the request body object. Never together with `body_root`. */
  readonly body?: readonly FieldDef[]
  /** Replaces the auth of the file as a whole. */
  readonly auth?: AuthConfig

  /** Extension: base URL of this tool alone. */
  readonly base_url?: string
  /** Extension: how the body is written; `json` when absent. */
  readonly content_type?: ContentType
  /** Extension: the exact Content-Type to send, when it is not the usual one of `content_type`. */
  readonly media_type?: string
  /**
   * Extension: a body that is not an object with known fields (array, scalar, map, raw text or bytes).
   * It becomes one argument, named `arg` or `name` or else `body`. `format: binary` is base64.
   */
  readonly body_root?: FieldDef
  /** Extension: groups for filtering. */
  readonly tags?: readonly string[]
  /** Extension: changes nothing on the other side. */
  readonly read_only?: boolean
  /** Extension: may delete or overwrite. */
  readonly destructive?: boolean
  /** Extension: deprecated by the API. */
  readonly deprecated?: boolean
  /** Extension: how a response is trimmed before the model sees it. */
  readonly response?: ResponseConfig
  /** Extension: how to ask for the next page. */
  readonly paginate?: PaginateConfig
  /** Extension: what the API says it answers, by status. */
  readonly responses?: readonly ResponseDef[]
}

/** One answer that an API describes. */
export interface ResponseDef extends Extensible {
  /** `200`, `4XX` or `default`. */
  readonly status: string
  readonly description?: string
  /** What the answer is written as. */
  readonly media_type?: string
  /** JSON Schema of what the tool gets; text for other media types, `mime`, `bytes` and `base64` for bytes. */
  readonly schema?: JsonSchema
  /** An answer that the API shows. */
  readonly example?: Json
}

/** How a response is trimmed. */
export interface ResponseConfig extends Extensible {
  /** Dot paths to keep (`data.items.id`; a list is walked through). Everything else is dropped. */
  readonly pick?: readonly string[]
  /** Longest answer in bytes of JSON. */
  readonly max_bytes?: number
  /** Longest list kept, at every place a list occurs. */
  readonly max_items?: number
}

/** How a tool pages. One call answers one page and the next cursor. */
export interface PaginateConfig extends Extensible {
  readonly style: PaginateStyle
  /** Wire name of the parameter that carries the cursor, page number or offset. */
  readonly cursor?: string
  /** Wire name of the parameter that carries the page size. */
  readonly limit?: string
  /** Dot path of the list in the response; the response itself when absent. */
  readonly items?: string
  /** Dot path of the next cursor in the response (style `cursor`). */
  readonly next?: string
}

/** A value a field may be restricted to. */
export type EnumValue = string | number | boolean

/** A parameter, a body field, or (nested) an element or property. */
export interface FieldDef extends Extensible {
  /** Name on the wire: any text. Absent only on `items`, `any_of` and `body_root`. */
  readonly name?: string
  readonly type: FieldType
  /** False when absent. */
  readonly required?: boolean
  /** Read by the model. Absent only on `items`, `any_of` and `body_root`. */
  readonly description?: string
  /** Sent when the caller leaves the field out. */
  readonly default?: Json
  /** Allowed values; numbers and booleans are an extension. */
  readonly enum?: readonly EnumValue[]
  /** Element of an array; absent means any value. */
  readonly items?: FieldDef
  /** Fields of an object; absent means free-form. */
  readonly properties?: readonly FieldDef[]

  /** Extension: what the members of an object beside `properties` hold; absent means any value. */
  readonly values?: FieldDef
  /** Extension: the members of this body field, an object, are members of the body itself. */
  readonly rest?: boolean
  /** Extension: the one value of a parameter, sent whether the caller gives it or not. */
  readonly const?: EnumValue
  /** Extension: argument name, when it differs from the wire name. */
  readonly arg?: string
  /** Extension: where a parameter travels; `path` when its name is in the path, else `query`. */
  readonly in?: FieldLocation
  /** Extension: `form` in query and cookie, `simple` in path and header when absent. */
  readonly style?: FieldStyle
  /** Extension: true for style `form` and `deepObject`, else false when absent. */
  readonly explode?: boolean
  /** Extension: leave reserved characters of a query value as they are. */
  readonly allow_reserved?: boolean
  /** Extension: media type the value is serialised as (`application/json` parameter, multipart part). */
  readonly content_type?: string
  /** Extension: an integer too big for a JavaScript number; the argument is a string of digits. */
  readonly wire_type?: 'integer'
  /** Extension: null is a value too. */
  readonly nullable?: boolean
  /** Extension: hint such as `date-time`; `binary` is base64 in the argument, raw bytes on the wire. */
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusive_minimum?: number
  readonly exclusive_maximum?: number
  readonly multiple_of?: number
  readonly min_length?: number
  readonly max_length?: number
  /** Extension: regular expression (ECMA-262, flag `u`, unanchored). */
  readonly pattern?: string
  readonly min_items?: number
  readonly max_items?: number
  readonly unique_items?: boolean
  /**
   * Extension: the exact alternatives. The value matches at least one of them; `type`, `properties`
   * and the like beside it are the plain form for readers that know no alternatives.
   */
  readonly any_of?: readonly FieldDef[]
}

/** How a tool authenticates. The credential itself is only ever in the environment. */
export interface AuthConfig extends Extensible {
  readonly type: AuthType
  /**
   * Variable with the credential: the token, the key, `…_USERNAME` (basic, beside `…_PASSWORD`) or
   * `…_CLIENT_ID` (oauth2, beside `…_CLIENT_SECRET`, `…_TOKEN_URL`, `…_REDIRECT_URI`).
   */
  readonly env?: string
  /** Header of an API key; `Authorization` when absent. */
  readonly header?: string

  /** Extension: where an API key travels; `header` when absent. */
  readonly in?: AuthLocation
  /** Extension: name of the query parameter or cookie (or header) that carries an API key. */
  readonly name?: string
  /** Extension: text before the value, such as `Token ` (the space is part of it). */
  readonly prefix?: string
  /** Extension: OAuth 2 scopes to ask for. */
  readonly scopes?: readonly string[]
  /** Extension: used when the `…_TOKEN_URL` variable is not set. */
  readonly token_url?: string
  /** Extension: where a person logs in, for `forge auth login`. */
  readonly authorization_url?: string
  /** Extension: OpenID Connect discovery document; the token URL is looked up in it at run time. */
  readonly discovery_url?: string
  /** Extension: the grant the API declares. */
  readonly flow?: OauthFlow
  /** Extension: further credentials the same request carries (a combined security requirement). */
  readonly also?: readonly AuthConfig[]
  /**
   * Extension: other ways to authenticate. The first whose variables are set is used; when none is and one of them is
   * `none`, the request goes without.
   */
  readonly or?: readonly AuthConfig[]
}

/** What every trigger has. */
export interface TriggerCommon extends Extensible {
  readonly name: string
  readonly description: string
  /** Extension: template with `{{placeholders}}` filled from the payload. */
  readonly prompt?: string
  /** Extension: argument or placeholder name to dot path in the payload. */
  readonly payload_map?: Readonly<Record<string, string>>
  /** Extension: the tool to call. */
  readonly tool?: string
  /** Extension: version of the tool; the latest stable one when absent. */
  readonly version?: string
  /** Extension: arguments that the event does not give; those of the event win. */
  readonly arguments?: JsonObject
  /** Extension: how often an event is tried before it is given up; 5 when absent. */
  readonly attempts?: number
  /** Extension: how long one run may take; a minute when absent. */
  readonly timeout?: Duration
  /** Extension: runs at the same time in one process; 10 when absent. */
  readonly concurrency?: number
  /** Extension: fields of the payload, for the generated type. */
  readonly payload?: readonly FieldDef[]
}

/** An HTTP endpoint that an outside system calls. */
export interface WebhookTrigger extends TriggerCommon {
  readonly type: 'webhook'
  readonly path: string
  readonly event?: string
  /** Variable with the signing secret. */
  readonly secret_env?: string
  /** Extension: how the signature is made; `standard` when absent. */
  readonly signature?: SignatureScheme | SignatureConfig
  /** Extension: answer with the result instead of at once. */
  readonly wait?: boolean
  /** Extension: the question by GET that is answered; none when absent. */
  readonly challenge?: WebhookChallenge
  /** Extension: variable with the verify token of `challenge: meta`. */
  readonly verify_env?: string
}

/** A signature scheme with its header named. */
export interface SignatureConfig extends Extensible {
  readonly scheme: SignatureScheme
  /** Header that carries the signature or secret. */
  readonly header?: string
}

/** A clock. */
export interface ScheduleTrigger extends TriggerCommon {
  readonly type: 'schedule'
  /** Five fields. */
  readonly cron: string
  /** Extension: IANA zone; the zone of the process when absent. */
  readonly timezone?: string
  /** Extension: what to do when the previous run still runs; `skip` when absent. */
  readonly overlap?: 'skip' | 'queue' | 'allow'
  /** Extension: what to do with runs missed while stopped; `none` when absent. */
  readonly catch_up?: 'none' | 'one'
  /** Extension: each run is late by a random part of it; shorter than the time between two runs. */
  readonly jitter?: Duration
}

/** An event on the bus. */
export interface EmitTrigger extends TriggerCommon {
  readonly type: 'emit'
  readonly event: string
}

/** A message queue. */
export interface QueueTrigger extends TriggerCommon {
  readonly type: 'queue'
  /** SQS, Redis or RabbitMQ URL; may hold `${NAME}`. */
  readonly queue_url: string
  /** Variable with the connection string. */
  readonly queue_env?: string
}

/** Files that appear, change or go. */
export interface FileTrigger extends TriggerCommon {
  readonly type: 'file'
  /** Directory or glob; may hold `${NAME}`. */
  readonly watch_path: string
  /** All three when absent. */
  readonly events?: readonly FileEvent[]
  /** Extension: look again and again instead of trusting file-system events. */
  readonly poll?: boolean
}

/** One trigger, told apart by `type`. */
export type TriggerDef = WebhookTrigger | ScheduleTrigger | EmitTrigger | QueueTrigger | FileTrigger
