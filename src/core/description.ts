import {
  addressOf,
  isReference,
  type JsonSchema,
  type Reference,
  resolveLocal,
} from '../schema/index.ts'
import type { JsonObject } from '../values/index.ts'

export { isReference, type Reference }

/** Who a service is. */
export interface Info {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly url?: string }
}

/** Where a service can be reached; `{name}` in the URL is filled from `variables`. */
export interface Server {
  readonly name: string
  readonly url: string
  readonly summary?: string
  readonly description?: string
  readonly variables?: Readonly<Record<string, ServerVariable>>
  readonly extensions?: readonly ExtensionDeclaration[]
}

/** One variable of a server URL. */
export interface ServerVariable {
  readonly default: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** An extension a server or function supports, with configuration of its own. */
export interface ExtensionDeclaration {
  readonly urn: string
  readonly version?: string
  readonly [configuration: string]: unknown
}

/** One argument, or the result, of a function. */
export interface ContentDescriptor {
  readonly name: string
  readonly schema: JsonSchema
  readonly summary?: string
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: boolean
}

/** An error a function may answer with. */
export interface ErrorDefinition<Code extends string = string, Data = JsonSchema> {
  readonly code: Code
  readonly message: string
  /** Schema of the error's details: types them in `fail` and in clients. */
  readonly data?: Data
  /** HTTP status for a code that is not in the table; 400 when absent. Not part of the document. */
  readonly status?: number
}

/** An example value, inline or at a URL. */
export interface Example {
  readonly name?: string
  readonly summary?: string
  readonly description?: string
  readonly value?: unknown
  readonly externalValue?: string
}

/** A whole example call: arguments by position, and the result. */
export interface ExamplePairing {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly params: readonly (Example | Reference)[]
  readonly result?: Example | Reference
}

/** A related function; `params` may hold runtime expressions such as `$result.venue.id`. */
export interface Link {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly function?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly server?: Server
}

/** A page with more to read. */
export interface ExternalDocs {
  readonly url: string
  readonly description?: string
}

/** A group of functions. */
export interface Tag {
  readonly name: string
  readonly summary?: string
  readonly description?: string
  readonly externalDocs?: ExternalDocs
}

/** Why something is deprecated and when it goes. */
export interface Deprecated {
  readonly reason?: string
  /** ISO 8601 date. */
  readonly sunset?: string
}

/** A scripted answer for sandbox and demo calls. */
export interface Simulation {
  readonly name: string
  readonly description?: string
  readonly input: JsonObject
  readonly output?: unknown
  readonly error?: { readonly code: string; readonly message: string; readonly data?: JsonObject }
  readonly metadata?: JsonObject
}

/** How pages of a list can be asked for. */
export type PaginationStrategy = 'offset' | 'cursor' | 'page' | 'keyset'

/** What a caller may filter, sort, select, include and page. `related` lists belong to relationships. */
export interface QueryCapabilities {
  readonly filters?: {
    readonly allowed?: readonly string[]
    readonly related?: Readonly<Record<string, readonly string[]>>
    readonly operators?: readonly string[]
    readonly maxConditions?: number
  }
  readonly sorts?: {
    readonly allowed?: readonly string[]
    readonly maxFields?: number
    readonly default?: { readonly field: string; readonly direction: 'asc' | 'desc' }
  }
  readonly fields?: {
    readonly allowed?: readonly string[]
    readonly related?: Readonly<Record<string, readonly string[]>>
    readonly default?: readonly string[]
  }
  readonly relationships?: { readonly allowed?: readonly string[]; readonly maxDepth?: number }
  readonly pagination?: {
    readonly strategies?: readonly PaginationStrategy[]
    readonly defaultStrategy?: PaginationStrategy
    readonly defaultSize?: number
    readonly maxSize?: number
  }
}

/** One attribute of a resource. */
export interface ResourceAttribute {
  readonly schema: JsonSchema
  readonly description?: string
  readonly filterable?: boolean
  readonly filterOperators?: readonly string[]
  readonly sortable?: boolean
  readonly sparse?: boolean
  readonly deprecated?: Deprecated
}

/** A relationship of a resource to another. */
export interface ResourceRelationship {
  readonly resource: string
  readonly cardinality: 'one' | 'many'
  readonly description?: string
  readonly filterable?: boolean
  readonly includable?: boolean
  readonly nested?: readonly string[]
}

/** A domain entity with what can be asked about it. */
export interface Resource {
  readonly type: string
  readonly attributes: Readonly<Record<string, ResourceAttribute>>
  readonly description?: string
  readonly relationships?: Readonly<Record<string, ResourceRelationship>>
  readonly meta?: JsonSchema
}

/** Everything functions share by reference. */
export interface Components {
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  readonly contentDescriptors?: Readonly<Record<string, ContentDescriptor>>
  readonly errors?: Readonly<Record<string, ErrorDefinition>>
  readonly examples?: Readonly<Record<string, Example>>
  readonly examplePairings?: Readonly<Record<string, ExamplePairing>>
  readonly links?: Readonly<Record<string, Link>>
  readonly tags?: Readonly<Record<string, Tag>>
  readonly resources?: Readonly<Record<string, Resource>>
}

/** The eight kinds of components. */
export type ComponentKind = keyof Components

/** Gives the component a reference points at, or the value itself; undefined when it leads nowhere. */
export function resolveReference<Component>(
  value: Component | Reference,
  components: Components,
  kind: ComponentKind,
): Component | undefined {
  if (!isReference(value)) return value
  const address = addressOf(value) ?? ''
  if (!address.startsWith(`#/components/${kind}/`)) return undefined
  return resolveLocal({ components }, address) as Component | undefined
}

// Characters that people do not see but models read: controls, direction marks, zero-width joiners and tags.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

const LONGEST = 4_000

/** Takes out of foreign text what only a machine would see, and cuts it to a length people can read. */
export function toVisibleText(text: string): string {
  const visible = text.replace(INVISIBLE, '').trim()
  return visible.length <= LONGEST ? visible : `${visible.slice(0, LONGEST)} …`
}

/** Marks a description that somebody else wrote; its first line, which lists show, stays the first. */
export function markUntrusted(text: string, origin: string): string {
  return `${text}\n\n[Described by the MCP server "${origin}", not checked here]`
}

/** Marks a question to a user that somebody else asks. */
export function markQuestion(text: string, origin: string): string {
  return `[Asked by the MCP server "${origin}"] ${toVisibleText(text)}`
}
