import type {
  AttributeSchema,
  ExtensionEntry,
  ExtensionParameters,
  Service,
  Target,
} from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { PARAMETERS_POINTER } from '../extensions/query/index.ts'
import {
  type JsonSchema,
  listLocalInPlace,
  memberSchema,
  type Problem,
  type Validation,
} from '../schema/index.ts'
import { andThen, extensionUrn, isRecord, type JsonObject, type Maybe } from '../values/index.ts'

/** Everything a caller names in one call, and where each name comes from. */
export interface Parameters {
  /** Arguments and query parameters as one schema, closed where the arguments are. */
  readonly schema: JsonSchema
  /** Query parameters; absent when the function declares no query, or the service has no such extension. */
  readonly query: ExtensionParameters | undefined
  /** Takes the parameters of a query out of what a caller gave; undefined when there is nothing to take out. */
  readonly split: ((given: JsonObject) => Split | undefined) | undefined
  /** Checks what a caller gave as a call would, without running anything. */
  readonly check: (given: unknown) => Maybe<Validation>
}

/** What a caller gave, sorted by origin. */
export interface Split {
  readonly arguments: JsonObject
  readonly entry: ExtensionEntry
}

const QUERY = extensionUrn('query')

/** Derives the parameters of a function. */
export function toParameters(service: Service, target: Target): Parameters {
  const { definition, inputSchema } = target
  // Asked of the extension itself: a service without it does not carry its code.
  const extension = service.extensions.find(({ urn }) => urn === QUERY)
  const all =
    definition.query !== undefined && target.accepts(QUERY)
      ? extension?.parameters?.(target, toAttributeSchema(service, target))
      : undefined
  if (all === undefined) {
    return { schema: inputSchema, query: undefined, split: undefined, check: target.checkInput }
  }
  const taken = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
  // A function of ours with such a clash does not start; one from elsewhere keeps its argument.
  const properties = Object.fromEntries(
    Object.entries(all.properties).filter(([name]) => !Object.hasOwn(taken, name)),
  )
  const names = Object.keys(properties)
  const query: ExtensionParameters = { ...all, properties }
  const split = (given: JsonObject): Split | undefined => {
    if (!names.some((name) => Object.hasOwn(given, name))) return undefined
    const entries = Object.entries(given)
    const own = entries.filter(([name]) => !names.includes(name))
    const values = entries.filter(([name]) => names.includes(name))
    return {
      arguments: Object.fromEntries(own),
      entry: toQueryEntry(query.toOptions(Object.fromEntries(values))),
    }
  }
  return {
    schema: { ...inputSchema, type: 'object', properties: { ...taken, ...properties } },
    query,
    split,
    check: (given) => {
      const found = isRecord(given) ? split(given as JsonObject) : undefined
      if (found === undefined) return target.checkInput(given)
      const problems = findQueryProblems(query, found.entry.options)
      return andThen(target.checkInput(found.arguments), (checked) => {
        const [first, ...rest] = [...(checked.ok ? [] : checked.problems), ...problems]
        return first === undefined ? checked : { ok: false, problems: [first, ...rest] }
      })
    },
  }
}

function findQueryProblems(
  { assertOptions }: ExtensionParameters,
  options: JsonObject,
): readonly Problem[] {
  try {
    assertOptions(options, PARAMETERS_POINTER)
    return []
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    return thrown.errors.map(({ message, source }) => ({
      pointer: source && 'pointer' in source ? source.pointer.slice(PARAMETERS_POINTER.length) : '',
      code: 'query',
      message,
    }))
  }
}

/** Makes the entry of a query that was given as parameters. */
export function toQueryEntry(options: JsonObject): ExtensionEntry {
  return { urn: QUERY, options, pointer: PARAMETERS_POINTER }
}

/** Finds what an attribute holds: in the resource of the function's first word, or in what the function gives. */
function toAttributeSchema({ components }: Service, target: Target): AttributeSchema {
  const { resources = {} } = components
  const [first = ''] = target.name.split('.')
  const own = Object.hasOwn(resources, first) ? resources[first] : undefined
  const root: JsonSchema = { ...target.outputSchema, components }
  const records = target.outputSchema ? listRecords(target.outputSchema, root) : []
  return (resource, attribute) => {
    const type = resource === 'self' ? undefined : own?.relationships?.[resource]?.resource
    const described = resource === 'self' ? own : type === undefined ? undefined : resources[type]
    const found: unknown =
      described?.attributes[attribute]?.schema ??
      (resource === 'self'
        ? records.map((one) => memberSchema(one, attribute)).find(isRecord)
        : undefined)
    return listLocalInPlace([found], root).find(({ type: known }) => known !== undefined)
  }
}

/** Lists the schemas of what a list holds, whether records or resources. */
function listRecords(output: unknown, root: JsonSchema, depth = 0): readonly JsonSchema[] {
  return listLocalInPlace([output], root).flatMap((schema) => {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    const inner = [schema['items'], properties['data'], properties['attributes']].filter(isRecord)
    if (depth > 4) return []
    return [schema, ...inner.flatMap((one) => listRecords(one, root, depth + 1))]
  })
}
