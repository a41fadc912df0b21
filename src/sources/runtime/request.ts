import { type Credential, expandVariables, NO_CREDENTIAL } from './auth.ts'
import { type EncodedBody, encodeBody, toJsonText } from './body.ts'
import type { ApiOperation, Environment, ParamRule, ToolArguments } from './operation.ts'
import {
  escapeReserved,
  escapeText,
  isPresent,
  type Pair,
  styleOfRule,
  toPairs,
  toScalarText,
  toSegment,
} from './serialize.ts'
import { ToolError } from './tool-error.ts'

/** A request ready to be sent. */
export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly content: EncodedBody['content'] | undefined
}

/** What a request is built from, beside the operation and its arguments. */
export interface RequestParts {
  readonly env: Environment
  readonly credential?: Credential
  readonly userAgent?: string
}

/** Headers that belong to the connection or to the credential, never to an argument. */
const OWN_HEADERS =
  /^(?:host|content-length|content-type|authorization|proxy-.*|cookie|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

/** Builds the request of an operation; throws before anything is sent when it cannot be right. */
export function buildRequest(
  operation: ApiOperation,
  args: ToolArguments,
  parts: RequestParts,
): ApiRequest {
  const { tool, method } = operation
  const credential = parts.credential ?? NO_CREDENTIAL
  const body = operation.body && encodeBody(operation.body, args, tool)
  const cookies = [...pairsIn(operation, args, 'cookie'), ...credential.cookies]
  const headers = {
    accept: 'application/json, */*;q=0.5',
    'user-agent': parts.userAgent ?? 'waymark-forge',
    ...headerParams(operation, args),
    ...(body && { 'content-type': body.mediaType }),
    ...(cookies.length > 0 && { cookie: cookies.map((pair) => pair.join('=')).join('; ') }),
    ...Object.fromEntries(credential.headers.map(([name, value]) => [name.toLowerCase(), value])),
  }
  const query = [...pairsIn(operation, args, 'query'), ...credential.query]
  const url = joinUrl(operation, args, { env: parts.env, query })
  return { method, url, headers, content: body?.content }
}

function joinUrl(
  operation: ApiOperation,
  args: ToolArguments,
  parts: { readonly env: Environment; readonly query: readonly Pair[] },
): string {
  const base = requireBase(
    expandVariables(operation.base_url, parts.env, operation.tool),
    operation,
  )
  const [, path = '', fixedQuery = ''] = /^([^?#]*)\??([^#]*)/.exec(operation.path) ?? []
  const filled = fillPath(path, operation, args)
  const query = [fixedQuery && fillPath(fixedQuery, operation, args)]
    .concat(parts.query.map((pair) => pair.join('=')))
    .filter((part) => part !== '')
    .join('&')
  // Appending keeps the path of the base; resolving against it would lose it.
  const url = new URL(base.href.replace(/(?<!\/)\/+$/, '') + filled + (query && `?${query}`))
  if (url.origin === base.origin) return url.href
  throw new ToolError(operation.tool, 'arguments', `${operation.tool}: the URL would leave the API`)
}

function requireBase(text: string, { tool }: ApiOperation): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url
  throw new ToolError(
    tool,
    'setup',
    `E013 ${tool}: base_url must be an http or https URL without user, query and fragment`,
  )
}

function fillPath(path: string, operation: ApiOperation, args: ToolArguments): string {
  const rules = (operation.params ?? []).filter((rule) => rule.in === 'path')
  const filled = path.replace(/\{([^{}]*)\}/g, (_match, name: string) => {
    const rule = rules.find((candidate) => (candidate.name ?? candidate.arg) === name)
    const value = rule && sentValue(rule, args)
    const text = rule && isPresent(value) ? toSegment(rule, value, escapeText) : ''
    if (text === '') throw badArgument(operation, rule?.arg ?? name, 'is needed in the path')
    return text
  })
  // URL parsers walk up on `..` and `%2e%2e`, so such a segment cannot be sent at all.
  if (filled !== path && filled.split('/').some(isDotSegment)) {
    throw badArgument(operation, 'path', 'may not hold a value that is . or ..')
  }
  return filled
}

function isDotSegment(segment: string): boolean {
  return /^\.{1,2}$/.test(segment.replace(/%2e/gi, '.'))
}

function pairsIn(operation: ApiOperation, args: ToolArguments, place: 'query' | 'cookie'): Pair[] {
  return (operation.params ?? [])
    .filter((rule) => rule.in === place)
    .flatMap((rule) => paramPairs(rule, sentValue(rule, args)))
}

function sentValue(rule: ParamRule, args: ToolArguments): unknown {
  return args[rule.arg] ?? rule.value
}

function paramPairs(rule: ParamRule, value: unknown): readonly Pair[] {
  if (!isPresent(value)) return []
  const name = rule.name ?? rule.arg
  if (rule.content_type !== undefined) return [[escapeText(name), escapeText(toMedia(rule, value))]]
  const encode = rule.allow_reserved ? escapeReserved : escapeText
  return toPairs(name, value, { ...styleOfRule(rule), encode })
}

function toMedia(rule: ParamRule, value: unknown): string {
  return rule.content_type?.includes('json') ? toJsonText(value, rule.digits) : toScalarText(value)
}

function headerParams(operation: ApiOperation, args: ToolArguments): Record<string, string> {
  const rules = (operation.params ?? []).filter((rule) => rule.in === 'header')
  const entries = rules.flatMap((rule) => {
    const value = sentValue(rule, args)
    if (!isPresent(value)) return []
    const name = rule.name ?? rule.arg
    if (OWN_HEADERS.test(name)) throw badArgument(operation, rule.arg, `cannot set ${name}`)
    const text =
      rule.content_type === undefined ? toSegment(rule, value, String) : toMedia(rule, value)
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return [[name.toLowerCase(), text.trim()] as const]
    throw badArgument(operation, rule.arg, 'holds characters that a header cannot carry')
  })
  return Object.fromEntries(entries)
}

function badArgument({ tool }: ApiOperation, arg: string, problem: string): ToolError {
  return new ToolError(tool, 'arguments', `${tool}: ${arg} ${problem}`, {
    problems: [`${arg} ${problem}`],
  })
}
