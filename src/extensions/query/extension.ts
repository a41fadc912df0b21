import {
  type Extension,
  notApplicable,
  type Outcome,
  type Service,
  type Target,
  withFacts,
} from '../../core/index.ts'
import { andThen, extensionUrn, isList, isRecord, type JsonObject } from '../../values/index.ts'
import { toQueryParameters } from './parameters.ts'
import { createQueryParser, type QueryParser } from './parse-query.ts'
import { findDocumentMistake } from './resource.ts'

/** How lists are asked. */
export interface QueryExtensionOptions {
  /**
   * Seals the cursors of pages; all processes of a service need the same one. Without it cursors are opaque and
   * damaged ones are refused, but somebody who knows this library could make one up.
   */
  readonly cursorSecret?: string
}

const URN = extensionUrn('query')

/** Creates the extension that lets callers filter, sort, select, include and page what a function lists. */
export function queryExtension(options: QueryExtensionOptions = {}): Extension {
  const parsers = new WeakMap<Target['definition'], QueryParser>()
  const prepare = (target: Target): QueryParser | undefined => {
    const known = parsers.get(target.definition)
    if (known !== undefined || target.definition.query === undefined) return known
    const parser = toQueryParser(target, options)
    parsers.set(target.definition, parser)
    return parser
  }
  return {
    urn: URN,
    version: '1.0.0',
    phase: 'shape',
    order: -20,
    // It joins nothing; asked at start, this is where a mistake in a definition shows.
    joins(target, service) {
      if (prepare(target) !== undefined) assertNoClash(target, service)
      return false
    },
    parameters(target, attributeSchema) {
      const { name, version, query } = target.definition
      if (query === undefined) return undefined
      return {
        ...toQueryParameters(query, `${name}@${version}`, attributeSchema),
        assertOptions: (given, pointer) =>
          void toQueryParser(target).parse(withoutCursor(given), pointer),
      }
    },
    around(exchange, next) {
      const { call, target, answer, pointer } = exchange
      const parser = prepare(target)
      if (parser === undefined) throw notApplicable({ urn: URN, pointer }, target)
      const plan = parser.parse(exchange.options, pointer)
      answer({ capabilities: parser.capabilities })
      return andThen(next(withFacts(call, { query: plan })), (outcome) => check(target, outcome))
    },
  }
}

/** Cursors are sealed with a secret of the service; the call alone can open one. */
function withoutCursor(options: JsonObject): JsonObject {
  const { pagination } = options
  const hasCursor = isRecord(pagination) && pagination['cursor'] !== undefined
  return hasCursor ? { ...options, pagination: { ...pagination, cursor: null } } : options
}

/** Surfaces without extension entries take both from one object, so no name may mean two things. */
function assertNoClash({ name, version, definition, inputSchema }: Target, { log }: Service): void {
  const { properties } = inputSchema
  const taken = isRecord(properties) ? properties : {}
  const parameters = toQueryParameters(definition.query ?? {}, name).properties
  const clash = Object.keys(parameters).find((parameter) => Object.hasOwn(taken, parameter))
  if (clash === undefined) return
  const message = `${name}@${version}: the argument "${clash}" has the name of a query parameter`
  if (definition.imported !== true) throw new TypeError(`${message}; rename it`)
  log.warn(`${message}, which only Forrst can give`, { function: name })
}

/** Creates the parser of what a function declares; a mistake throws a TypeError at start. */
export function toQueryParser(
  { definition }: Pick<Target, 'definition'>,
  { cursorSecret }: QueryExtensionOptions = {},
): QueryParser {
  const { name, version, query = {}, extensions } = definition
  const declaration = extensions?.find(({ urn }) => urn === URN)
  const timeAttribute = declaration?.['time_attribute']
  if (timeAttribute !== undefined && typeof timeAttribute !== 'string') {
    throw new TypeError(`${name}: time_attribute of ${URN} must be the name of an attribute`)
  }
  return createQueryParser(query, { name: `${name}@${version}`, cursorSecret, timeAttribute })
}

/** A caller who declared the extension relies on the form of resources; anything else is the function's mistake. */
function check({ name, version, definition }: Target, outcome: Outcome): Outcome {
  if (!outcome.ok) return outcome
  const mistake =
    findDocumentMistake(outcome.result) ?? findPageMistake(definition.query, outcome.result)
  if (mistake === undefined) return outcome
  throw new TypeError(`${name}@${version} was called with a query, and its result ${mistake}`)
}

/** Only a list has pages, and the published schema says so. */
function findPageMistake(
  query: Target['definition']['query'],
  result: unknown,
): string | undefined {
  if (query?.pagination === undefined || !isRecord(result) || isList(result['data']))
    return undefined
  return 'data must be a list, since the function declares pagination'
}
