import {
  type Check,
  compileSchema,
  findSchemaMistakes,
  type JsonSchema,
  type Problem,
} from '../schema/index.ts'
import { createRecord, isPromise, isRecord } from '../values/index.ts'
import type { Refuse } from './check-definition.ts'
import {
  type Components,
  type ContentDescriptor,
  type Example,
  type ExamplePairing,
  resolveReference,
} from './description.ts'
import type { TargetShape } from './target.ts'

/** Refuses examples and simulations that the function's own schemas would refuse. */
export function checkExamples(shape: TargetShape, components: Components, refuse: Refuse): void {
  const checkOutput =
    shape.outputSchema &&
    compileSchema(shape.outputSchema, {
      assertFormats: shape.definition.imported !== true,
      components: { schemas: components.schemas ?? {} },
    })
  for (const [index, reference] of (shape.definition.examples ?? []).entries()) {
    const pairing = resolveReference<ExamplePairing>(reference, components, 'examplePairings')
    if (pairing === undefined) continue
    const field = `examples[${index}] ("${pairing.name}")`
    const input = toExampleArguments(shape, pairing, components, (reason) => refuse(field, reason))
    report(field, 'arguments', firstProblem(shape.checkInput, input), refuse)
    const result =
      pairing.result && resolveReference<Example>(pairing.result, components, 'examples')
    if (checkOutput && result && 'value' in result) {
      report(field, 'result', firstProblem(checkOutput, result.value), refuse)
    }
  }
  for (const [index, { name, output }] of (shape.definition.simulations ?? []).entries()) {
    const field = `simulations[${index}] ("${name}")`
    if (checkOutput && output !== undefined) {
      report(field, 'output', firstProblem(checkOutput, output), refuse)
    }
  }
}

/** Puts the positional params of an example pairing into an arguments object. */
export function toExampleArguments(
  shape: TargetShape,
  pairing: ExamplePairing,
  components: Components,
  refuse: (reason: string) => never,
): Record<string, unknown> {
  const names = argumentNames(shape, components)
  const input = createRecord<unknown>()
  for (const [position, param] of pairing.params.entries()) {
    const example = resolveReference<Example>(param, components, 'examples')
    if (example === undefined)
      refuse(`params[${position}] refers to an example that does not exist`)
    const name = names[position]
    if (name === undefined)
      refuse(`has ${pairing.params.length} params, the function only ${names.length} arguments`)
    else if (example !== undefined && 'value' in example) input[name] = example.value
  }
  return { ...input }
}

/** Lists the names of a function's arguments in the order discovery prints them. */
export function argumentNames(shape: TargetShape, components: Components): readonly string[] {
  if (shape.definition.arguments !== undefined) {
    return shape.definition.arguments.flatMap(
      (argument) =>
        resolveReference<ContentDescriptor>(argument, components, 'contentDescriptors')?.name ?? [],
    )
  }
  const { properties } = shape.inputSchema
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

function firstProblem(check: Check, value: unknown): Problem | undefined {
  const checked = check(value)
  // A schema with asynchronous rules cannot be asked at start-up; the first call will.
  if (isPromise(checked) || checked.ok) return undefined
  return checked.problems[0]
}

function report(field: string, part: string, problem: Problem | undefined, refuse: Refuse): void {
  if (problem === undefined) return
  refuse(field, `has ${part} that the schema refuses at "${problem.pointer}": ${problem.message}`)
}

const KEY = /^[a-zA-Z0-9._-]+$/
const REQUIRED = {
  schemas: [],
  contentDescriptors: ['name', 'schema'],
  errors: ['code', 'message'],
  examples: [],
  examplePairings: ['name', 'params'],
  links: ['name'],
  tags: ['name'],
  resources: ['type', 'attributes'],
} as const satisfies Record<keyof Components, readonly string[]>

/** Refuses wrong components with a TypeError that names the place. */
export function checkComponents(components: Components): void {
  for (const [kind, map] of Object.entries(components)) {
    if (!Object.hasOwn(REQUIRED, kind)) {
      refuse(kind, `is not a kind of component; known: ${Object.keys(REQUIRED).join(', ')}`)
    }
    for (const [key, component] of Object.entries(map as Record<string, unknown>)) {
      const place = `${kind}.${key}`
      if (!KEY.test(key)) refuse(place, 'must be named with letters, digits, ".", "_" and "-" only')
      if (!isRecord(component)) refuse(place, 'must be an object')
      const missing = REQUIRED[kind as keyof Components].find(
        (field) => !(field in Object(component)),
      )
      if (missing !== undefined) refuse(place, `needs "${missing}"`)
    }
  }
  checkSchemas(components)
  checkExamplesCheckComponents(components)
  checkResources(components)
}

function checkSchemas({ schemas = {}, contentDescriptors = {} }: Components): void {
  for (const [key, schema] of Object.entries(schemas)) {
    assertSchema(`schemas.${key}`, schema, schemas)
  }
  for (const [key, { schema }] of Object.entries(contentDescriptors)) {
    assertSchema(`contentDescriptors.${key}`, schema, schemas)
  }
}

function assertSchema(
  place: string,
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): void {
  const mistake = findSchemaMistakes(schema, schemas)[0]
  if (mistake) refuse(place, `is wrong at "${mistake.pointer}": ${mistake.message}`)
}

function checkExamplesCheckComponents({ examples = {} }: Components): void {
  for (const [key, example] of Object.entries(examples)) {
    if ('value' in example && 'externalValue' in example) {
      refuse(`examples.${key}`, 'must not have both value and externalValue')
    }
  }
}

function checkResources({ resources = {} }: Components): void {
  for (const [key, { attributes, relationships = {} }] of Object.entries(resources)) {
    for (const [name, attribute] of Object.entries(attributes)) {
      if (!isRecord(attribute?.schema))
        refuse(`resources.${key}.attributes.${name}`, 'needs "schema"')
    }
    for (const [name, { resource, cardinality }] of Object.entries(relationships)) {
      const place = `resources.${key}.relationships.${name}`
      if (typeof resource !== 'string') refuse(place, 'needs "resource"')
      if (cardinality !== 'one' && cardinality !== 'many') {
        refuse(place, 'needs "cardinality" of "one" or "many"')
      }
    }
  }
}

function refuse(place: string, reason: string): never {
  throw new TypeError(`components.${place} ${reason}`)
}
