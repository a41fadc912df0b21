import type { JsonObject } from '../values/index.ts'

/** The Forrst protocol version a service speaks and puts into every answer. */
export const PROTOCOL_VERSION = '0.1.0'

/** The protocol versions capabilities list. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION]

/** The protocol object of every answer. */
export const PROTOCOL: { readonly name: 'forrst'; readonly version: string } = {
  name: 'forrst',
  version: PROTOCOL_VERSION,
}

/** A request document as it travels. */
export interface RequestDocument {
  readonly protocol: {
    readonly name: string
    readonly version: string
    readonly [more: string]: unknown
  }
  readonly id: string
  readonly call: {
    readonly function: string
    readonly version?: string | null
    readonly arguments?: JsonObject | null
  }
  readonly context?: JsonObject
  readonly extensions?: readonly RequestExtension[]
}

/** An extension entry of a request. */
export interface RequestExtension {
  readonly urn: string
  readonly options?: JsonObject
  /** `false`: ignore the entry when the server does not know the extension. */
  readonly required?: boolean
}

/** An error as it travels. */
export interface ErrorDocument {
  readonly code: string
  readonly message: string
  readonly source?: { readonly pointer: string } | { readonly position: number }
  readonly details?: JsonObject
}

/** A response document as it travels. */
export interface ResponseDocument {
  readonly protocol: { readonly name: string; readonly version: string }
  readonly id: string | null
  readonly result: unknown
  readonly errors?: readonly [ErrorDocument, ...ErrorDocument[]]
  readonly extensions?: readonly { readonly urn: string; readonly data?: JsonObject }[]
  readonly meta?: JsonObject
}
