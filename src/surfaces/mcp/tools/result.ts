import {
  type Announcement,
  BUSY_TEXT,
  type ProtocolRefusal,
  toRpcError,
} from '../../../capabilities/index.ts'
import type { Contract } from '../../../contract/index.ts'
import { isPrepared, type Target } from '../../../core/index.ts'
import { extensionUrn, isRecord, type JsonObject } from '../../../values/index.ts'
import { encodeAnswer, isToolContent, type ToolAnswer } from '../encode.ts'
import { McpError, RPC } from '../errors.ts'
import type { ToolRequest } from './call-tool.ts'
import type { FunctionTool } from './catalogue.ts'

/** Estimates how many tokens a text costs a model: about four bytes each, in JSON and prose alike. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4)
}

/** How many characters fit into a number of tokens. */
export function charactersIn(tokens: number): number {
  return tokens * 4
}

/** A result after it was made to fit. */
export type Fitted =
  | { readonly fits: true; readonly answer: ToolAnswer; readonly note?: string }
  /** What is left does not have the promised shape any more. */
  | { readonly fits: false; readonly text: string }

/** Arguments by which callers usually ask for less. */
const NARROWING =
  /^(limit|count|size|page|page_size|pagesize|per_page|perpage|max|max_results|maxresults|top|take|first|cursor|offset|after|fields|select|filter|filters|query|pagination)$/i

/** Cuts a result that costs a model more tokens than allowed, and says how to ask for less. */
export function fitResult(
  answer: ToolAnswer,
  budget: number,
  { contract, target, inputSchema }: FunctionTool,
): Fitted {
  const { text } = answer
  // Pictures and files are counted differently by every model; blocks made by hand stay as they are.
  if (text === undefined || estimateTokens(text) <= budget) return { fits: true, answer }
  const advice = describeNarrowing(target, inputSchema())
  const allowed = charactersIn(budget)
  const shortened = answer.structured === undefined ? undefined : dropItems(text, allowed)
  // A list may have a least length, or a member that counts it.
  if (shortened !== undefined && contract.results.accepts(shortened.value)) {
    const note = `Only ${shortened.kept} of ${shortened.total} items of "${shortened.path}" are shown: the whole result is about ${estimateTokens(text)} tokens, more than the ${budget} allowed. ${advice}`
    const json = JSON.stringify(shortened.value)
    return { fits: true, answer: { text: json, structured: json }, note }
  }
  const note = `[Cut: the call succeeded, but its result is about ${estimateTokens(text)} tokens, more than the ${budget} allowed. ${advice}]`
  const cut = `${text.slice(0, allowed)}\n${note}`
  return answer.structured === undefined
    ? { fits: true, answer: { text: cut } }
    : { fits: false, text: cut }
}

interface Shortened {
  readonly value: unknown
  readonly path: string
  readonly kept: number
  readonly total: number
}

/** Drops items from the end of the longest list, which leaves the shape of the result as it was. */
function dropItems(json: string, allowed: number): Shortened | undefined {
  const value: unknown = JSON.parse(json)
  const longest = findLongestList(value, [])
  if (longest === undefined) return undefined
  const { list, path } = longest
  const sizes = list.map((item) => JSON.stringify(item)?.length ?? 4)
  let left = allowed - (json.length - sizes.reduce((sum, size) => sum + size + 1, 0))
  let kept = 0
  for (const size of sizes) {
    left -= size + 1
    if (left < 0) break
    kept += 1
  }
  if (kept === 0) return undefined
  return {
    value: replaceAt(value, path, list.slice(0, kept)),
    path: path.join('.') || 'result',
    kept,
    total: list.length,
  }
}

interface Located {
  readonly list: readonly unknown[]
  readonly path: readonly string[]
  readonly size: number
}

function findLongestList(value: unknown, path: readonly string[]): Located | undefined {
  if (Array.isArray(value)) return { list: value, path, size: JSON.stringify(value).length }
  if (!isRecord(value) || path.length > 4) return undefined
  return Object.entries(value)
    .flatMap(([key, inner]) => findLongestList(inner, [...path, key]) ?? [])
    .reduce<Located | undefined>(
      (best, found) => (best === undefined || found.size > best.size ? found : best),
      undefined,
    )
}

function replaceAt(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return replacement
  const record = value as Record<string, unknown>
  return { ...record, [key]: replaceAt(record[key], rest, replacement) }
}

function describeNarrowing({ definition }: Target, { properties }: JsonObject): string {
  const names = isRecord(properties)
    ? Object.keys(properties).filter((name) => NARROWING.test(name))
    : []
  const query = definition.query && Object.keys(definition.query).join(', ')
  if (names.length > 0) return `Ask for less with ${names.join(', ')}.`
  return query === undefined ? 'Ask for something more specific.' : `Ask for less with ${query}.`
}

/** Reads where a platform keeps its profile: `arguments.meta["ucp-agent"]`, or `_meta.ucp` as in 2026-01-11. */
export function readAnnouncement({ input, exchange }: ToolRequest): Announcement | undefined {
  const { meta } = input
  const agent = isRecord(meta) ? meta['ucp-agent'] : exchange.meta['ucp']
  if (agent === undefined) return undefined
  return { profile: isRecord(agent) ? agent['profile'] : undefined }
}

/** Leaves out what a platform says about itself: it is not an argument, unless the function has one of that name. */
export function withoutAnnouncement(request: ToolRequest): ToolRequest {
  const given = request.input['meta']
  const announces = isRecord(given) && given['ucp-agent'] !== undefined
  if (!announces || takesMeta(request.tool.target)) return request
  const { meta: _announcement, ...input } = request.input
  return { ...request, input }
}

/** Completes a request that was admitted. */
export function toNegotiated(request: ToolRequest, ucp: JsonObject): ToolRequest {
  const { meta } = request.input
  const key = isRecord(meta) ? meta['idempotency-key'] : undefined
  return {
    ...withoutAnnouncement(request),
    ucp,
    ...(typeof key === 'string' && {
      extensions: [
        {
          urn: extensionUrn('idempotency'),
          options: { key },
          pointer: '/params/arguments/meta/idempotency-key',
          implicit: true,
        },
      ],
    }),
  }
}

/**
 * Adds the capabilities an answer rests on, unless the function has said so itself. Clients check results by their
 * schema, so where it admits nothing else they stand beside the result.
 */
export function withNegotiated(
  ucp: JsonObject,
  result: unknown,
  { results }: Contract,
): { readonly result: unknown; readonly meta?: JsonObject } {
  const isPlain = isRecord(result) && !isPrepared(result) && !isToolContent(result)
  if (isPlain && 'ucp' in result) return { result }
  if (isPlain && results.isOpen) {
    return { result: { ucp, ...result } }
  }
  return { result, meta: { ucp } }
}

/** Writes the answer to a call that was not admitted; throws where the protocol wants an error. */
export function encodeRefusal(refusal: ProtocolRefusal): string {
  if (refusal.kind === 'error') {
    const { code, message, data } = toRpcError(refusal.code, refusal.text)
    throw new McpError(code, message, { data })
  }
  if (refusal.kind === 'busy') {
    const { retryAfterSeconds } = refusal
    throw new McpError(RPC.serverError, BUSY_TEXT, {
      data: { retry_after: retryAfterSeconds },
      status: 503,
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
  const json = JSON.stringify(refusal.body)
  return encodeAnswer({ text: json, structured: json })
}

function takesMeta({ inputSchema }: Target): boolean {
  const { properties } = inputSchema
  return isRecord(properties) && Object.hasOwn(properties, 'meta')
}
