import { isStandardSchema, type JsonSchema, toStandardJsonSchema } from '../../schema/index.ts'
import { isList, isRecord } from '../../values/index.ts'
import type { HttpResponse } from '../../wire/index.ts'
import { JSON_HEADERS } from './errors.ts'
import type { Tool, ToolCallOutcome, ToolCallResult, ToolContentBlock } from './tool.ts'

/** A tool as lists show it; `annotations` is absent when there are none, never null. */
export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** A tool with the schema of its arguments. */
export interface ToolDetail extends ToolSummary {
  readonly inputSchema: JsonSchema | boolean
}

/** Gives what a list says about a tool. */
export function toSummary(tool: Tool): ToolSummary {
  const annotations = toAnnotations(tool.annotations)
  return {
    name: tool.name,
    description: typeof tool.description === 'string' ? tool.description : '',
    ...(annotations && { annotations }),
  }
}

/** Gives everything there is to say about a tool. */
export function toDetail(tool: Tool): ToolDetail {
  return { ...toSummary(tool), inputSchema: toArgumentsSchema(tool) }
}

/** Gives the JSON Schema of a tool's arguments; a missing one accepts everything. */
export function toArgumentsSchema(tool: Tool): JsonSchema | boolean {
  const schema = tool.inputSchema
  if (schema === undefined || schema === null) return {}
  if (typeof schema === 'boolean') return schema
  return isStandardSchema(schema) ? toStandardJsonSchema(schema, 'input') : schema
}

/** Writes any value as a JSON answer. */
export function encodeJson(value: unknown, status = 200): HttpResponse {
  return { status, headers: JSON_HEADERS, body: JSON.stringify(value) }
}

/** Writes the answer to a body that is not JSON. */
export function encodeUnreadable(reason: string): HttpResponse {
  const failure = { path: '', message: `Invalid JSON: ${reason}`, keyword: 'format' }
  return encodeJson({ valid: false, errors: [failure] }, 400)
}

/** Writes the result of a call: an error of the tool is a 500. */
export function encodeCallResult(result: ToolCallResult): HttpResponse {
  return encodeJson(result, result.isError ? 500 : 200)
}

/** Reads what a call handler returned, in either of its two shapes. */
export function toCallResult(outcome: ToolCallOutcome): ToolCallResult {
  if (isList(outcome)) {
    const [content, isError, traceId] = outcome
    return {
      content: assertContent(content),
      isError,
      ...(traceId && { _meta: { _trace_id: traceId } }),
    }
  }
  if (!isRecord(outcome)) throw new TypeError('the call handler must return [content, isError]')
  const { content, isError = false, structuredContent, _meta } = outcome
  return {
    content: assertContent(content),
    ...(structuredContent !== undefined && { structuredContent }),
    isError,
    ...(_meta && { _meta }),
  }
}

function assertContent(content: readonly ToolContentBlock[]): readonly ToolContentBlock[] {
  if (isList(content)) return content
  throw new TypeError('the call handler must return its content as an array')
}

/** Null hints say nothing; an object of nothing is nothing. */
function toAnnotations(
  annotations: object | null | undefined,
): Record<string, unknown> | undefined {
  if (!annotations) return undefined
  const plain: object = hasToJson(annotations) ? annotations.toJSON() : annotations
  const known = Object.entries(plain).filter(([, value]) => value !== null && value !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

function hasToJson(value: object): value is { readonly toJSON: () => object } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}
