import type { Refuse } from './check-definition.ts'
import type { Components, ContentDescriptor, Example, ExamplePairing } from './description.ts'
import { createRecord } from './json.ts'
import { compileSchema } from './json-schema.ts'
import { isPromise } from './maybe.ts'
import { resolveReference } from './reference.ts'
import type { Check, Problem } from './schema.ts'
import type { TargetShape } from './target.ts'

/** Refuses examples and simulations that the function's own schemas would refuse. */
export function checkExamples(shape: TargetShape, components: Components, refuse: Refuse): void {
  const checkOutput =
    shape.outputSchema &&
    compileSchema(shape.outputSchema, { components: { schemas: components.schemas ?? {} } })
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
