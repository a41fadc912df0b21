import { type ToolAnnotations, toToolAnnotations } from '../core/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import {
  type ApiOperation,
  sideEffectsOf,
  toApiOperation,
  toInputSchema,
  toObjectSchema,
  withSafePatterns,
} from '../sources/runtime/index.ts'
import type { ToolDef, ToolSpec, TriggerDef } from '../sources/tool-spec/index.ts'
import { RUNTIME_NAMES } from './emit-runtime.ts'
import { createNamePlan, type NamePlan, toPascalCase, toSnakeCase } from './names.ts'

/** What a file of generated code is made from: the spec, worked out and with every name decided. */
export interface CodeModel {
  readonly domain: string
  /** Identifier of the exported list of tools. */
  readonly toolsName: string
  /** Identifier of the exported list of triggers. */
  readonly triggersName: string
  readonly tools: readonly ToolModel[]
  readonly triggers: readonly TriggerModel[]
}

/** One tool with the names of its declarations. */
export interface ToolModel {
  readonly name: string
  readonly description: string
  readonly functionName: string
  readonly argsName: string
  readonly constName: string
  readonly parameters: JsonSchema
  readonly annotations: ToolAnnotations
  readonly tags: readonly string[]
  readonly deprecated: boolean
  /** Absent for a tool whose code is written by hand. */
  readonly operation: ApiOperation | undefined
}

/** One trigger with the names of its declarations. */
export interface TriggerModel {
  readonly definition: TriggerDef
  readonly functionName: string
  readonly payloadName: string
  /** Undefined when nothing is known about the payload. */
  readonly payload: JsonSchema | undefined
}

/** Works a spec out into the model that the emitters print. */
export function buildModel(spec: ToolSpec): CodeModel {
  const base = toSnakeCase(spec.domain)
  const toolPlan = createNamePlan(TOOL_NAMES)
  const triggerPlan = createNamePlan(TRIGGER_NAMES)
  const toolNames = spec.tools.map((tool) => toolPlan.take(tool.name))
  const triggerNames = (spec.triggers ?? []).map((trigger) => triggerPlan.take(trigger.name))
  return {
    domain: spec.domain,
    toolsName: toolPlan.take(`${base}_tools`),
    triggersName: triggerPlan.take(`${base}_triggers`),
    tools: spec.tools.map((tool, index) =>
      toToolModel(spec, tool, { plan: toolPlan, name: toolNames[index] ?? '' }),
    ),
    triggers: (spec.triggers ?? []).map((definition, index) => ({
      definition,
      functionName: triggerNames[index] ?? '',
      payloadName: triggerPlan.take(`${toPascalCase(definition.name)}Payload`),
      payload: definition.payload && toObjectSchema(definition.payload),
    })),
  }
}

/** Names that a file of tools uses itself. */
const TOOL_NAMES: readonly string[] = [...RUNTIME_NAMES, 'call', 'args', 'context', 'imports']

/** Names that a triggers file declares itself. */
const TRIGGER_NAMES: readonly string[] = ['TriggerEvent', 'TriggerDefinition', 'event', 'imports']

function toToolModel(
  spec: ToolSpec,
  tool: ToolDef,
  names: { readonly plan: NamePlan; readonly name: string },
): ToolModel {
  return {
    name: tool.name,
    description: tool.description,
    functionName: names.name,
    argsName: names.plan.take(`${toPascalCase(tool.name)}Args`),
    constName: names.plan.take(`${tool.name}_tool`),
    parameters: withSafePatterns(toInputSchema(tool)),
    annotations: toToolAnnotations(sideEffectsOf(tool)),
    tags: tool.tags ?? [],
    deprecated: tool.deprecated === true,
    operation: toApiOperation(spec, tool),
  }
}
