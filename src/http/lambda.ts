import type { HttpRequest, HttpResponse } from '../wire/index.ts'
import type { App } from './app.ts'

/** An event of an API Gateway (payload 1.0 or 2.0), a function URL or a load balancer: the members that are read. */
export interface LambdaEvent {
  readonly rawPath?: string
  readonly rawQueryString?: string
  readonly path?: string
  readonly httpMethod?: string
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null
  readonly multiValueQueryStringParameters?: Readonly<
    Record<string, readonly string[] | undefined>
  > | null
  readonly headers?: Readonly<Record<string, string | undefined>> | null
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null
  readonly body?: string | null
  readonly isBase64Encoded?: boolean
  readonly requestContext?: {
    readonly stage?: string
    readonly http?: { readonly method?: string; readonly sourceIp?: string }
    readonly identity?: { readonly sourceIp?: string }
  }
}

/** The answer to such an event; a stream is answered when it has ended. */
export interface LambdaResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

/**
 * Serves an app on AWS Lambda.
 *
 * @example
 * export const handler = toLambdaHandler(app)
 */
export function toLambdaHandler(app: App): (event: LambdaEvent) => Promise<LambdaResult> {
  return async (event) => {
    if (event.requestContext?.http?.method === undefined && event.httpMethod === undefined) {
      throw new TypeError(
        'toLambdaHandler answers HTTP events of API Gateway, function URLs and load balancers; this event has no method',
      )
    }
    const request = toHttpRequest(event, app.maxRequestBytes)
    return toResult(event, request.method, await app.handle(request))
  }
}

function toHttpRequest(event: LambdaEvent, limit: number): HttpRequest {
  const { requestContext, body, isBase64Encoded = false } = event
  const headers = readHeaders(event)
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
  const bodyTooLarge = bytes.byteLength > limit
  const { signal } = new AbortController()
  return {
    method: requestContext?.http?.method ?? event.httpMethod ?? 'GET',
    path: readPath(event),
    query: readQuery(event),
    header: (name) => headers.get(name),
    body: bodyTooLarge ? Buffer.alloc(0) : bytes,
    bodyTooLarge,
    // The gateway ends a call that takes too long by ending the function.
    signal: () => signal,
    peerAddress: () => requestContext?.http?.sourceIp ?? requestContext?.identity?.sourceIp,
  }
}

/** Payload 2.0 has the name of the stage in front of the path, unless it is the default one. */
function readPath({ rawPath, path = '/', requestContext }: LambdaEvent): string {
  if (rawPath === undefined) return path
  const stage = `/${requestContext?.stage ?? '$default'}`
  if (rawPath === stage) return '/'
  return rawPath.startsWith(`${stage}/`) ? rawPath.slice(stage.length) : rawPath
}

function readQuery(event: LambdaEvent): string {
  if (event.rawQueryString !== undefined) return event.rawQueryString
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(event.queryStringParameters ?? {})) {
    const values = event.multiValueQueryStringParameters?.[name] ?? [value ?? '']
    for (const one of values) query.append(name, one)
  }
  return query.toString()
}

function readHeaders({ headers, multiValueHeaders }: LambdaEvent): ReadonlyMap<string, string> {
  const lists: readonly (readonly [string, string | readonly string[] | undefined])[] = [
    ...Object.entries(multiValueHeaders ?? {}),
    ...Object.entries(headers ?? {}),
  ]
  return new Map(
    lists.map(([name, value]) => [name.toLowerCase(), [value ?? []].flat().join(', ')]),
  )
}

async function toResult(
  event: LambdaEvent,
  method: string,
  { status, headers, body }: HttpResponse,
): Promise<LambdaResult> {
  const bytes = typeof body === 'string' ? body : Buffer.concat(await collect(body))
  const isText = typeof bytes === 'string' || isUtf8(headers['content-type'])
  const lists = Object.entries(headers).map(([name, value]) => [name, [value].flat()] as const)
  return {
    statusCode: status,
    headers: Object.fromEntries(lists.map(([name, values]) => [name, values.join(', ')])),
    // Payload 1.0 and load balancers read these, payload 2.0 refuses them.
    ...(event.httpMethod !== undefined && { multiValueHeaders: Object.fromEntries(lists) }),
    body: method === 'HEAD' ? '' : bytes.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  }
}

function isUtf8(contentType: string | readonly string[] | undefined): boolean {
  return /^text\/|\bjson\b/.test([contentType ?? ''].flat().join())
}

async function collect(
  body: Uint8Array | AsyncIterable<string | Uint8Array>,
): Promise<readonly Uint8Array[]> {
  if (body instanceof Uint8Array) return [body]
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }
  return chunks
}
