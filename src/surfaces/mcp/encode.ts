import { isPrepared } from '../../core/index.ts'
import type { CallErrorShape } from '../../errors/index.ts'
import type { Json, JsonObject } from '../../values/index.ts'
import { toData } from './errors.ts'
import { type Era, META, OWN_META, type RequestId } from './protocol.ts'

/** One block of what a tool or prompt gives: text, image, audio, a resource or a link to one. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly [member: string]: unknown }
  | {
      readonly type: 'image' | 'audio'
      /** base64 */
      readonly data: string
      readonly mimeType: string
      readonly [member: string]: unknown
    }
  | {
      readonly type: 'resource'
      readonly resource: ResourceContents
      readonly [member: string]: unknown
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly [member: string]: unknown
    }

/** The contents of a resource: text, or base64 in `blob`. */
export type ResourceContents =
  | {
      readonly uri: string
      readonly mimeType?: string
      readonly text: string
      readonly _meta?: JsonObject
    }
  | {
      readonly uri: string
      readonly mimeType?: string
      readonly blob: string
      readonly _meta?: JsonObject
    }

/** A result that agents get as it is; other surfaces see an object with `content`. */
export interface ToolContent {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly [marked]: true
}

// Registered, so that sources can mark results without knowing this surface.
const marked: unique symbol = Symbol.for('waymark tool content')

/** Gives a function's result as content blocks: pictures, sound, files, several texts. */
export function toolContent(
  content: readonly ContentBlock[],
  structuredContent?: Json,
): ToolContent {
  return {
    content,
    ...(structuredContent !== undefined && { structuredContent }),
    [marked]: true,
  }
}

/** What a remote tool gave besides its value. */
export interface ToolExtras {
  readonly meta?: JsonObject
  /** Blocks that say more than the value. */
  readonly content?: readonly ContentBlock[]
}

const extras: unique symbol = Symbol.for('waymark tool extras')

/** Reads what a remote tool gave besides its value. */
export function extrasOf(result: unknown): ToolExtras | undefined {
  return typeof result === 'object' && result !== null && extras in result
    ? (result as { readonly [extras]: ToolExtras })[extras]
    : undefined
}

/** Tells whether a result is content blocks. */
export function isToolContent(result: unknown): result is ToolContent {
  return typeof result === 'object' && result !== null && marked in result
}

/** Who a server says it is. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
}

/** Writes results the way each era wants them. */
export interface ResultWriter {
  /** Completes members of a result, given without braces. */
  readonly complete: (era: Era, members: string, meta?: JsonObject) => string
  /** The same for what clients may keep for a while. */
  readonly cacheable: (era: Era, members: string, ttlMs: number) => string
}

/** Creates the writer of one server; `scope` says who may share what it sends. */
export function createResultWriter(
  server: Implementation,
  scope: 'public' | 'private',
): ResultWriter {
  const identity = `"${META.server}":${JSON.stringify(server)}`
  const complete: ResultWriter['complete'] = (era, members, meta) => {
    const extra = meta === undefined ? '' : JSON.stringify(meta).slice(1, -1)
    const before = members === '' ? '' : `${members},`
    if (era === 'modern') {
      const tail = extra === '' ? identity : `${identity},${extra}`
      return `{${before}"resultType":"complete","_meta":{${tail}}}`
    }
    return extra === '' ? `{${members}}` : `{${before}"_meta":{${extra}}}`
  }
  return {
    complete,
    cacheable: (era, members, ttlMs) =>
      era === 'legacy'
        ? `{${members}}`
        : complete(era, `${members},"ttlMs":${ttlMs},"cacheScope":"${scope}"`),
  }
}

/** Writes the answer to a request. */
export function encodeResultMessage(id: RequestId, result: string): string {
  return typeof id === 'number'
    ? `{"jsonrpc":"2.0","id":${id},"result":${result}}`
    : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
}

/** What a successful call comes to: what a model reads, and the same as data where the era can say it. */
export interface ToolAnswer {
  /** Text of the only content block; absent when `content` has them all. */
  readonly text?: string
  /** JSON of content blocks. */
  readonly content?: string
  /** JSON of the structured content. */
  readonly structured?: string | undefined
}

/** Gives a result as text for a model, and as data; `described` when the tool promises its shape. */
export function toToolAnswer(result: unknown, era: Era, described: boolean): ToolAnswer {
  // Before 2026 only objects can be structured content.
  const asData = (json: string) =>
    json.startsWith('{') || (era === 'modern' && described) ? json : undefined
  if (isToolContent(result)) {
    const { content, structuredContent } = result
    return {
      content: stringify(content),
      structured:
        structuredContent === undefined ? undefined : asData(stringify(structuredContent)),
    }
  }
  const json = stringify(result)
  return { text: typeof result === 'string' ? result : json, structured: asData(json) }
}

/** Writes the members of a tool result. */
export function encodeAnswer({ text, content, structured }: ToolAnswer): string {
  const blocks = content ?? `[{"type":"text","text":${JSON.stringify(text ?? '')}}]`
  return structured === undefined
    ? `"content":${blocks}`
    : `"content":${blocks},"structuredContent":${structured}`
}

/** Writes the members of a tool result that tells a model what went wrong. */
export function encodeToolError(text: string): string {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`
}

/** Says in words what went wrong, one line per finding. */
export function describeErrors(errors: readonly CallErrorShape[]): string {
  return errors.map(describeError).join('\n')
}

function describeError({ code, message, details }: CallErrorShape): string {
  const { constraint: _constraint, ...facts } = details ?? {}
  const known = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : ''
  return `${code}: ${message}${known}`
}

/** Gives errors as data for programs. */
export function toErrorMeta(errors: readonly CallErrorShape[]): JsonObject {
  return { [OWN_META.errors]: errors.map(toData) }
}

function stringify(value: unknown): string {
  if (isPrepared(value)) return value.json
  return JSON.stringify(value) ?? 'null'
}
