import { z } from 'zod'
import type { JsonSchema } from '../../schema/index.ts'
import { isRecord } from '../../values/index.ts'
import {
  AUTH_LOCATIONS,
  AUTH_TYPES,
  CONTENT_TYPES,
  FIELD_LOCATIONS,
  FIELD_STYLES,
  FIELD_TYPES,
  FILE_EVENTS,
  METHODS,
  OAUTH_FLOWS,
  PAGINATE_STYLES,
  SIGNATURE_SCHEMES,
  type ToolSpec,
  type TriggerType,
  WEBHOOK_CHALLENGES,
} from './types.ts'

/** What a domain looks like: it becomes a file name, so no dots, slashes or spaces. */
export const DOMAIN_PATTERN: RegExp = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

/** What the name of a tool or trigger looks like. */
export const NAME_PATTERN: RegExp = /^[a-z][a-z0-9_]*$/

/** Longest name of a tool that model providers accept. */
export const MAX_NAME_LENGTH = 64

/** What the name of an environment variable looks like. */
export const ENV_PATTERN: RegExp = /^[A-Z_][A-Z0-9_]*$/

/** A token of RFC 9110: what a header name may be made of. */
export const HEADER_PATTERN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Deepest nesting of fields. */
export const MAX_FIELD_DEPTH = 12

/** Writes a domain as the prefix of tool names: `my-api` becomes `my_api`. */
export function toSnakeDomain(domain: string): string {
  return domain
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase()
}

/** Writes a domain as the prefix of environment variables: `my-api` becomes `MY_API`. */
export function toEnvDomain(domain: string): string {
  return toSnakeDomain(domain).toUpperCase()
}

/*
 * Shape only: types, keys, closed sets and name patterns. Rules between fields are in check*.ts.
 * A message that is a code (E011, E020) is worded in explain.ts, where the found value is known.
 */

const text = (meaning: string): z.ZodString => z.string().describe(meaning)
const flag = (meaning: string): z.ZodOptional<z.ZodBoolean> =>
  z.boolean().optional().describe(meaning)
