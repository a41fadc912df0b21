import { describe, expect, it } from 'vitest'
import { defineHttpTool, defineOwnTool, notWritten } from './tool-definition.ts'

const description = {
  name: 'count',
  description: 'Counts.',
  parameters: { type: 'object', properties: { n: { type: 'integer', default: 2 } } },
}

describe('tools of generated files', () => {
  it('[TS-45] check arguments and fill in defaults before code of one’s own runs', async () => {
    const tool = defineOwnTool(description, async (args) => args)
    expect(await tool.handler({})).toEqual({ n: 2 })
    await expect(tool.handler({ n: 'a' })).rejects.toThrow('count: n must be integer')
  })

  it('[TS-45] check arguments and fill in defaults before a request is sent', async () => {
    const operation = { tool: 'count', method: 'GET', base_url: 'https://h', path: '/' }
    const sent: unknown[] = []
    const tool = defineHttpTool({ ...description, operation }, async (...call) => sent.push(call))
    await tool.handler({})
    await expect(tool.handler({ n: 'a' })).rejects.toThrow('count: n must be integer')
    expect(sent).toEqual([[operation, { n: 2 }, undefined]])
    expect(tool).toMatchObject(description)
    expect(tool).not.toHaveProperty('operation')
  })

  it('say where the missing code goes', () => {
    expect(() => notWritten('count', {}, {})).toThrow('count has no code yet')
  })
})
