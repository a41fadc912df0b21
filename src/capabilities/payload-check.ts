import type { SchemaCheck } from '../core/json-schema.ts'
import { formatPointer } from '../core/pointer.ts'
import type { CallPlanOptions } from './call-plan.ts'
import { schemaUrl } from './intersect.ts'
import type { CallableTransport } from './model.ts'
import type { Operation } from './operations.ts'
import { selectResponseCapabilities } from './request-check.ts'
import { createRequestSchemas, toShapeReference } from './request-schema.ts'
import type { SessionState } from './session.ts'

/** Makes, per operation, what compiles the checks of its arguments. */
export function createPayloadCheck(
  state: Pick<SessionState, 'negotiation' | 'set' | 'loaded'>,
): (operation: Operation) => CallPlanOptions {
  const { negotiation, set, loaded } = state
  const schemas = createRequestSchemas(loaded.files)

  return (operation) => {
    const verb = operation.id.split('_', 1)[0] ?? ''
    const compile = (schema: unknown, transport: CallableTransport): SchemaCheck =>
      tolerant(() => schemas.compile(schema, operation.described[transport]?.document ?? '', verb))
    return {
      protocolVersion: negotiation.protocolVersion ?? '',
      compile,
      compilePayload: (schema, transport) => {
        const added = extensionShapes(operation)
        return compile(
          added.length === 0 ? schema : { allOf: [schema ?? true, ...added] },
          transport,
        )
      },
    }
  }

  // Each active extension adds the shape it has for the root that owns the operation.
  function extensionShapes(operation: Operation): readonly { readonly $ref: string }[] {
    const relevant = selectResponseCapabilities(negotiation, set, operation.id)
    return relevant.flatMap((name) => {
      const entry = negotiation.active.get(name)?.entry
      const platform = negotiation.parties?.platform
      const schema = entry && platform && schemaUrl(name, entry, platform)
      if (schema === undefined || operation.capabilities.includes(name)) return []
      return operation.capabilities
        .filter((root) => schemas.has(schema, formatPointer(['$defs', root])))
        .map((root) => ({ $ref: toShapeReference(schema, root) }))
    })
  }
}

// A broken schema of the business must not keep a caller from calling it.
function tolerant(compile: () => SchemaCheck): SchemaCheck {
  let check: SchemaCheck | undefined
  return (value) => {
    try {
      check ??= compile()
      return check(value)
    } catch {
      return { ok: true, value }
    }
  }
}