const count = (meaning: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(0).optional().describe(meaning)
const bound = (meaning: string): z.ZodOptional<z.ZodNumber> =>
  z.number().optional().describe(meaning)

/** The type of a key whose schema contains itself. */
type Lazy = z.ZodOptional<z.ZodType>

const name = z.string().regex(NAME_PATTERN, 'E020').max(MAX_NAME_LENGTH, 'E020')

const auth = z
  .strictObject({
    type: z.enum(AUTH_TYPES).describe('How requests authenticate'),
    env: text('Environment variable with the credential').optional(),
    header: text('Header of an api_key; Authorization when absent').optional(),
    in: z.enum(AUTH_LOCATIONS).optional().describe('Where an api_key travels; header when absent'),
    name: text('Query parameter or cookie that carries an api_key').optional(),
    prefix: text('Text before the value, such as "Token "').optional(),
    scopes: z.array(z.string()).optional().describe('OAuth 2 scopes to ask for'),
    token_url: text('Token URL when the _TOKEN_URL variable is not set').optional(),
    authorization_url: text('Where a person logs in, for forge auth login').optional(),
    discovery_url: text('OpenID Connect discovery document').optional(),
    flow: z.enum(OAUTH_FLOWS).optional().describe('The grant the API declares'),
    get also(): Lazy {
      return z.array(auth).optional().describe('Further credentials of the same request')
    },
    get or(): Lazy {
      return z
        .array(auth)
        .optional()
        .describe('Other ways to authenticate; the first whose variables are set is used')
    },
  })
  .meta({ id: 'AuthConfig', description: 'How a tool authenticates' })

const fieldKeys = {
  type: z.enum(FIELD_TYPES).describe('Type of the value'),
  required: flag('Must the caller supply it; false when absent'),
  default: z.unknown().describe('Sent when the caller leaves the field out').optional(),
  enum: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('Allowed values'),
  rest: flag('Members of this body field are members of the body itself'),
  const: z
    .union([z.string(), z.number(), z.boolean()])
    .optional()
    .describe('The one value of a parameter; always sent'),
  arg: text('Argument name, when it differs from the wire name').optional(),
  in: z.enum(FIELD_LOCATIONS).optional().describe('Where a parameter travels'),
  style: z.enum(FIELD_STYLES).optional().describe('How arrays and objects are written'),
  explode: flag('One entry per element; see style'),
  allow_reserved: flag('Leave reserved characters of a query value as they are'),
  content_type: text('Media type the value is serialised as').optional(),
  wire_type: z.literal('integer').optional().describe('Digits in a string, sent as a number'),
  nullable: flag('Null is a value too'),
  format: text('Hint such as date-time; binary is base64 in the argument').optional(),
  minimum: bound('Smallest value'),
  maximum: bound('Largest value'),
  exclusive_minimum: bound('The value is larger than this'),
  exclusive_maximum: bound('The value is smaller than this'),
  multiple_of: z.number().positive().optional().describe('The value is a multiple of this'),
  min_length: count('Shortest text'),
  max_length: count('Longest text'),
  pattern: text('Regular expression the text matches').optional(),
  min_items: count('Fewest elements'),
  max_items: count('Most elements'),
  unique_items: flag('No two elements are equal'),
}

const element = z
  .strictObject({
    name: text('Ignored; an element has no name of its own').optional(),
    ...fieldKeys,
    description: text('What this is; the model reads it').optional(),
    get items(): Lazy {
      return element.optional().describe('Element of an array')
    },
    get properties(): Lazy {
      return z.array(field).optional().describe('Fields of an object, as a list')
    },
    get values(): Lazy {
      return element.optional().describe('What other members of an object hold')
    },
    get any_of(): Lazy {
      return z.array(element).min(1).optional().describe('The exact alternatives')
    },
  })
  .meta({ id: 'ElementDef', description: 'A value without a name: array element, alternative' })

const field = element
  .extend({ name: text('Name on the wire'), description: text('What this is; the model reads it') })
  .meta({ id: 'FieldDef', description: 'A parameter, body field or property' })

const response = z.strictObject({
  pick: z.array(z.string()).optional().describe('Dot paths to keep'),
  max_bytes: z.int().positive().optional().describe('Longest answer in bytes'),
  max_items: z.int().positive().optional().describe('Longest list'),
})

const paginate = z.strictObject({
  style: z.enum(PAGINATE_STYLES).describe('How the API pages'),
  cursor: text('Parameter that carries the cursor, page or offset').optional(),
  limit: text('Parameter that carries the page size').optional(),
  items: text('Dot path of the list in the response').optional(),
  next: text('Dot path of the next cursor in the response').optional(),
})

const jsonSchema = z.record(z.string(), z.json())

const responseDef = z
  .strictObject({
    status: z
      .string()
      .regex(/^(?:[1-5](?:\d\d|XX)|default)$/)
      .describe('Status: 200, 4XX or default'),
    description: text('When this is answered').optional(),
    media_type: text('What the answer is written as').optional(),
    schema: jsonSchema.optional().describe('JSON Schema of the answer'),
    example: z.json().optional().describe('An answer that the API shows'),
  })
  .meta({ id: 'ResponseDef', description: 'One answer that an API describes' })

const tool = z
  .strictObject({
    name: name.describe('Unique identifier, snake_case'),
    description: text('What the tool does; the model reads it'),
    title: text('Name for people, such as "List tickets"').optional(),
    method: z.enum(METHODS).optional().describe('HTTP method; leave out for a tool without HTTP'),
    path: text('URL path relative to base_url; {x} marks a path parameter').optional(),
    params: z.array(field).optional().describe('Path and query parameters'),
    body: z.array(field).optional().describe('Fields of the request body'),
    auth: auth.optional().describe('Replaces the auth of the file for this tool'),
    base_url: text('Base URL of this tool alone').optional(),
    content_type: z.enum(CONTENT_TYPES).optional().describe('How the body is written'),
    media_type: text('Exact Content-Type to send').optional(),
    body_root: element.optional().describe('A body that is not an object with known fields'),
    tags: z.array(z.string()).optional().describe('Groups for filtering'),
    read_only: flag('Changes nothing on the other side'),
    destructive: flag('May delete or overwrite'),
    deprecated: flag('Deprecated by the API'),
    response: response.optional().describe('How a response is trimmed'),
    paginate: paginate.optional().describe('How to ask for the next page'),
    responses: z.array(responseDef).optional().describe('What the API says it answers'),
  })
  .meta({ id: 'ToolDef', description: 'One tool' })

const duration = z.strictObject({
  value: z.number().positive().describe('How many'),
  unit: z.enum(['millisecond', 'second', 'minute', 'hour', 'day']).describe('Of what'),
})

const triggerKeys = {
  name: name.describe('Trigger identifier, snake_case'),
  description: text('What this trigger does'),
  prompt: text('Template with {{placeholders}} filled from the payload').optional(),
  payload_map: z.record(z.string(), z.string()).optional().describe('Name to dot path'),
  tool: text('The tool to call').optional(),
  version: text('Version of the tool; the latest stable one when absent').optional(),
  arguments: z.record(z.string(), z.json()).optional().describe('Arguments beside the event'),
  attempts: z.int().min(1).max(100).optional().describe('Tries before it is given up; 5'),
  timeout: duration.optional().describe('How long one run may take; a minute when absent'),
  concurrency: z.int().min(1).max(1000).optional().describe('Runs at the same time; 10'),
  payload: z.array(field).optional().describe('Fields of the payload'),
}

const signature = z.strictObject({
  scheme: z.enum(SIGNATURE_SCHEMES).describe('How the signature is made'),
  header: text('Header with the signature').optional(),
})

const webhook = z.strictObject({
  type: z.literal('webhook'),
  ...triggerKeys,
  path: text('HTTP path to register'),
  event: text('Event name, for documentation and logs').optional(),
  secret_env: text('Environment variable with the signing secret').optional(),
  signature: z
    .union([z.enum(SIGNATURE_SCHEMES), signature])
    .optional()
    .describe('Signature scheme; standard when absent'),
  wait: flag('Answer with the result instead of at once'),
  challenge: z.enum(WEBHOOK_CHALLENGES).optional().describe('Question by GET to answer'),
  verify_env: text('Environment variable with the verify token of meta').optional(),
})

const schedule = z.strictObject({
  type: z.literal('schedule'),
  ...triggerKeys,
  cron: text('Five-field cron expression'),
  timezone: text('IANA time zone').optional(),
  overlap: z.enum(['skip', 'queue', 'allow']).optional().describe('When a run still runs'),
  catch_up: z.enum(['none', 'one']).optional().describe('Runs missed while stopped'),
  jitter: duration.optional().describe('Each run is late by a random part of it'),
})

const emit = z.strictObject({ type: z.literal('emit'), ...triggerKeys, event: text('Event name') })

const queue = z.strictObject({
  type: z.literal('queue'),
  ...triggerKeys,
  queue_url: text('SQS, Redis or RabbitMQ queue URL'),
  queue_env: text('Environment variable with the connection string').optional(),
})

const file = z.strictObject({
  type: z.literal('file'),
  ...triggerKeys,
  watch_path: text('Directory or glob to watch'),
  events: z.array(z.enum(FILE_EVENTS)).optional().describe('All three when absent'),
  poll: flag('Look again and again instead of trusting file-system events'),
})

const trigger = z
  .discriminatedUnion('type', [webhook, schedule, emit, queue, file])
  .meta({ id: 'TriggerDef', description: 'How an outside event calls a tool' })

const group = z
  .strictObject({
    name: text('The tag of its tools'),
    title: text('Heading for people; the name when absent').optional(),
    description: text('What its tools are for').optional(),
  })
  .meta({ id: 'GroupDef', description: 'What a tag stands for' })

const spec = z.strictObject({
  domain: z.string().regex(DOMAIN_PATTERN, 'E011').describe('Identifier of this tool set'),
  version: text('Version of this file, for people').optional(),
  base_url: text('Base URL of every HTTP tool; may name variables').optional(),
  auth: auth.optional().describe('Default for every tool without its own'),
  tools: z.array(tool).describe('Tools'),
  triggers: z.array(trigger).optional().describe('Triggers'),
  schemas: z
    .record(z.string(), jsonSchema)
    .optional()
    .describe('JSON Schemas that responses refer to as #/$defs/NAME'),
  groups: z.array(group).optional().describe('What the tags of the tools stand for'),
})

/** The kinds of mapping a tool spec is made of. */
export type NodeKind =
  | 'spec'
  | 'tool'
  | 'group'
  | 'field'
  | 'auth'
  | 'response'
  | 'responses'
  | 'paginate'
  | 'signature'
  | TriggerType

/** Lists the keys of a kind of mapping. */
export function keysOf(kind: NodeKind): readonly string[] {
  return Object.keys(MAPPINGS[kind].shape)
}

const MAPPINGS: Readonly<Record<NodeKind, z.ZodObject>> = {
  ...{ spec, tool, group, field, auth, response, responses: responseDef, paginate, signature },
  ...{ webhook, schedule, emit, queue, file },
}

/** The shape of a tool spec. Keys starting `x-` are let through by `parseToolSpec`, not by this. */
export const toolSpecSchema: z.ZodType<ToolSpec> = spec as unknown as z.ZodType<ToolSpec>

/** Builds the JSON Schema of the format, for editors; shipped as `tool-spec.schema.json`. */
export function buildToolSpecJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(toolSpecSchema, { unrepresentable: 'any' })
  allowExtensionKeys(schema)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:waymark:tool-spec',
    title: 'Tool Spec',
    ...schema,
  }
}

function allowExtensionKeys(node: unknown): void {
  if (Array.isArray(node)) for (const child of node) allowExtensionKeys(child)
  if (!isRecord(node)) return
  for (const child of Object.values(node)) allowExtensionKeys(child)
  if (node['additionalProperties'] === false) node['patternProperties'] = { '^x-': {} }
}
