import type { Principal } from '../../core/index.ts'
import type { Maybe } from '../../values/index.ts'
import type { Agent } from './agent.ts'
import type { ContentBlock, ResourceContents } from './encode.ts'

/** Who reads a resource or gets a prompt. */
export interface Reader {
  readonly agent: Agent
  readonly principal: Principal | undefined
  readonly signal: () => AbortSignal
}

/** What reading a resource gives: text, bytes, or contents with URIs of their own. */
export type ResourceReading = string | Uint8Array | readonly ResourceContents[]

/** What is said about a resource in lists. */
export interface ResourceDescription {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** Something agents can read. */
export interface McpResource extends ResourceDescription {
  readonly uri: string
  readonly read: (reader: Reader) => Maybe<ResourceReading>
}

/** A family of resources whose URIs have a common form. */
export interface McpResourceTemplate extends ResourceDescription {
  /** `{name}` stands for one segment of the URI, `{+name}` for anything. */
  readonly uriTemplate: string
  /** Undefined when there is no such resource; absent where `readResource` of the options reads it. */
  readonly read?: (
    variables: Readonly<Record<string, string>>,
    reader: Reader,
  ) => Maybe<ResourceReading | undefined>
  /** Suggests values of a variable that begin like `value`; `given` has those that were chosen before. */
  readonly complete?: (
    variable: string,
    value: string,
    principal?: Principal,
    given?: Readonly<Record<string, string>>,
  ) => Maybe<readonly string[]>
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: ContentBlock
}

/** One argument of a prompt; values are text. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
  /** Suggests values that begin like `value`; `given` has those of arguments that were chosen before. */
  readonly complete?: (
    value: string,
    given: Readonly<Record<string, string>>,
  ) => Maybe<readonly string[]>
}

/** A text with gaps that people choose from a menu of their client. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
  readonly get: (
    values: Readonly<Record<string, string>>,
    reader: Reader,
  ) => Maybe<readonly PromptMessage[]>
}
