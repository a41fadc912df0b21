import type { Json, JsonObject } from '../core/json.ts'

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

/** Tells whether a result is content blocks. */
export function isToolContent(result: unknown): result is ToolContent {
  return typeof result === 'object' && result !== null && marked in result
}
