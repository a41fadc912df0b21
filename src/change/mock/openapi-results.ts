import type { DiscoveryDocument } from '../../discovery/index.ts'
import { followReference, fromOpenApi, type JsonSchema } from '../../schema/index.ts'
import type { ToolDef } from '../../sources/tool-spec/index.ts'
import { isRecord } from '../../values/index.ts'

/** What an operation of an API description is called by. */
type Operation = Pick<ToolDef, 'method' | 'path'>

/**
 * Adds to functions made from an API description what their operations answer: a tool spec does not say it, and a
 * mock has nothing else to make results from. `operations` are those behind the functions, by name.
 */
export function addResponses(
  document: DiscoveryDocument,
  openApi: Readonly<Record<string, unknown>>,
  operations: ReadonlyMap<string, Operation>,
): DiscoveryDocument {
  const { components, definitions } = openApi
  const named = isRecord(components) ? components['schemas'] : definitions
  const schemas = isRecord(named)
    ? Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, fromOpenApi(schema)]))
    : {}
  return {
    ...document,
    components: {
      ...document.components,
      schemas: { ...(schemas as Record<string, JsonSchema>), ...document.components?.schemas },
    },
    functions: document.functions.map((object) => {
      const operation = operations.get(object.name)
      const schema = operation && findResponse(openApi, operation)
      if (!isRecord(schema) || object.result !== undefined) return object
      return {
        ...object,
        result: { name: 'result', schema: fromOpenApi(schema) as JsonSchema },
      }
    }),
  }
}

function findResponse(
  openApi: Readonly<Record<string, unknown>>,
  { method = 'GET', path = '' }: Operation,
): unknown {
  const item = memberOf(openApi['paths'], path)
  const responses = memberOf(memberOf(item, String(method).toLowerCase()), 'responses')
  if (!isRecord(responses)) return undefined
  const code = Object.keys(responses).find((key) => /^2/.test(key)) ?? 'default'
  const response = followReference(responses[code], openApi)
  const content = memberOf(response, 'content')
  const media = isRecord(content)
    ? Object.entries(content).find(([type]) => /[/+]json\b/.test(type))?.[1]
    : response
  return memberOf(media, 'schema')
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
