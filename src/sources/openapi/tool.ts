import { requireAll } from '../../schema/index.ts'
import { defined, entriesOf } from '../../values/index.ts'
import {
  type AuthConfig,
  argumentName,
  type FieldDef,
  type HttpMethod,
  locationOf,
  type ToolDef,
  waysOf,
} from '../tool-spec/index.ts'
import { readBody } from './body.ts'
import { cleanText, describeOperation, MAX_TITLE } from './describe.ts'
import { takeName } from './names.ts'
import { asFilledText, asNode, read, type Warn, withWarn } from './node.ts'
import type { DocumentOperation, OpenedDocument } from './operations.ts'
import { readParameters, tidyStyle } from './parameters.ts'
import { createReducer, type ReduceLimits, type Reducer } from './reduce.ts'
import type { ResponseReader } from './responses.ts'
import type { AuthChooser } from './security.ts'
import { chooseBaseUrl, type OperationModel, readModel } from './servers.ts'
import { type DescribedCall, findCallbacks } from './triggers.ts'

/** A field while it is being built. */
export type FieldDraft = { -readonly [Key in keyof FieldDef]: FieldDef[Key] }

/** A field to make. */
export interface FieldRequest {
  readonly place: string
  readonly required: boolean
  /** A parameter beside the body: null does not travel there. */
  readonly isParameter?: boolean
  /** Absent for the root of a body. */
  readonly name?: string
  /** Description of the parameter around the schema. */
  readonly description?: string | undefined
  /** Node around the schema that may hold an example. */
  readonly around?: unknown
}

/** What model providers accept as the name of an argument. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/

/** Gives every field of a tool an argument name of its own; the body keeps its names. */
function assignArguments(
  path: string,
  params: readonly FieldDraft[],
  body: readonly FieldDraft[],
  root: FieldDraft | undefined,
): void {
  const tool = { path } as ToolDef
  const taken = new Set<string>()
  const claim = (field: FieldDraft, suffix: string): void => {
    const plain = plainName(argumentName(field))
    const wished = taken.has(plain) ? `${plain.slice(0, 56)}_${suffix}` : plain
    const name = takeName(wished, taken, (count) => `${plain.slice(0, 52)}_${suffix}_${count}`)
    if (name !== argumentName(field)) field.arg = name
  }
  for (const field of body) claim(field, 'body')
  if (root) claim(root, 'body')
  const order = ['path', 'query', 'header', 'cookie']
  for (const location of order) {
    for (const field of params) if (locationOf(tool, field) === location) claim(field, location)
  }
}

function plainName(name: string): string {
  // An argument of this name would reach the prototype of the object that holds it.
  if (name === '__proto__') return 'proto'
  if (ARGUMENT.test(name)) return name
  const cleaned = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, 64)
  return cleaned === '' ? 'value' : cleaned
}

/** A tool before auth and base URL are moved to the top of the file. */
export interface ImportedTool {
  readonly tool: ToolDef
  readonly auth: AuthConfig | undefined
  readonly baseUrl: string
  readonly callbacks: readonly DescribedCall[]
}

/** What all operations of an import share. */
export interface ImportContext {
  readonly opened: OpenedDocument
  readonly domain: string
  readonly url: string | undefined
  readonly limits: Omit<ReduceLimits, 'leaveOut'>
  readonly auth: AuthChooser
  readonly responses: ResponseReader
  /** Warns about the document as a whole. */
  readonly warnAll: Warn
  /** Base URLs chosen so far, by the list of servers. */
  readonly baseUrls: Map<readonly unknown[], string>
}

/** Imports one operation; everything it cannot carry over is a warning. */
export function importTool(
  operation: DocumentOperation,
  context: ImportContext,
  warn: Warn,
): ImportedTool {
  const { opened } = context
  warnAboutName(operation, warn)
  const model = readModel(opened, operation, warn)
  const reducer = startReducer(opened, context.limits, 'readOnly', warn)
  const parameters = readParameters(model.parameters, operation, reducer)
  const auth = context.auth.choose(model.security, parameters.credentials, warn)
  const params = parameters.fields.filter((field) => !isCarried(parameters.path, field, auth, warn))
  const body = readBody(model.requestBody, operation.method, reducer)
  reducer.finish()
  for (const field of [...params, ...(body.fields ?? [])]) tidyStyle(field)
  assignArguments(parameters.path, params, body.fields ?? [], body.root)
  const callbacks = findCallbacks(opened, model.callbacks, operation.name, warn)
  const responses = context.responses.read(operation.node, model.responses, warn)
  const description = describe(operation, model, callbacks, warn)
  const tool: ToolDef = {
    name: operation.name,
    description,
    ...titleOf(operation, description),
    method: operation.method as HttpMethod,
    path: parameters.path,
    ...(params.length > 0 && { params: params.map(orderKeys) }),
    ...(body.fields && body.fields.length > 0 && { body: body.fields.map(orderKeys) }),
    ...((body.fields?.length || body.root) && {
      ...defined({ content_type: body.contentType, media_type: body.mediaType }),
    }),
    ...(body.root && { body_root: orderKeys(body.root) }),
    ...(operation.tags.length > 0 && { tags: operation.tags }),
    ...(operation.deprecated && { deprecated: true }),
    ...(responses.length > 0 && { responses }),
  }
  return { tool, auth, baseUrl: baseUrlOf(model.servers, context, warn), callbacks }
}

