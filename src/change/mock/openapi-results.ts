import type { DiscoveryDocument } from '../../discovery/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import type { ToolDef } from '../../sources/tool-spec/index.ts'
import { isRecord, toText } from '../../values/index.ts'

/** What an operation of an API description is called by. */
type Operation = Pick<ToolDef, 'method' | 'path'>

const MOST_DEPTH = 100

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
    ? Object.fromEntries(
        Object.entries(named).map(([name, schema]) => [name, toJsonSchema(schema, 0)]),
      )
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
        result: { name: 'result', schema: toJsonSchema(schema, 0) as JsonSchema },
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
  const response = resolve(openApi, responses[code])
  const content = memberOf(response, 'content')
  const media = isRecord(content)
    ? Object.entries(content).find(([type]) => /[/+]json\b/.test(type))?.[1]
    : response
  return memberOf(media, 'schema')
}

function resolve(root: Readonly<Record<string, unknown>>, value: unknown): unknown {
  const reference = memberOf(value, '$ref')
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => memberOf(at, name), root)
}

/** Says in JSON Schema what OpenAPI 2.0 and 3.0 say in words of their own. */
function toJsonSchema(value: unknown, depth: number): unknown {
  if (depth > MOST_DEPTH) return true
  if (Array.isArray(value)) return value.map((item) => toJsonSchema(item, depth + 1))
  if (!isRecord(value)) return value
  const { nullable, ...rest } = value
  const entries = Object.entries(rest).flatMap(([key, member]): [string, unknown][] => {
    if (key === '$ref')
      return [[key, toText(member).replace('#/definitions/', '#/components/schemas/')]]
    if (key === 'exclusiveMinimum' && typeof member === 'boolean') return []
    if (key === 'exclusiveMaximum' && typeof member === 'boolean') return []
    if (key === 'required' && typeof member === 'boolean') return []
    if (key === 'type' && nullable === true && typeof member === 'string') {
      return [[key, [member, 'null']]]
    }
    return [[key, key === 'enum' || key === 'example' ? member : toJsonSchema(member, depth + 1)]]
  })
  return Object.fromEntries(entries)
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}
