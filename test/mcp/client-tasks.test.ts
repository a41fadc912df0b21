import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFixture } from './fixture-service.ts'
import { type Listening, listen } from './listen.ts'

const STDIO = {
  command: process.execPath,
  args: [
    '--conditions=waymark-source',
    '--import',
    'tsx',
    fileURLToPath(new URL('./fixture-stdio.ts', import.meta.url)),
  ],
}

describe.each(['http', 'stdio'] as const)('tasks of the official sdk 1 over %s', (way) => {
  let server: Listening | undefined
  const client = new Client(
    { name: 'waymark-tests', version: '1.0.0' },
    { capabilities: { elicitation: {} } },
  )
  beforeAll(async () => {
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: 'accept',
      content: { confirm: true },
    }))
    if (way === 'http') {
      const { service, options } = createFixture()
      server = await listen(service, options)
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    } else await client.connect(new StdioClientTransport(STDIO))
    await client.listTools()
  })
  afterAll(async () => {
    await client.close()
    await server?.close()
  })

  /** Calls a tool as a task and gives what the client told on the way. */
  async function call(name: string, input: Record<string, unknown>) {
    const messages = []
    const stream = client.experimental.tasks.callToolStream({ name, arguments: input })
    for await (const message of stream) messages.push(message)
    return messages
  }

  it('gives the result of a tool that takes its time', async () => {
    const messages = await call('slow_compute', { seconds: 0.15, label: 'sum' })
    expect(messages[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working' } })
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      result: { content: [{ type: 'text', text: 'computed sum' }] },
    })
  })

  it('calls a tool that can only be a task, and gets its failure', async () => {
    const messages = await call('failing_job', {})
    expect(messages.at(-1)?.type).toMatch(/result|error/)
    const created = messages.find(({ type }) => type === 'taskCreated')
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : ''
    const result = await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema)
    expect(result).toMatchObject({ isError: true })
    expect((await client.experimental.tasks.getTask(taskId)).status).toBe('failed')
  })

  it('is asked by a task in the middle', async () => {
    const messages = await call('confirm_delete', { filename: 'a.txt' })
    expect(messages.at(-1)).toMatchObject({
      type: 'result',
      result: { content: [{ type: 'text', text: 'accept a.txt' }] },
    })
  })

  it('cancels a task, and the handler notices', async () => {
    const label = `task-${way}`
    const stream = client.experimental.tasks.callToolStream({
      name: 'wait_until_cancelled',
      arguments: { label },
    })
    const { value: created } = await stream.next()
    const taskId = created?.type === 'taskCreated' ? created.task.taskId : ''
    expect((await client.experimental.tasks.cancelTask(taskId)).status).toBe('cancelled')
    const states = await client.callTool({ name: 'list_states', arguments: {} })
    expect(JSON.stringify(states['content'])).toContain(`${label} aborted`)
  })
})
