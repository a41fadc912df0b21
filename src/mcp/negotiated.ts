import { type Announcement, BUSY_TEXT, type Refusal } from '../capabilities/admission.ts'
import { toRpcError } from '../capabilities/protocol-error.ts'
import { isRecord, type JsonObject } from '../core/json.ts'
import { isPrepared } from '../core/prepared.ts'
import type { Target } from '../core/target.ts'
import { isToolContent } from './content.ts'
import { encodeAnswer } from './encode.ts'
import { McpError, RPC } from './errors.ts'
import type { ToolRequest } from './tool-request.ts'

/** Reads where a platform keeps its profile: `arguments.meta["ucp-agent"]`, or `_meta.ucp` as in 2026-01-11. */
export function readAnnouncement({ input, exchange }: ToolRequest): Announcement | undefined {
  const { meta } = input
  const agent = isRecord(meta) ? meta['ucp-agent'] : exchange.meta['ucp']
  if (agent === undefined) return undefined
  return { profile: isRecord(agent) ? agent['profile'] : undefined }
}

/** Leaves out what a platform says about itself: that is no argument, unless the function has one of that name. */
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
          urn: 'urn:forrst:ext:idempotency',
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
  { outputSchema }: Target,
): { readonly result: unknown; readonly meta?: JsonObject } {
  const isPlain = isRecord(result) && !isPrepared(result) && !isToolContent(result)
  if (isPlain && 'ucp' in result) return { result }
  if (isPlain && outputSchema?.['additionalProperties'] !== false) {
    return { result: { ucp, ...result } }
  }
  return { result, meta: { ucp } }
}

/** Writes the answer to a call that was not admitted; throws where the protocol wants an error. */
export function encodeRefusal(refusal: Refusal): string {
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
