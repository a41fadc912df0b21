import type { Registry, Target } from '../../core/index.ts'
import { type JsonSchema, listApplied, resolveLocal } from '../../schema/index.ts'
import {
  canonicalUrn,
  extensionUrn,
  isRecord,
  type JsonObject,
  toText,
} from '../../values/index.ts'

/** A member that a schema marks as deprecated. */
export interface DeprecatedMember {
  /** Names from the root; `*` stands for every item of a list. */
  readonly path: readonly string[]
  readonly description: string | undefined
}

const MAX_DEPTH = 12
const MAX_MEMBERS = 200

/** Lists the members that a schema marks with `deprecated: true`. */
export function collectDeprecated(schema: JsonSchema | undefined): readonly DeprecatedMember[] {
  const found = new Map<string, DeprecatedMember>()

  function visit(node: unknown, path: readonly string[], depth: number): void {
    if (!isRecord(node) || depth > MAX_DEPTH || found.size >= MAX_MEMBERS) return
    if (node['deprecated'] === true && path.length > 0) {
      const { description } = node
      found.set(path.join('.'), {
        path,
        description: typeof description === 'string' ? description : undefined,
      })
      return
    }
    const { properties, items } = node
    for (const [name, member] of Object.entries(isRecord(properties) ? properties : {})) {
      visit(member, [...path, name], depth + 1)
    }
    if (isRecord(items)) visit(items, [...path, '*'], depth + 1)
    for (const part of listApplied(node, (ref) => resolveLocal(schema, ref)))
      visit(part, path, depth + 1)
  }

  visit(schema, [], 0)
  return [...found.values()]
}

/** Tells whether a value has the member at a path. */
export function hasMember(value: unknown, path: readonly string[], from = 0): boolean {
  const name = path[from]
  if (name === undefined) return value !== undefined
  if (name === '*') {
    return Array.isArray(value) && value.some((item) => hasMember(item, path, from + 1))
  }
  return isRecord(value) && Object.hasOwn(value, name) && hasMember(value[name], path, from + 1)
}

/** The extension whose declarations on functions are read here. */
export const DEPRECATION_URN: string = extensionUrn('deprecation')

/** What is said about one deprecated thing. */
interface DeprecationNote {
  readonly message?: string
  readonly sunset?: string
  /** What to use instead, such as `{ function, version }` or `{ argument, mapping }`. */
  readonly replacement?: JsonObject
  /** Address of a page that helps with the move. */
  readonly documentation?: string
}

/** What a function's definition may add about its deprecation, under `extensions`, beside the URN. */
export interface DeprecationDeclaration extends DeprecationNote {
  /** ISO 8601 date; since when the version is deprecated. */
  readonly since?: string
  /** Notes about deprecated arguments, by dotted path. */
  readonly arguments?: Readonly<Record<string, DeprecationNote>>
  /** Notes about deprecated members of the result, by dotted path. */
  readonly fields?: Readonly<Record<string, DeprecationNote>>
}

/** The warning about one deprecated argument or member of the result. */
interface MemberWarning {
  readonly path: readonly string[]
  readonly warning: JsonObject
}

/** Everything about a function version that can be said before anybody calls it. */
export interface DeprecationNotice {
  readonly declaration: DeprecationDeclaration
  readonly arguments: readonly MemberWarning[]
  readonly fields: readonly MemberWarning[]
}

/** Collects what a definition and its schemas say about deprecation; throws when a declaration is wrong. */
export function toNotice(target: Target): DeprecationNotice {
  const declaration = readDeprecationDeclaration(target)
  const { arguments: ofArguments = {}, fields: ofFields = {} } = declaration
  return {
    declaration,
    arguments: deprecatedArguments(target).map((member) =>
      toMemberWarning(target, 'argument', member, ofArguments),
    ),
    fields: collectDeprecated(target.outputSchema).map((member) =>
      toMemberWarning(target, 'field', member, ofFields),
    ),
  }
}

/** Words the warning about a deprecated version, or about the function when no version is left. */
export function toVersionWarning(
  { name, version, definition }: Target,
  declaration: DeprecationDeclaration,
  registry: Registry,
): JsonObject {
  const entry = registry.find(name)
  const whole = entry?.ordered.every((other) => other.definition.deprecated) ?? true
  const better = entry?.recommended
  const replacement =
    declaration.replacement ??
    (better && !better.definition.deprecated && { function: name, version: better.version })
  const { reason, sunset } = definition.deprecated ?? {}
  return {
    urn: whole ? `deprecation:${name}` : `deprecation:${name}:v${version}`,
    type: whole ? 'function' : 'version',
    target: whole ? name : `${name}@${version}`,
    ...encodeNote({
      message: declaration.message ?? reason ?? `${name}@${version} is deprecated`,
      ...(sunset !== undefined && { sunset }),
      ...(replacement && { replacement }),
      ...(declaration.documentation && { documentation: declaration.documentation }),
    }),
  }
}

/** Arguments are marked in the schema, or in the list that discovery prints. */
function deprecatedArguments({ definition, inputSchema }: Target): readonly DeprecatedMember[] {
  const listed = (definition.arguments ?? []).flatMap((argument) =>
    'name' in argument && argument.deprecated === true
      ? [{ path: [argument.name], description: argument.description }]
      : [],
  )
  const known = new Set(listed.map(({ path }) => path[0]))
  return [
    ...listed,
    ...collectDeprecated(inputSchema).filter(({ path }) => path.length > 1 || !known.has(path[0])),
  ]
}

function toMemberWarning(
  { name, version }: Target,
  type: 'argument' | 'field',
  { path, description }: DeprecatedMember,
  notes: Readonly<Record<string, DeprecationNote>>,
): MemberWarning {
  const label = path.filter((segment) => segment !== '*').join('.')
  const place = type === 'argument' ? `arguments.${label}` : `result.${label}`
  const note = Object.hasOwn(notes, label) ? notes[label] : undefined
  const fallback = `The '${label}' ${type} of ${name} is deprecated`
  return {
    path,
    warning: {
      urn: `deprecation:${name}:v${version}:${place}`,
      type,
      target: type === 'argument' ? `${name}:${place}` : place,
      ...encodeNote({ ...note, message: note?.message ?? description ?? fallback }),
    },
  }
}

function encodeNote({ message, sunset, replacement, documentation }: DeprecationNote): JsonObject {
  return {
    ...(message !== undefined && { message }),
    ...(sunset !== undefined && { sunset_date: sunset }),
    ...(replacement && { replacement }),
    ...(documentation !== undefined && { documentation }),
  }
}

/** Reads what a function says about its deprecation; a mistake throws a TypeError at start. */
export function readDeprecationDeclaration({
  name,
  definition,
}: Pick<Target, 'name' | 'definition'>): DeprecationDeclaration {
  const found = definition.extensions?.find(({ urn }) => canonicalUrn(urn) === DEPRECATION_URN)
  if (found === undefined) return {}
  const { since, documentation, replacement } = found
  const wrong = (field: string, expected: string) =>
    new TypeError(`function ${name}: the deprecation declaration's ${field} must be ${expected}`)
  if (since !== undefined && (typeof since !== 'string' || Number.isNaN(Date.parse(since)))) {
    throw wrong('since', 'an ISO 8601 date')
  }
  if (documentation !== undefined && !URL.canParse(toText(documentation))) {
    throw wrong('documentation', 'a URL')
  }
  if (replacement !== undefined && !isRecord(replacement)) throw wrong('replacement', 'an object')
  return found as DeprecationDeclaration
}
