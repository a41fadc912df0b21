import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { generateAgent } from '../../src/codegen/agent/generate-agent.ts'
import type { ToolSpec, TriggerDef } from '../../src/sources/tool-spec/types.ts'
import { OPEN_QUEUE } from '../support/brokers.ts'
import { waitUntil } from '../support/trigger-source.ts'
import { type AgentProject, type RunningAgent, writeAgentProject } from './agent-project.ts'

let project: AgentProject | undefined
afterEach(() => project?.remove())

/** Starts an agent whose only trigger writes down what it gets. */
async function start(
  trigger: TriggerDef,
  env: Readonly<Record<string, string>>,
): Promise<RunningAgent & { readonly seen: () => unknown[] }> {
  const spec: ToolSpec = { domain: 'shop', tools: [], triggers: [trigger] }
  const result = generateAgent([{ file: 'shop.yaml', spec }], {
    name: 'shop-bot',
    standalone: true,
    previous: (path) =>
      path === 'triggers/shop.ts'
        ? `// <custom ${trigger.name}>\n  console.error('seen', JSON.stringify(event))\n// </custom ${trigger.name}>\n`
        : undefined,
  })
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  project = writeAgentProject(new Map(result.files.map((file) => [file.path, file.text])))
  const agent = await project.start(env)
  const seen = (): unknown[] =>
    [...agent.log().matchAll(/^seen (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
  return { ...agent, seen }
}

describe.each(['rabbitmq', 'redis', 'sqs'] as const)('a queue of an agent on %s', (kind) => {
  it('[TS-71] [TS-190] runs each message once, and it leaves when it is done', async ({ skip }) => {
    const queue = await OPEN_QUEUE[kind]({ takeOverAfter: kind === 'redis' ? 60 : 1 })
    if (!queue) return skip(`${kind} is not there`)
    try {
      const { seen } = await start(
        {
          type: 'queue',
          name: 'orders',
          description: 'Orders.',
          queue_url: queue.url,
          queue_env: 'QUEUE',
        },
        queue.env,
      )
      await queue.send([
        { id: 'm1', body: '{"order":1}' },
        { id: 'm2', body: 'plain text' },
        { id: 'm1', body: '{"order":1}' },
      ])
      await waitUntil(async () => (await queue.left()) === 0, 'the queue is empty')
      await waitUntil(() => seen().length >= 2, 'both have run')
      expect(seen()).toHaveLength(2)
      expect(seen()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: 'm1', payload: { order: 1 }, type: 'queue' }),
          expect.objectContaining({ id: 'm2', payload: 'plain text', type: 'queue' }),
        ]),
      )
    } finally {
      project?.remove()
      await queue.close()
    }
  })
})

it('[TS-75] a file trigger of an agent tells of new files, in the folder that a variable names', async () => {
  const inbox = mkdtempSync(join(tmpdir(), 'waymark-inbox-'))
  const watch_path = ['$', '{INBOX}/*.csv'].join('')
  try {
    const { seen } = await start(
      { type: 'file', name: 'prices', description: 'Prices.', watch_path, events: ['create'] },
      { INBOX: inbox },
    )
    writeFileSync(join(inbox, 'new.csv'), 'a')
    writeFileSync(join(inbox, 'new.txt'), 'b')
    await waitUntil(() => seen().length > 0, 'the file was seen')
    expect(seen()).toMatchObject([{ type: 'file', payload: { relative_path: 'new.csv' } }])
  } finally {
    rmSync(inbox, { recursive: true })
  }
})

it('the start of an agent names what is missing for its queue', async () => {
  const queue = (queue_url: string): TriggerDef => ({
    type: 'queue',
    name: 'orders',
    description: 'x',
    queue_url,
  })
  await expect(start(queue(['$', '{MQ}/x'].join('')), {})).rejects.toThrow('MQ')
})
