import { z } from 'zod'
import { isRecord } from '../core/json.ts'
import type { JsonSchema } from '../core/schema.ts'
import { toolSpecSchema } from './schema.ts'

/** Builds the JSON Schema of the format, for editors; shipped as `tool-spec.schema.json`. */
export function buildToolSpecJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(toolSpecSchema, { unrepresentable: 'any' })
  allowExtensionKeys(schema)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:waymark:tool-spec',
    title: 'Tool Spec',
    ...schema,
  }
}

function allowExtensionKeys(node: unknown): void {
  if (Array.isArray(node)) for (const child of node) allowExtensionKeys(child)
  if (!isRecord(node)) return
  for (const child of Object.values(node)) allowExtensionKeys(child)
  if (node['additionalProperties'] === false) node['patternProperties'] = { '^x-': {} }
}
