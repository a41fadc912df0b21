import { addressOf, findSchemaMistakes } from '../schema/index.ts'
import {
  canonicalUrn,
  didYouMean,
  findNoJson,
  isList,
  isRecord,
  toReason,
  toText,
} from '../values/index.ts'
import { checkExamples } from './check-examples.ts'
import { type ComponentKind, type Components, resolveReference } from './description.ts'
import type { FunctionDefinition } from './function.ts'
import { checkHttpRoute, checkResume } from './http-route.ts'
import type { TargetShape } from './target.ts'
import { isVersion } from './version.ts'

const DOTTED = /^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)+$/
const URN = /^urn:[a-z][a-z0-9-]*:forrst:(?:ext:[a-z][a-z0-9-]*:)?fn:[a-z][a-z0-9:._-]*$/
const RESERVED = ['forrst.', 'urn:cline:', 'urn:forrst:']
const CODE = /^[A-Z][A-Z0-9_]*$/
// RFC 6749, section 3.3: a scope stands in a quoted list of words.
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/

/** Refuses a wrong definition with a TypeError that names the function and the field. */
export function checkDefinition(
  definition: FunctionDefinition,
  environment: { readonly components: Components; readonly system: boolean },
  derive: () => TargetShape,
): TargetShape {
  const refuse = (field: string, reason: string): never => {
    throw new TypeError(`function ${definition.name ?? '(unnamed)'}: ${field} ${reason}`)
  }
  checkName(definition, environment.system, refuse)
  checkDefinitionFields(definition, refuse)
  checkAcceptance(definition, refuse)
  checkScopes(definition, refuse)
  checkLists(definition, refuse)
  checkDetails(definition, refuse)
  checkReferences(definition, environment.components, refuse)
  const shape = attempt(derive, (field, reason) => refuse(field, reason))
  checkJson(shape, refuse)
  checkSchemas(shape, environment.components, refuse)
  // The defaults of somebody else's API are theirs to mend.
  if (!definition.imported) checkDefaults(shape.inputSchema, 'input', refuse)
  checkArguments(shape, environment.components, refuse)
  checkHttpRoute(shape, refuse)
  checkResume(shape, refuse)
  checkExamples(shape, environment.components, refuse)
  return shape
}

/** Throws a TypeError about one field. */
export type Refuse = (field: string, reason: string) => never

function checkName(definition: FunctionDefinition, system: boolean, refuse: Refuse): void {
  const { name, version } = definition
  if (typeof name !== 'string' || name.length > 255)
    refuse('name', 'must be a string of at most 255 characters')
  const reserved = RESERVED.find((prefix) => name.startsWith(prefix))
  if (!system && reserved)
    refuse('name', `is reserved: names under "${reserved}" belong to the protocol`)
  if (!DOTTED.test(name) && !URN.test(name)) {
    refuse('name', 'must look like "orders.create" or "urn:acme:forrst:fn:orders:create"')
  }
  if (typeof version !== 'string' || !isVersion(version)) {
    refuse('version', `must be a semantic version such as "1.0.0"; got ${JSON.stringify(version)}`)
  }
  if (typeof definition.handler !== 'function') refuse('handler', 'must be a function')
  if (definition.query !== undefined && typeof definition.resources !== 'function') {
    refuse('resources', 'must be a function that answers the queries in query')
  }
  if (definition.resources !== undefined && definition.query === undefined) {
    refuse('query', 'must say what callers may ask of resources')
  }
  if (isGenerator(definition) && definition.item === undefined) {
    refuse('item', 'must say what the generator in handler yields')
  }
}

function checkAcceptance(definition: FunctionDefinition, refuse: Refuse): void {
  const { accepts } = definition
  if (definition.readOnly && definition.writes) refuse('readOnly', 'cannot be combined with writes')
  if (definition.readOnly && definition.sideEffects?.length) {
    refuse('sideEffects', 'must be empty for a readOnly function')
  }
  if (accepts === undefined) return
  if (definition.readOnly || definition.writes) {
    refuse('accepts', 'cannot be combined with readOnly or writes, which set it')
  }
  if (accepts.supported !== undefined && accepts.excluded !== undefined) {
    refuse('accepts', 'must not list both supported and excluded')
  }
  const list = accepts.supported ?? accepts.excluded ?? []
  if (list.length === 0) refuse('accepts', 'must list at least one extension URN')
  if (new Set(list).size !== list.length) refuse('accepts', 'lists an extension twice')
}

function checkScopes({ requires }: FunctionDefinition, refuse: Refuse): void {
  if (requires === undefined) return
  if (!Array.isArray(requires) || requires.length === 0) {
    refuse('requires', "must be a list of scopes such as ['orders:write']; leave it out for none")
  }
  for (const [index, scope] of requires.entries()) {
    if (typeof scope !== 'string' || !SCOPE.test(scope)) {
      refuse(`requires[${index}]`, 'must be a scope: printable ASCII without blanks, quotes and \\')
    }
  }
  if (new Set(requires).size !== requires.length) refuse('requires', 'lists a scope twice')
}

