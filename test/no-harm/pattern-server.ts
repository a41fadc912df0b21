/** A service whose functions come from every kind of source, each with patterns made to stop it. Prints its URL. */
import { defineFunction } from '../../src/core/function.ts'
import { importOpenApi } from '../../src/entries/openapi.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import { serve } from '../../src/http/serve.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'
import { readForrstDocument } from '../../src/sources/forrst/document.ts'
import { toToolFunctions } from '../../src/sources/mcp/tool-function.ts'
import { createService } from '../../src/system/create-service.ts'

const HOSTILE = '^(a+)+$'
const schema: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', pattern: HOSTILE },
    names: { type: 'object', patternProperties: { [HOSTILE]: { type: 'number' } } },
    closed: {
      type: 'object',
      patternProperties: { [HOSTILE]: {} },
      additionalProperties: false,
    },
    keys: { type: 'object', propertyNames: { pattern: HOSTILE } },
    back: { type: 'string', pattern: '^(a+)+\\1$' },
    look: { type: 'string', pattern: '^b*(?=(a+)+$)' },
  },
}

const openapi = importOpenApi({
  openapi: '3.1.0',
  info: { title: 'orchard', version: '1' },
  servers: [{ url: 'https://api.example.com' }],
  paths: {
    '/trees': {
      get: {
        operationId: 'list_trees',
        summary: 'Lists trees.',
        parameters: [
          { name: 'text', in: 'query', schema: { type: 'string', pattern: HOSTILE } },
          { name: 'back', in: 'query', schema: { type: 'string', pattern: '^(a+)+\\1$' } },
        ],
        responses: { 200: { description: 'ok' } },
      },
    },
  },
})
if (!openapi.ok) throw new TypeError(JSON.stringify(openapi))
const warnings: string[] = openapi.warnings.map(({ message }) => message)
const log = { warn: (message: string) => warnings.push(message), error: () => {} }

const forrst = readForrstDocument(
  {
    forrst: '0.1.0',
    discovery: '0.1.0',
    info: { title: 'remote', version: '1.0.0' },
    functions: [
      {
        name: 'remote.run',
        version: '1.0.0',
        arguments: Object.entries(schema['properties'] as Record<string, JsonSchema>).map(
          ([name, part]) => ({ name, schema: part }),
        ),
      },
    ],
  },
  () => ({ handler: () => ({}) }),
)

const service = createService({
  info: { title: 'hostile', version: '1.0.0' },
  log,
  functions: [
    ...createToolFunctions(openapi.spec, { handlers: { list_trees: () => ({}) } }),
    ...toToolFunctions([{ name: 'run', inputSchema: schema }] as never, {
      name: 'mcpserver',
      trusted: false,
      call: async () => ({ content: [] }),
      warn: log.warn,
    }),
    ...forrst.functions,
    defineFunction({
      name: 'own.run',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: { text: { type: 'string', pattern: HOSTILE } },
      },
      handler: () => ({}),
    }),
  ],
})
const { url } = await serve(service, { port: 0 })
process.stdout.write(`${JSON.stringify({ url, warnings })}\n`)
