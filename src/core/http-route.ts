import { type JsonSchema, listLocalInPlace, memberSchema } from '../schema/index.ts'
import { isRecord } from '../values/index.ts'
import type { Refuse } from './check-definition.ts'
import type { TargetShape } from './target.ts'

/** The methods a function can be called with over HTTP. */
export type CallMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const METHODS: readonly CallMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Where a function is over HTTP. Arguments that are named nowhere here are in the query string with GET and DELETE, and
 * members of the body otherwise.
 */
export interface HttpRoute {
  readonly method: CallMethod
  /** Below the mount of REST; `{name}` stands for an argument: `/tickets/{id}`. */
  readonly path: string
  /** Name of the operation in the OpenAPI document; made from the function's name when absent. */
  readonly operationId?: string
  /** Arguments that travel in headers, with the names of those: `{ tenant: 'X-Tenant' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Arguments in the query string although the others are in the body. */
  readonly query?: readonly string[]
}

/** How a reader of a stream that was cut off goes on after the last item it has. */
export interface StreamResume {
  /** The member of an item that tells it from others. */
  readonly id: string
  /** The argument that takes it. */
  readonly after: string
}

/** One part of a path: fixed text, or the name of an argument. */
export type PathSegment = { readonly text: string } | { readonly argument: string }

/** Takes a path apart; `{id}` is an argument. */
export function parseHttpPath(path: string): readonly PathSegment[] {
  return path
    .slice(1)
    .split('/')
    .map((segment) =>
      segment.startsWith('{') ? { argument: segment.slice(1, -1) } : { text: segment },
    )
}

const TEXT = /^[A-Za-z0-9._~@:-]{1,100}$/
const ARGUMENT = /^\{[^{}/]{1,100}\}$/
const OPERATION_ID = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/
const HEADER = /^[A-Za-z0-9-]{1,64}$/
/** Headers that mean something to HTTP, to a proxy or to an extension; an argument in one would mean two things. */
const TAKEN =
  /^(accept.*|authorization|cache-control|connection|content-.*|cookie|date|expect|forwarded|host|idempotency-key|if-.*|last-event-id|origin|prefer|proxy-.*|range|referer|sec-.*|te|trace.*|trailer|transfer-encoding|ucp-.*|upgrade|user-agent|via|waymark-.*|x-forwarded-.*|x-request-id)$/i
const MOST_SEGMENTS = 20

/** Refuses an address that could not be served, or arguments that could not reach it. */
export function checkHttpRoute({ definition, inputSchema }: TargetShape, refuse: Refuse): void {
  const { http } = definition
  if (http === undefined) return
  if (!isRecord(http)) refuse('http', 'must be { method, path }')
  if (!METHODS.includes(http.method)) {
    refuse('http.method', `must be one of ${METHODS.join(', ')}`)
  }
  const effects = definition.sideEffects ?? (definition.readOnly ? [] : definition.writes)
  // Pages of other sites can make a browser send GET, and proxies repeat it.
  if (http.method === 'GET' && effects?.length !== 0) {
    refuse('http.method', 'may be GET only where the function is declared readOnly')
  }
  checkPath(http.path, refuse)
  if (http.operationId !== undefined && !OPERATION_ID.test(http.operationId)) {
    refuse('http.operationId', 'must be letters, digits, "_", "." and "-"')
  }
  checkPlaces(http, inputSchema, refuse)
}

function checkPath(path: unknown, refuse: Refuse): void {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    refuse('http.path', 'must begin with a slash, as "/tickets/{id}"')
  }
  const segments = String(path).slice(1).split('/')
  const wrong = segments.find((segment) => !TEXT.test(segment) && !ARGUMENT.test(segment))
  if (wrong !== undefined) {
    refuse('http.path', `has the segment "${wrong}"; each is plain text or an argument as {id}`)
  }
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    refuse('http.path', 'must not have "." or ".." as a segment: clients leave them out')
  }
  // What stands first tells functions, documents and other surfaces apart.
  if (segments[0]?.startsWith('{')) refuse('http.path', 'must begin with fixed text')
  if (segments.length > MOST_SEGMENTS)
    refuse('http.path', `has more than ${MOST_SEGMENTS} segments`)
}

function checkPlaces(
  { path, headers = {}, query = [] }: HttpRoute,
  { properties, required }: TargetShape['inputSchema'],
  refuse: Refuse,
): void {
  const known = isRecord(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const seen = new Set<string>()
  const place = (field: string, name: string): void => {
    if (!Object.hasOwn(known, name)) refuse(field, `names "${name}", which is no argument`)
    if (seen.has(name)) refuse(field, `has the argument "${name}" in two places`)
    seen.add(name)
  }
  for (const segment of parseHttpPath(path)) {
    if (!('argument' in segment)) continue
    const { argument } = segment
    place('http.path', argument)
    if (!needed.includes(argument)) {
      refuse('http.path', `has the argument "${argument}", which must be required`)
    }
    const schema = known[argument]
    if (isRecord(schema) && schema['type'] === 'object') {
      refuse('http.path', `has the argument "${argument}", which must not be an object`)
    }
  }
  for (const [name, header] of Object.entries(headers)) {
    place('http.headers', name)
    if (!HEADER.test(header)) refuse('http.headers', `has "${header}", which is not a header name`)
    if (TAKEN.test(header)) refuse('http.headers', `has ${header}, which has a meaning of its own`)
  }
  for (const name of query) place('http.query', name)
}

/** Refuses a way to go on that no reader could take. */
export function checkResume(
  { definition, inputSchema, itemSchema }: TargetShape,
  refuse: Refuse,
): void {
  const { resume } = definition
  if (resume === undefined) return
  if (itemSchema === undefined) refuse('resume', 'needs item: only streams are taken up again')
  const has = (schema: JsonSchema = {}, name: string) =>
    listLocalInPlace([schema], schema).some((one) => memberSchema(one, name) !== undefined)
  if (!has(itemSchema, resume.id)) refuse('resume.id', 'must be a property of item')
  if (!has(inputSchema, resume.after)) refuse('resume.after', 'must be a property of input')
}
