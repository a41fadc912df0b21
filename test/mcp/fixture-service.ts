import { once } from 'node:events'
import type { FunctionDefinition } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import type { McpHandlerOptions } from '../../src/surfaces/mcp/handler.ts'
import type { McpPrompt } from '../../src/surfaces/mcp/offer.ts'
import { serviceOf } from '../support/service.ts'
import { questionTools } from './fixture-questions.ts'
import { form, PIXEL, plainTools, taskTools, texts, toFunctionName, tool } from './fixture-tools.ts'

/** The service that the conformance scenarios ask for, and how it is offered. */
export interface Fixture {
  readonly service: Service
  readonly options: McpHandlerOptions
}

/** Creates the service that the conformance scenarios ask for. */
export function createFixture(): Fixture {
  let extraPrompt = false
  const states: string[] = []
  const service: Service = serviceOf([
    ...plainTools,
    ...questionTools,
    ...taskTools,
    tool(
      'wait_until_cancelled',
      async ({ input, signal }) => {
        states.push(`${String(input['label'])} running`)
        await once(signal, 'abort')
        states.push(`${String(input['label'])} aborted`)
        throw signal.reason
      },
      texts('label'),
    ),
    tool('list_states', () => states.join(', ')),
    tool('read_environment', () => Object.keys(process.env).join(', ')),
    tool('test_trigger_tool_change', () => {
      const name = toFunctionName('test_added_tool')
      if (!service.registry.remove(name)) service.registry.add(addedTool)
      return 'changed'
    }),
    tool('test_trigger_prompt_change', () => {
      extraPrompt = !extraPrompt
      service.registry.setHealth(toFunctionName('greet'), { status: 'healthy' })
      return 'changed'
    }),
  ])
  return {
    service,
    options: {
      schemas: 'full',
      toolName: (name) => name.replace(/^fixture\./, ''),
      instructions: 'Tools for conformance scenarios',
      tasks: { mode: (name) => TASK_MODES[name.replace(/^fixture\./, '')], pollIntervalMs: 100 },
      resources: [
        {
          uri: 'test://static-text',
          name: 'static text',
          description: 'A text that never changes',
          mimeType: 'text/plain',
          read: () => 'This is the content of the static text resource.',
        },
        {
          uri: 'test://static-binary',
          name: 'static binary',
          description: 'A picture that never changes',
          mimeType: 'image/png',
          read: () => Buffer.from(PIXEL, 'base64'),
        },
        {
          uri: 'test://watched-resource',
          name: 'watched resource',
          description: 'A resource to follow',
          mimeType: 'text/plain',
          read: () => 'watched',
        },
      ],
      resourceTemplates: [
        {
          uriTemplate: 'test://template/{id}/data',
          name: 'template',
          description: 'Data by id',
          mimeType: 'application/json',
          read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
      prompts: () => (extraPrompt ? [...PROMPTS, EXTRA_PROMPT] : PROMPTS),
    },
  }
}

const TASK_MODES: Readonly<Record<string, 'always' | 'required' | 'never'>> = {
  slow_compute: 'always',
  protocol_error_job: 'always',
  confirm_delete: 'always',
  multi_input: 'always',
  failing_job: 'required',
  greet: 'never',
}

const addedTool: FunctionDefinition = tool('test_added_tool', () => 'new')

const EXTRA_PROMPT: McpPrompt = {
  name: 'test_added_prompt',
  description: 'Comes and goes',
  get: () => [],
}

const PROMPTS: readonly McpPrompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'A prompt without arguments',
    get: () => [
      { role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } },
    ],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments',
    arguments: [
      {
        name: 'arg1',
        description: 'First test argument',
        required: true,
        complete: (value) => ['testing', 'party'].filter((word) => word.startsWith(value)),
      },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: ({ arg1, arg2 }) => [
      {
        role: 'user',
        content: { type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` },
      },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource inside',
    arguments: [{ name: 'resourceUri', description: 'What to embed', required: true }],
    get: ({ resourceUri = '' }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      {
        role: 'user',
        content: { type: 'text', text: 'Please process the embedded resource above.' },
      },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'A prompt with a picture',
    get: () => [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'A prompt that asks its user first',
    async get(_values, { agent }) {
      const question = form('What context should the prompt use?', { context: { type: 'string' } })
      const reply = await agent.elicit('user_context', question)
      return [{ role: 'user', content: { type: 'text', text: JSON.stringify(reply) } }]
    },
  },
]
