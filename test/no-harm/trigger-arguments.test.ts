import { describe, expect, it } from 'vitest'
import { defineFunction } from '../../src/core/function.ts'
import { createTriggers } from '../../src/triggers/create-triggers.ts'
import type { TriggerDefinition } from '../../src/triggers/trigger.ts'
import { createTestLogger, serviceOf } from '../support/service.ts'

const version = '1.0.0'
const description = 'Says that something happened'
const handler = () => 'ok'
const functions = [
  defineFunction({ name: 'tests.nothing', version, handler }),
  defineFunction({
    name: 'tests.orders',
    version,
    input: { type: 'object', properties: { status: { type: 'string' } } },
    handler,
  }),
  defineFunction({
    name: 'tests.anything',
    version,
    input: { type: 'object', additionalProperties: true },
    handler,
  }),
]

/** What is logged when a trigger of some settings starts, and what it answers to an event. */
async function start(settings: Partial<TriggerDefinition> & { readonly tool: string }) {
  const log = createTestLogger()
  const trigger = { type: 'emit', name: 'told', event: 'told', description, ...settings }
  const triggers = createTriggers({
    service: serviceOf(functions, { log }),
    triggers: [trigger as TriggerDefinition],
  })
  await triggers.start()
  const warnings = log.lines.map(({ message }) => message)
  const answer = await triggers.ask('told', { id: 7 }).catch((thrown: Error) => thrown.message)
  await triggers.stop()
  return { warnings, answer }
}

describe('beside it: what a trigger passes to its function', () => {
  it('warns of a payload for a function without arguments', async () => {
    const { warnings, answer } = await start({ tool: 'tests.nothing' })
    expect(warnings).toEqual([
      expect.stringMatching(/^trigger told passes its payload to tests\.nothing, which takes no/),
    ])
    expect(answer).toContain('id: is not an argument of tests.nothing')
  })

  it.each([
    ['payload_map', { payload_map: { statsu: 'id' } }],
    ['arguments', { arguments: { statsu: 'open' }, payload_map: {} }],
  ])('warns of a misspelt name in %s, and names the one that was meant', async (_, settings) => {
    const { warnings, answer } = await start({ tool: 'tests.orders', ...settings })
    expect(warnings).toEqual([
      expect.stringMatching(
        /^trigger told passes statsu, which is not an argument of tests\.orders.*status/,
      ),
    ])
    expect(answer).toContain('statsu: is not an argument of tests.orders')
  })

  it.each([
    ['an empty payload_map', { tool: 'tests.nothing', payload_map: {} }],
    ['a function that takes anything', { tool: 'tests.anything' }],
    ['a name that the function has', { tool: 'tests.orders', payload_map: { status: '$event' } }],
  ])('says nothing of %s', async (_, settings) => {
    expect(await start(settings)).toEqual({ warnings: [], answer: 'ok' })
  })

  it('says nothing of a schedule, whose ticks carry nothing', async () => {
    const log = createTestLogger()
    const cron = { type: 'schedule', name: 'nightly', description, cron: '0 2 * * *' } as const
    const triggers = createTriggers({
      service: serviceOf(functions, { log }),
      triggers: [{ ...cron, tool: 'tests.nothing' }],
    })
    await triggers.start()
    await triggers.stop()
    expect(log.lines).toEqual([])
  })
})
