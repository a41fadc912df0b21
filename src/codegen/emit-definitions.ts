import { type JsonSchema, mapSchema } from '../schema/index.ts'
import type { ToolSpec } from '../sources/tool-spec/index.ts'
import { isRecord } from '../values/index.ts'
import { type GeneratedFile, toFileName } from './generate.ts'
import { buildModel, type ToolModel } from './model.ts'

/** Whom tool definitions are written for. */
export const DEFINITION_TARGETS = ['mcp', 'json-schema', 'openai', 'anthropic'] as const

/** One of the formats for tool definitions. */
export type DefinitionTarget = (typeof DEFINITION_TARGETS)[number]

/** Writes the tools of a spec as a JSON file in the form that a protocol or a model provider takes. */
export function generateDefinitions(spec: ToolSpec, target: DefinitionTarget): GeneratedFile {
  const { domain, tools } = buildModel(spec)
  const definitions = FORMS[target](tools, domain)
  return {
    path: `${toFileName(domain)}.${target}.json`,
    text: `${JSON.stringify(definitions, null, 2)}\n`,
  }
}

type Form = (tools: readonly ToolModel[], domain: string) => unknown

const FORMS: Readonly<Record<DefinitionTarget, Form>> = {
  /** The result of `tools/list`. */
  mcp: (tools) => ({
    tools: tools.map(({ name, description, parameters, annotations }) => ({
      name,
      description,
      inputSchema: parameters,
      ...(Object.keys(annotations).length > 0 && { annotations }),
    })),
  }),
  /** The arguments of each tool, for validators and editors. */
  'json-schema': (tools, domain) => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: domain,
    $defs: Object.fromEntries(
      tools.map(({ name, description, parameters }) => [name, { description, ...parameters }]),
    ),
  }),
  /** The `tools` of a request for a chat completion. */
  openai: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: fillItems(parameters) },
    })),
  /** The `tools` of a request for a message. */
  anthropic: (tools) =>
    tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
}

/** A list must say what it holds: OpenAI refuses one that does not. */
function fillItems(parameters: JsonSchema): JsonSchema {
  return mapSchema(parameters, (schema) => {
    const { items } = schema
    const isBare = isRecord(items) && Object.keys(items).length === 0
    return isBare ? { ...schema, items: { type: 'string' } } : schema
  })
}
