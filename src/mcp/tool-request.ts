import type { ExtensionEntry } from '../core/call.ts'
import type { JsonObject } from '../core/json.ts'
import type { FunctionTool } from './catalogue.ts'
import type { Exchange } from './exchange.ts'

/** A tool that a client asks for, with its arguments. */
export interface ToolRequest {
  readonly exchange: Exchange
  readonly tool: FunctionTool
  readonly input: JsonObject
  /** Entries besides those of the request's `_meta`. */
  readonly extensions?: readonly ExtensionEntry[]
  /** The negotiated capabilities that the answer rests on. */
  readonly ucp?: JsonObject
}
