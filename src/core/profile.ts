import type { JsonObject } from './json.ts'

/** A negotiable capability of a service; its operations are written by Waymark, from the functions that name it. */
export interface ProfileCapability {
  readonly name: string
  readonly schema?: string
  readonly spec?: string
  readonly version?: string
  /** The capabilities it extends; such a one has no operations of its own. */
  readonly extends?: readonly string[]
  readonly config?: JsonObject
}

/** How a service presents itself to platforms, wherever it runs. */
export interface ProfileDefinition {
  /** Protocol version, a date such as `2026-04-08`. */
  readonly version: string
  /** Reverse-domain name of the service: `com.example.events`. */
  readonly service: string
  readonly capabilities: readonly ProfileCapability[]
  readonly paymentHandlers?: JsonObject
  readonly supportedVersions?: Readonly<Record<string, string>>
  readonly keys?: readonly JsonObject[]
  /** What happens to a call whose capability was not negotiated; `refuse` when absent. */
  readonly enforce?: 'refuse' | 'warn'
}