/** The document's own servers are judged once, not once per operation. */
function baseUrlOf(servers: readonly unknown[], context: ImportContext, warn: Warn): string {
  const { domain, url, baseUrls, opened } = context
  const known = baseUrls.get(servers)
  if (known !== undefined) return known
  const tell = servers === opened.servers ? context.warnAll : warn
  const chosen = chooseBaseUrl(servers, { domain, url, warn: tell })
  baseUrls.set(servers, chosen)
  return chosen
}

/** A parameter that auth sends already is not an argument. */
function isCarried(
  path: string,
  field: FieldDraft,
  auth: AuthConfig | undefined,
  warn: Warn,
): boolean {
  const keys = (auth === undefined ? [] : waysOf(auth).flat()).filter(
    (part) => part.type === 'api_key',
  )
  const location = locationOf({ name: '', description: '', path }, field)
  const carried = keys.some((key) => {
    const name = key.name ?? key.header ?? 'Authorization'
    return (key.in ?? 'header') === location && name.toLowerCase() === field.name?.toLowerCase()
  })
  if (carried)
    warn('W111', 'auth sends this parameter; it is not an argument', `params.${field.name}`)
  return carried
}

/** Reads the fields of a webhook's payload. */
export function readPayload(
  call: DescribedCall,
  context: Pick<ImportContext, 'opened' | 'limits'>,
  warn: Warn,
): readonly FieldDef[] {
  const { opened } = context
  const operation = { node: call.node, item: {} } as DocumentOperation
  const model = readModel(opened, operation, warn)
  const reducer = startReducer(opened, context.limits, 'writeOnly', warn)
  const [, media] =
    entriesOf(model.requestBody?.['content']).find(([type]) => /json|\*/i.test(type)) ?? []
  const schema = read(media, 'schema')
  if (schema === undefined) return []
  const folded = reducer.fold(schema, 'payload')
  const fields = Array.from(folded.properties, ([name, schemas]) => {
    const place = `payload.${name}`
    const required = folded.required.has(name)
    return reducer.start(reducer.fold(requireAll(schemas), place, folded), {
      place,
      required,
      name,
    })
  })
  reducer.finish()
  return fields.map(orderKeys)
}

function startReducer(
  opened: OpenedDocument,
  limits: Omit<ReduceLimits, 'leaveOut'>,
  leaveOut: ReduceLimits['leaveOut'],
  warn: Warn,
): Reducer {
  const refSiblings = opened.version === '3.1' || opened.version === '3.2'
  const start = { work: { steps: 0 }, place: '', trail: undefined }
  const context = withWarn({ resolver: opened.resolver, refSiblings, ...start }, warn)
  return createReducer(context, { ...limits, leaveOut })
}

function warnAboutName(operation: DocumentOperation, warn: Warn): void {
  const { name, uncut, clashed, dangling } = operation
  if (uncut !== undefined)
    warn('W103', `the name was shortened: ${uncut.slice(0, 200)} became ${name}`)
  if (clashed !== undefined)
    warn('W104', `several operations are called ${clashed}; this one became ${name}`)
  if (dangling !== undefined)
    warn('W112', `the operation cannot be followed: ${dangling.slice(0, 200)}`)
}

function describe(
  operation: DocumentOperation,
  model: OperationModel,
  callbacks: readonly DescribedCall[],
  warn: Warn,
): string {
  const notes = callbacks.map((call) => {
    const field = /#\/?([\w/-]+)\}?$/.exec(call.expression ?? '')?.[1]?.replaceAll('/', '.')
    return field === undefined
      ? `Calls back: ${call.event}`
      : `Calls back (${call.event}) at the URL in ${field}`
  })
  const { text, invented, cut } = describeOperation({
    ...operation,
    notes: [...new Set(notes)],
    returns: returnsOf(model.responses),
    override: asFilledText(read(read(operation.node, 'x-forge'), 'description')),
  })
  if (invented) warn('W107', 'no description in the source; one was made from method and path')
  if (cut) warn('W110', 'description cut to 1024 characters')
  return text
}

/** The summary is what people call an operation; one that is a paragraph is a description. */
function titleOf(
  { summary = '' }: DocumentOperation,
  description: string,
): { readonly title?: string } {
  const title = cleanText(summary)
  return title === '' || title === description || title.length > MAX_TITLE ? {} : { title }
}

function returnsOf(responses: unknown): string | undefined {
  const codes = entriesOf(responses)
    .filter(([code]) => /^2/.test(code))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const text = asFilledText(read(asNode(codes[0]?.[1]), 'description'))
  // "OK" and its kin say nothing.
  return text === undefined || text.trim().split(/\s+/).length < 3 ? undefined : text
}

/** Moves nested parts of a top-level field behind the keys that were added after them. */
function orderKeys(field: FieldDraft): FieldDef {
  const { items, properties, values, any_of, ...rest } = field
  return { ...rest, ...defined({ items, properties, values, any_of }) }
}
