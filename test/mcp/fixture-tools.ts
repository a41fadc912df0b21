import { setTimeout as delay } from 'node:timers/promises'
import {
  defineFunction,
  type FunctionDefinition,
  type Invocation,
} from '../../src/core/function.ts'
import { CallError } from '../../src/errors/error.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'
import { type Agent, agentOf } from '../../src/surfaces/mcp/agent.ts'
import { toolContent } from '../../src/surfaces/mcp/encode.ts'
import type { JsonObject } from '../../src/values/json.ts'

/** One red pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

/** Puts the names of the scenarios where function names can stand. */
export function toFunctionName(tool: string): string {
  return `fixture.${tool}`
}

/** Defines a function under the tool name a scenario asks for. */
export function tool(
  name: string,
  handler: (invocation: Invocation<Record<string, unknown>>) => unknown,
  input: JsonSchema = { type: 'object' },
): FunctionDefinition {
  return defineFunction({
    name: toFunctionName(name),
    version: '1.0.0',
    summary: `Scenario tool ${name}`,
    input,
    errors: [
      { code: 'FIXTURE_FAILED', message: 'This tool intentionally returns an error for testing' },
    ],
    handler: handler as FunctionDefinition['handler'],
  })
}

/** The client of a call; scenario tools are only called through MCP. */
export function requireAgent({ call }: Pick<Invocation, 'call'>): Agent {
  const agent = agentOf(call)
  if (agent === undefined) throw new TypeError('only for agents')
  return agent
}

/** A schema of text properties. */
export function texts(...names: string[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  }
}

/** A question with a form. */
export function form(message: string, properties: JsonObject): JsonObject {
  return {
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  }
}

const content: readonly FunctionDefinition[] = [
  tool('test_simple_text', () => 'This is a simple text response for testing.'),
  tool('test_image_content', () =>
    toolContent([{ type: 'image', data: PIXEL, mimeType: 'image/png' }]),
  ),
  tool('test_audio_content', () =>
    toolContent([{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }]),
  ),
  tool('test_embedded_resource', () =>
    toolContent([
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ]),
  ),
  tool('test_multiple_content_types', () =>
    toolContent([
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: '{"test":"data","value":123}',
        },
      },
    ]),
  ),
  tool('test_error_handling', ({ fail }) => {
    throw fail('FIXTURE_FAILED')
  }),
]

const talking: readonly FunctionDefinition[] = [
  tool('test_tool_with_logging', async (invocation) => {
    const agent = requireAgent(invocation)
    agent.log('info', 'Tool execution started')
    await delay(50)
    agent.log('info', 'Tool processing data')
    await delay(50)
    agent.log('info', 'Tool execution completed')
    return 'done'
  }),
  tool('test_logging_tool', (invocation) => {
    requireAgent(invocation).log('error', 'only for those who asked for log lines')
    return 'done'
  }),
  tool('test_tool_with_progress', async ({ progress }) => {
    progress(0)
    await delay(50)
    progress(0.5)
    await delay(50)
    progress(1)
    return 'done'
  }),
  tool('test_reconnection', async (invocation) => {
    await requireAgent(invocation).detach()
    await delay(50)
    return 'Reconnected'
  }),
  tool('test_long_progress', async ({ progress }) => {
    progress(0.1)
    await delay(100)
    progress(0.5)
    await delay(400)
    return 'survived'
  }),
  tool('test_streaming_elicitation', async (invocation) => {
    invocation.progress(0.1)
    const agent = requireAgent(invocation)
    return agent.elicit('confirm', form('Go on?', { ok: { type: 'boolean' } }))
  }),
]

const JSON_SCHEMA_TOOL = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const

const schemas: readonly FunctionDefinition[] = [
  tool('json_schema_2020_12_tool', () => 'fine', JSON_SCHEMA_TOOL),
  tool('test_custom_header', ({ input }) => `in ${String(input['region'])}`, {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
    required: ['region'],
  }),
]

/** Tools that run in one go, or ask the client in the middle. */
export const plainTools: readonly FunctionDefinition[] = [...content, ...talking, ...schemas]

/** Tools that become tasks. */
export const taskTools: readonly FunctionDefinition[] = [
  tool('greet', ({ input }) => `Hello, ${String(input['name'])}!`, texts('name')),
  tool(
    'slow_compute',
    async ({ input, signal }) => {
      await delay(Number(input['seconds']) * 1_000, undefined, { signal })
      return `computed ${String(input['label'])}`
    },
    {
      type: 'object',
      properties: { seconds: { type: 'number' }, label: { type: 'string' } },
      required: ['seconds'],
    },
  ),
  tool('failing_job', async ({ fail }) => {
    await delay(10)
    throw fail('FIXTURE_FAILED')
  }),
  tool('protocol_error_job', async () => {
    await delay(10)
    throw new Error('crashed on purpose')
  }),
  tool(
    'confirm_delete',
    async (invocation) => {
      const question = form('Delete it?', { confirm: { type: 'boolean' } })
      const { action } = await requireAgent(invocation).elicit('confirm', question)
      return `${String(action)} ${String(invocation.input['filename'])}`
    },
    texts('filename'),
  ),
  tool('multi_input', async (invocation) => {
    const agent = requireAgent(invocation)
    const question = (number: number) =>
      form(`Name ${number}?`, { name: { type: 'string' }, confirm: { type: 'boolean' } })
    await Promise.all([agent.elicit('first', question(1)), agent.elicit('second', question(2))])
    return 'both answered'
  }),
  tool('test_tool_with_task', async (invocation) => {
    const agent = requireAgent(invocation)
    const reply = await agent.elicit('user_name', form('Your name?', { name: { type: 'string' } }))
    await agent.detach()
    await delay(50)
    return `Hello, ${String((reply['content'] as JsonObject)['name'])}!`
  }),
]

/** Refuses what a scenario must not reach. */
export function unreachable(): never {
  throw new CallError('FIXTURE_FAILED')
}
