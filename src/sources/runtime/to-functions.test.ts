import { expect, it } from 'vitest'
import { serviceOf } from '../../../test/support/service.ts'
import { toToolAnnotations } from '../../core/tool-name.ts'
import { toFunctions } from './run-tool.ts'
import { defineOwnTool, type ToolDescription } from './tool-definition.ts'
import { ToolError } from './tool-error.ts'

const TOOL: ToolDescription = {
  name: 'say_hello',
  description: 'Greets somebody. In words.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  tags: ['people'],
}

it('makes functions named after domain and tool', () => {
  const [made] = toFunctions('notes', [defineOwnTool(TOOL, async () => 'hello')])
  expect(made).toMatchObject({
    name: 'notes.say_hello',
    version: '1.0.0',
    summary: 'Greets somebody.',
    description: TOOL.description,
    input: TOOL.parameters,
    tags: [{ name: 'people' }],
  })
  expect(() => serviceOf(made ? [made] : [])).not.toThrow()
})

it.each([
  [undefined],
  [[]],
  [['create']],
  [['update']],
  [['create', 'external_api_call']],
  [['delete', 'external_api_call']],
])('gives the hints again that came of the side effects %j', (effects) => {
  const annotations = toToolAnnotations(effects)
  const hinted = defineOwnTool({ ...TOOL, annotations }, async () => null)
  const [made] = toFunctions('notes', [hinted])
  expect(toToolAnnotations(made?.readOnly ? [] : made?.sideEffects)).toEqual(annotations)
})

it('turns what a tool throws into an error that surfaces can encode', async () => {
  const failing = defineOwnTool(TOOL, async () => {
    throw new ToolError('say_hello', 'network', 'say_hello: the API could not be reached')
  })
  const [made] = toFunctions('notes', [failing])
  const signal = new AbortController().signal
  await expect(
    made?.handler({ input: { name: 'Ada' }, signal } as never) as Promise<unknown>,
  ).rejects.toMatchObject({ code: 'DEPENDENCY_ERROR' })
})
