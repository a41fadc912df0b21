/** Hints a tool gives about its behaviour. */
export interface Annotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
  readonly [hint: string]: unknown
}

/** A tool as the list shows it. */
export interface ToolSummary {
  readonly name: string
  readonly description: string
  readonly annotations?: Annotations
}

/** JSON Schema, or the two that accept everything and nothing. */
export type Schema = SchemaObject | boolean

/** The keywords the page knows; others are shown as they are. */
export interface SchemaObject {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number | boolean
  readonly exclusiveMaximum?: number | boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema | readonly Schema[]
  readonly prefixItems?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly deprecated?: boolean
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly nullable?: boolean
  readonly contentMediaType?: string
  readonly [keyword: string]: unknown
}

/** A tool with the schema of its arguments. */
export interface ToolDetail extends ToolSummary {
  readonly inputSchema: Schema
  /** The schema as the server wrote it. */
  readonly source: unknown
}

/** One thing that is wrong with the arguments. */
export interface Failure {
  readonly path: string
  readonly message: string
  readonly keyword?: string
}

/** One piece of an answer. */
export interface Content {
  readonly type: string
  readonly text?: unknown
  readonly data?: unknown
  readonly mimeType?: unknown
  readonly [member: string]: unknown
}

/** What a call came to, over either protocol. */
export interface CallAnswer {
  readonly status: number
  readonly elapsed: number
  /** The body as it came. */
  readonly envelope: unknown
  readonly content: readonly Content[]
  readonly structured?: unknown
  readonly isError: boolean
  /** A sentence for what stands between the caller and a result: no token, no permission, no connection. */
  readonly notice?: string
}

/** A value that is on its way, here, or not to be had. */
export type Load<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly reason: string; readonly status?: number }
