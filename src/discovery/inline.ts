import type { Components, Reference, Server } from '../core/description.ts'
import { type ComponentKind, resolveReference } from '../core/reference.ts'
import { inlineReferences } from '../core/schema-references.ts'
import type { Target } from '../core/target.ts'
import { toFunctionObject } from './function-object.ts'
import type { FunctionObject } from './types.ts'

/** Writes one function so that it can be read alone: every reference replaced, extension versions filled in. */
export function toStandaloneFunction(
  target: Target,
  components: Components,
  extensionVersions: ReadonlyMap<string, string>,
): FunctionObject {
  const schemas = components.schemas ?? {}
  const object = toFunctionObject(target, (schema) => inlineReferences(schema, schemas))
  const resolve = <Component>(kind: ComponentKind, values: readonly (Component | Reference)[]) =>
    values.flatMap((value) => resolveReference<Component>(value, components, kind) ?? [])
  const { arguments: described, result, errors, tags, links, examples, extensions } = object
  return {
    ...object,
    ...(described && {
      arguments: resolve('contentDescriptors', described).map((descriptor) => ({
        ...descriptor,
        schema: inlineReferences(descriptor.schema, schemas),
      })),
    }),
    ...(result && inlineResult(result, components)),
    ...(errors && {
      errors: resolve('errors', errors).map(({ status: _status, ...error }) => error),
    }),
    ...(tags && { tags: resolve('tags', tags) }),
    ...(links && { links: resolve('links', links) }),
    ...(examples && {
      examples: resolve('examplePairings', examples).map((pairing) => ({
        ...pairing,
        params: resolve('examples', pairing.params),
      })),
    }),
    ...(extensions && {
      extensions: extensions.map((declaration) => inheritVersion(declaration, extensionVersions)),
    }),
  }
}

/** Lists the versions that function-level declarations inherit. */
export function toExtensionVersions(
  enabled: readonly { readonly urn: string; readonly version: string }[],
  servers: readonly Server[],
): ReadonlyMap<string, string> {
  const declared = servers.flatMap(({ extensions }) => extensions ?? [])
  return new Map(
    [...enabled, ...declared].flatMap(({ urn, version }) =>
      version === undefined ? [] : [[urn, version] as const],
    ),
  )
}

function inlineResult(
  result: NonNullable<FunctionObject['result']>,
  components: Components,
): Pick<FunctionObject, 'result'> {
  const descriptor = resolveReference(result, components, 'contentDescriptors')
  if (descriptor === undefined) return {}
  const schema = inlineReferences(descriptor.schema, components.schemas ?? {})
  return { result: { ...descriptor, schema } }
}

function inheritVersion<Declaration extends { readonly urn: string; readonly version?: string }>(
  declaration: Declaration,
  versions: ReadonlyMap<string, string>,
): Declaration {
  const version = declaration.version ?? versions.get(declaration.urn)
  return version === undefined ? declaration : { ...declaration, version }
}