function checkDetails(definition: FunctionDefinition, refuse: Refuse): void {
  for (const [index, error] of (definition.errors ?? []).entries()) {
    if ('code' in error && !CODE.test(error.code)) {
      refuse(`errors[${index}].code`, `must be SCREAMING_SNAKE_CASE; got "${error.code}"`)
    }
  }
  const sunset = definition.deprecated?.sunset
  if (sunset !== undefined && (!ISO_DATE.test(sunset) || Number.isNaN(Date.parse(sunset)))) {
    refuse('deprecated.sunset', `must be an ISO date such as "2027-06-30"; got "${sunset}"`)
  }
  const names = new Set<string>()
  for (const [index, scenario] of (definition.simulations ?? []).entries()) {
    const field = `simulations[${index}]`
    if (names.has(scenario.name)) refuse(`${field}.name`, `"${scenario.name}" is used twice`)
    names.add(scenario.name)
    if (!isRecord(scenario.input)) refuse(`${field}.input`, 'must be an object')
    if (scenario.error !== undefined && scenario.output !== undefined) {
      refuse(field, 'must not have both output and error')
    }
  }
  const urns = new Set<string>()
  for (const [index, declaration] of (definition.extensions ?? []).entries()) {
    if (typeof declaration.urn !== 'string') refuse(`extensions[${index}].urn`, 'is required')
    const urn = canonicalUrn(declaration.urn)
    if (urns.has(urn)) refuse(`extensions[${index}].urn`, `"${urn}" is declared twice`)
    urns.add(urn)
  }
  const sort = definition.query?.sorts
  if (sort?.default && sort.allowed && !sort.allowed.includes(sort.default.field)) {
    refuse(
      'query.sorts.default',
      `sorts by "${sort.default.field}", which is not in query.sorts.allowed`,
    )
  }
}

const REFERABLE = {
  arguments: 'contentDescriptors',
  errors: 'errors',
  tags: 'tags',
  links: 'links',
  examples: 'examplePairings',
} as const satisfies Record<string, ComponentKind>

/** JavaScript may give anything where lists of objects belong. */
function checkLists(definition: FunctionDefinition, refuse: Refuse): void {
  for (const field of [...Object.keys(REFERABLE), 'simulations']) {
    const value: unknown = definition[field as keyof FunctionDefinition]
    if (value !== undefined) requireObjects(value, field, refuse)
  }
  for (const [index, example] of (definition.examples ?? []).entries()) {
    if (addressOf(example) !== undefined || !isRecord(example)) continue
    if (typeof example.name !== 'string') refuse(`examples[${index}].name`, 'must be a string')
    requireObjects(example.params, `examples[${index}].params`, refuse)
  }
}

function requireObjects(value: unknown, field: string, refuse: Refuse): void {
  const list = isList(value)
    ? value
    : refuse(field, `must be a list of objects; got ${toText(value)}`)
  const wrong = list.findIndex((entry) => !isRecord(entry))
  if (wrong >= 0) refuse(`${field}[${wrong}]`, `must be an object; got ${toText(list[wrong])}`)
}

function checkReferences(
  definition: FunctionDefinition,
  components: Components,
  refuse: Refuse,
): void {
  const check = (field: string, value: object, kind: ComponentKind) => {
    if (resolveReference<object>(value, components, kind) === undefined) {
      refuse(
        field,
        `refers to "${addressOf(value)}", which is not among the service's components.${kind}`,
      )
    }
  }
  for (const [field, kind] of Object.entries(REFERABLE)) {
    const values = definition[field as keyof typeof REFERABLE] ?? []
    for (const [index, value] of values.entries()) check(`${field}[${index}]`, value, kind)
  }
  if (definition.result) check('result', definition.result, 'contentDescriptors')
}

/** What describes a function is sent to callers as JSON, which would lose what it cannot hold. */
function checkJson(
  { definition, inputSchema, outputSchema, itemSchema }: TargetShape,
  refuse: Refuse,
): void {
  const { arguments: given, result, errors, tags, links, examples, simulations } = definition
  const described = { arguments: given, result, errors, tags, links, examples, simulations }
  const schemas = { input: inputSchema, output: outputSchema, item: itemSchema }
  for (const [field, value] of Object.entries({ ...schemas, ...described })) {
    const noJson = value === undefined ? undefined : findNoJson(value)
    if (noJson !== undefined) {
      refuse(
        `${field}${noJson.pointer.replaceAll('/', '.')}`,
        `is what JSON cannot hold: ${noJson.found}`,
      )
    }
  }
}

