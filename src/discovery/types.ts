import type {
  Components,
  ContentDescriptor,
  Deprecated,
  ErrorDefinition,
  ExamplePairing,
  ExtensionDeclaration,
  ExternalDocs,
  Info,
  Link,
  QueryCapabilities,
  Reference,
  Server,
  Simulation,
  Tag,
} from '../core/description.ts'

/** A function as the discovery document prints it. */
export interface FunctionObject {
  readonly name: string
  readonly version: string
  readonly stability: 'experimental' | 'stable' | 'deprecated'
  readonly summary?: string
  readonly description?: string
  readonly arguments?: readonly (ContentDescriptor | Reference)[]
  readonly result?: ContentDescriptor | Reference
  readonly errors?: readonly (ErrorDefinition | Reference)[]
  readonly tags?: readonly (Tag | Reference)[]
  readonly links?: readonly (Link | Reference)[]
  readonly examples?: readonly (ExamplePairing | Reference)[]
  readonly query?: QueryCapabilities
  readonly sideEffects?: readonly string[]
  readonly deprecated?: Deprecated
  readonly discoverable?: boolean
  readonly simulations?: readonly Simulation[]
  readonly extensions?: readonly ExtensionDeclaration[]
  readonly externalDocs?: ExternalDocs
  readonly [ADDITIONAL_ARGUMENTS]?: boolean
}

/** True for a function that takes further arguments than those listed; seed 000 has no word for it. */
export const ADDITIONAL_ARGUMENTS = 'x-additional-arguments'

/** The description of a whole service. */
export interface DiscoveryDocument {
  readonly forrst: string
  readonly discovery: string
  readonly info: Info
  readonly servers?: readonly Server[]
  readonly functions: readonly FunctionObject[]
  readonly components?: Components
}
