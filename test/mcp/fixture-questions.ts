import type { FunctionDefinition } from '../../src/core/function.ts'
import type { JsonObject } from '../../src/values/json.ts'
import { form, requireAgent, texts, tool } from './fixture-tools.ts'

function sampling(text: string, maxTokens = 100): JsonObject {
  return { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens }
}

const NAME = form('What is your name?', { name: { type: 'string' } })

const choice = (values: readonly string[]) =>
  values.map((value, index) => ({ const: value, title: `Option ${index + 1}` }))

/** Tools that ask in the middle of a call: on the stream before 2026, by another round since. */
export const questionTools: readonly FunctionDefinition[] = [
  tool(
    'test_sampling',
    async (invocation) => {
      const text = String(invocation.input['prompt'])
      const reply = await requireAgent(invocation).sample('answer', sampling(text))
      return `LLM response: ${JSON.stringify(reply['content'])}`
    },
    texts('prompt'),
  ),
  tool(
    'test_elicitation',
    async (invocation) => {
      const question = form(String(invocation.input['message']), {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      })
      const reply = await requireAgent(invocation).elicit('user', question)
      return `User response: ${JSON.stringify(reply)}`
    },
    texts('message'),
  ),
  tool('test_elicitation_sep1034_defaults', async (invocation) => {
    const question = form('Please check these values', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    })
    const reply = await requireAgent(invocation).elicit('values', question)
    return `Elicitation completed: ${JSON.stringify(reply)}`
  }),
  tool('test_elicitation_sep1330_enums', async (invocation) => {
    const options = ['option1', 'option2', 'option3']
    const values = ['value1', 'value2', 'value3']
    const question = form('Please choose', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: choice(values) },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: choice(values) } },
    })
    const reply = await requireAgent(invocation).elicit('choices', question)
    return `Elicitation completed: ${JSON.stringify(reply)}`
  }),
  tool('test_missing_capability', async (invocation) =>
    requireAgent(invocation).sample('answer', sampling('Hello?')),
  ),
  tool('test_input_required_result_elicitation', async (invocation) => {
    const reply = await requireAgent(invocation).elicit('user_name', NAME)
    return `Hello, ${String((reply['content'] as JsonObject | undefined)?.['name'])}!`
  }),
  tool('test_input_required_result_sampling', async (invocation) => {
    const question = sampling('What is the capital of France?')
    const reply = await requireAgent(invocation).sample('capital_question', question)
    return JSON.stringify(reply['content'])
  }),
  tool('test_input_required_result_list_roots', async (invocation) =>
    requireAgent(invocation).roots('client_roots'),
  ),
  tool('test_input_required_result_request_state', async (invocation) => {
    const question = form('Please confirm', { ok: { type: 'boolean' } })
    await requireAgent(invocation).elicit('confirm', question)
    return 'state-ok'
  }),
  tool('test_input_required_result_multiple_inputs', async (invocation) => {
    const replies = await requireAgent(invocation).ask({
      user_name: { method: 'elicitation/create', params: NAME },
      greeting: { method: 'sampling/createMessage', params: sampling('Generate a greeting', 50) },
      client_roots: { method: 'roots/list', params: {} },
    })
    return JSON.stringify(replies)
  }),
  tool('test_input_required_result_multi_round', async (invocation) => {
    const agent = requireAgent(invocation)
    const first = form('Step 1: What is your name?', { name: { type: 'string' } })
    const second = form('Step 2: What is your favorite color?', { color: { type: 'string' } })
    const replies = [await agent.elicit('step1', first), await agent.elicit('step2', second)]
    return JSON.stringify(replies)
  }),
  tool('test_input_required_result_tampered_state', async (invocation) => {
    const question = form('Please confirm', { ok: { type: 'boolean' } })
    return requireAgent(invocation).elicit('confirm', question)
  }),
  tool('test_input_required_result_capabilities', async (invocation) => {
    const agent = requireAgent(invocation)
    return agent.ask({
      ...(agent.supports('sampling') && {
        thought: { method: 'sampling/createMessage', params: sampling('Think') },
      }),
      ...(agent.supports('elicitation') && {
        user_name: { method: 'elicitation/create', params: NAME },
      }),
    })
  }),
]