function checkSchemas(shape: TargetShape, components: Components, refuse: Refuse): void {
  const { type } = shape.inputSchema
  if (type !== undefined && type !== 'object') refuse('input', 'must describe an object')
  const schemas = { input: shape.inputSchema, output: shape.outputSchema, item: shape.itemSchema }
  for (const [field, schema] of Object.entries(schemas)) {
    const mistake = schema && findSchemaMistakes(schema, components.schemas ?? {})[0]
    if (mistake) refuse(field, `is wrong at "${mistake.pointer}": ${mistake.message}`)
  }
}

/** A default that its own schema refuses would fail every call that leaves the argument out. */
function checkDefaults(schema: unknown, field: string, refuse: Refuse): void {
  if (!isRecord(schema)) return
  const { enum: allowed, default: given } = schema
  if (Array.isArray(allowed) && given !== undefined && !allowed.some((one) => one === given)) {
    const values = allowed.map((one) => toText(one)).join(', ')
    refuse(field, `has a default, "${toText(given)}", that is not one of ${values}`)
  }
  const { properties, items } = schema
  for (const [name, member] of Object.entries(isRecord(properties) ? properties : {})) {
    checkDefaults(member, `${field}.${name}`, refuse)
  }
  checkDefaults(items, `${field}[]`, refuse)
}

/** Descriptors beside an input schema are documentation; they must not drift from it. */
function checkArguments(shape: TargetShape, components: Components, refuse: Refuse): void {
  const { definition, inputSchema } = shape
  if (definition.arguments === undefined || definition.input === undefined) return
  const properties = isRecord(inputSchema['properties']) ? inputSchema['properties'] : {}
  const required = new Set(Array.isArray(inputSchema['required']) ? inputSchema['required'] : [])
  const described = definition.arguments.flatMap(
    (argument) => resolveReference(argument, components, 'contentDescriptors') ?? [],
  )
  for (const [index, { name, required: needed = false }] of described.entries()) {
    if (!Object.hasOwn(properties, name)) {
      refuse(`arguments[${index}]`, `describes "${name}", which input does not have`)
    }
    if (needed !== required.has(name)) {
      refuse(`arguments[${index}].required`, `says ${needed} for "${name}", input says ${!needed}`)
    }
  }
  const missing = Object.keys(properties).find((name) => !described.some((d) => d.name === name))
  if (missing !== undefined) refuse('arguments', `does not describe "${missing}", which input has`)
}

function isGenerator({ handler }: { readonly handler: unknown }): boolean {
  return Object.prototype.toString.call(handler) === '[object AsyncGeneratorFunction]'
}

function attempt<Value>(action: () => Value, refuse: Refuse): Value {
  try {
    return action()
  } catch (thrown) {
    const reason = toReason(thrown)
    const [, field, rest] = /^((?:input|output|item|errors\[)\S*) (.*)$/s.exec(reason) ?? []
    if (field !== undefined && rest !== undefined) return refuse(field, rest)
    return refuse('input or output', `cannot be used: ${reason}`)
  }
}

/** Every field of a definition, so that a misspelt one can be told from one that somebody adds for themselves. */
const FIELDS: Readonly<Record<keyof FunctionDefinition, true>> = {
  name: true,
  version: true,
  stability: true,
  summary: true,
  description: true,
  input: true,
  unknownArguments: true,
  output: true,
  item: true,
  arguments: true,
  result: true,
  errors: true,
  tags: true,
  links: true,
  examples: true,
  query: true,
  sideEffects: true,
  readOnly: true,
  writes: true,
  deprecated: true,
  discoverable: true,
  simulations: true,
  extensions: true,
  accepts: true,
  requires: true,
  externalDocs: true,
  http: true,
  resume: true,
  capability: true,
  health: true,
  dryRun: true,
  imported: true,
  source: true,
  toolMeta: true,
  nullMeansAbsent: true,
  use: true,
  resources: true,
  handler: true,
}
const NAMES = Object.keys(FIELDS)
const EFFECTS = ['create', 'update', 'delete']

/** Refuses what a compiler would have found, for definitions that no compiler has seen. */
export function checkDefinitionFields(definition: FunctionDefinition, refuse: Refuse): void {
  for (const field of Object.keys(definition)) {
    if (Object.hasOwn(FIELDS, field)) continue
    if (field.startsWith('x-')) continue
    const hint = didYouMean(field, NAMES) ?? 'fields of your own begin with "x-"'
    refuse(field, `is not a field of a function; ${hint}`)
  }
  const { writes } = definition
  if (writes === undefined) return
  if (!Array.isArray(writes)) refuse('writes', "must be a list such as ['create']")
  for (const [index, effect] of writes.entries()) {
    if (EFFECTS.some((known) => known === effect)) continue
    const hint = didYouMean(effect, EFFECTS) ?? 'sideEffects takes any other word'
    refuse(
      `writes[${index}]`,
      `must be one of ${EFFECTS.join(', ')}; got "${toText(effect)}"; ${hint}`,
    )
  }
}
