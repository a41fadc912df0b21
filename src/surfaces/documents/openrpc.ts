import { type Contract, createContracts, selectDefault } from '../../contract/index.ts'
import {
  type ContentDescriptor,
  EVERYTHING,
  type Reference,
  resolveReference,
  type Service,
  type Tag,
  type Target,
  toToolName,
  type View,
} from '../../core/index.ts'
import { createSchemaCollection, REQUIRED_SCOPES, toFunctionObject } from '../../discovery/index.ts'
import { resolveCode } from '../../errors/index.ts'
import { type JsonSchema, toDraft7 } from '../../schema/index.ts'

/** An OpenRPC document, as far as this module builds one. */
export interface OpenRpcDocument {
  readonly openrpc: '1.3.2'
  readonly info: object
  readonly methods: readonly { readonly name: string; readonly [member: string]: unknown }[]
  readonly components: object
}

/** Builds the OpenRPC document of a service: one method per function, under the name agents call it by. */
export function buildOpenRpc(service: Service, view: View = EVERYTHING): OpenRpcDocument {
  const schemas = createSchemaCollection(service.components.schemas ?? {}, toDraft7, view)
  const methods = createContracts(service)
    .list({ view })
    .filter(({ target }) => isCalledWithoutVersion(service, target))
    .map((contract) => toMethod(service, contract, schemas.move))
  return {
    openrpc: '1.3.2',
    info: service.info,
    methods,
    components: { schemas: schemas.collected() },
  }
}

/** A method has no version: the one a call without version reaches speaks for the function. */
function isCalledWithoutVersion({ registry }: Service, target: Target): boolean {
  const entry = registry.find(target.name)
  return entry !== undefined && selectDefault(entry) === target
}

function toMethod(
  service: Service,
  contract: Contract,
  move: (schema: JsonSchema) => JsonSchema,
): OpenRpcDocument['methods'][number] {
  const { components } = service
  const { target, errors, scopes } = contract
  const object = toFunctionObject(contract, move)
  const descriptor = (value: ContentDescriptor | Reference): ContentDescriptor | undefined => {
    const resolved = resolveReference(value, components, 'contentDescriptors')
    return resolved && { ...resolved, schema: toDraft7(move(resolved.schema)) }
  }
  const tags = (object.tags ?? []).flatMap((tag) => resolveReference(tag, components, 'tags') ?? [])
  return {
    name: toToolName(target.name),
    ...(object.summary !== undefined && { summary: object.summary }),
    ...(object.description !== undefined && { description: object.description }),
    ...(tags.length > 0 && { tags: tags.map(toTag) }),
    ...(object.deprecated && { deprecated: true }),
    paramStructure: 'by-name',
    // OpenRPC wants required parameters before optional ones.
    params: (object.arguments ?? [])
      .flatMap((argument) => descriptor(argument) ?? [])
      .sort((left, right) => Number(right.required ?? false) - Number(left.required ?? false)),
    result: (object.result && descriptor(object.result)) ?? { name: 'result', schema: {} },
    ...(errors.length > 0 && {
      errors: errors.map(({ code, message }) => ({
        code: resolveCode(code).rpc,
        message,
        data: { code },
      })),
    }),
    ...(scopes.length > 0 && { [REQUIRED_SCOPES]: scopes }),
    'x-function': { name: target.name, version: target.version },
  }
}

/** OpenRPC 1.3 knows no summary of a tag. */
function toTag({ name, summary, description, externalDocs }: Tag): object {
  const text = description ?? summary
  return {
    name,
    ...(text !== undefined && { description: text }),
    ...(externalDocs && { externalDocs }),
  }
}
