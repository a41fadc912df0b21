import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import type { Simulation } from '../../core/description.ts'
import { defineFunction } from '../../core/function.ts'
import { jsonSchema } from '../../schema/schema.ts'
import { createService } from '../../system/create-service.ts'
import { simulationExtension } from './simulation.ts'

const URN = 'urn:forrst:ext:simulation'

const SIMULATIONS: readonly Simulation[] = [
  {
    name: 'not_found',
    description: 'User ID does not exist',
    input: { id: 'user_404', filter: { a: 1, b: [1, 2] } },
    error: { code: 'USERS_UNKNOWN', message: 'User not found', data: { id: 'user_404' } },
  },
  { name: 'empty', input: { id: 'user_0' }, output: null },
  {
    name: 'default',
    description: 'Returns a typical user object',
    input: { id: 'user_123' },
    output: { id: 'user_123', name: 'Jane Doe' },
    metadata: { latency: 20 },
  },
]

function setUp(simulations: readonly Simulation[] | undefined = SIMULATIONS) {
  const runs: unknown[] = []
  const service = createService({
    info: { title: 'Users', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'users.get',
        version: '1.0.0',
        input: jsonSchema<{ id: string }>({
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
        }),
        errors: [{ code: 'USERS_UNKNOWN', message: 'Unknown user', status: 404 }],
        simulations,
        handler({ input }) {
          runs.push(input)
          return { real: true }
        },
      }),
      defineFunction({ name: 'legacy.process', version: '1.0.0', handler: () => ({}) }),
    ],
    extensions: [simulationExtension()],
    log: createTestLog(),
  })
  const ask = (input: unknown, options?: unknown, name = 'users.get') =>
    call(service, {
      function: name,
      arguments: input,
      extensions: [{ urn: URN, ...(options !== undefined && { options }) }],
    })
  return { ask, runs }
}

describe('simulation extension', () => {
  it('[F-231] answers the default scenario without running the function', async () => {
    const { ask, runs } = setUp()
    const response = await ask({ id: 'somebody' }, { enabled: true })
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({ id: 'user_123', name: 'Jane Doe' })
    expect(dataOf(response, URN)).toEqual({
      simulated: true,
      scenario: 'default',
      metadata: { latency: 20 },
    })
    expect(runs).toEqual([])
  })

  it('[F-231] plays the scenario that is named, and does not look at the arguments', async () => {
    const { ask, runs } = setUp()
    const response = await ask({ id: 42 }, { enabled: true, scenario: 'empty' })
    expect(response.body.result).toBeNull()
    expect(response.body.errors).toBeUndefined()
    expect(dataOf(response, URN)).toEqual({ simulated: true, scenario: 'empty' })
    expect(runs).toEqual([])
  })

  it('[F-233] plays the scenario whose input equals the arguments, whatever the order of members', async () => {
    const { ask, runs } = setUp()
    const response = await ask({ filter: { b: [1, 2], a: 1 }, id: 'user_404' }, { enabled: true })
    expect(response.status).toBe(404)
    expect(response.body.errors).toEqual([
      { code: 'USERS_UNKNOWN', message: 'User not found', details: { id: 'user_404' } },
    ])
    expect(dataOf(response, URN)).toEqual({ simulated: true, scenario: 'not_found' })
    expect(runs).toEqual([])
  })

  it.each([
    [{ id: 'user_404', filter: { a: 1, b: [2, 1] } }],
    [{ id: 'user_404', filter: { a: 1 } }],
    [{ id: 'user_404', filter: { a: 1, b: [1, 2], c: null } }],
    [{ id: 'user_404', filter: { a: 1, b: { 0: 1, 1: 2 } } }],
    [{}],
  ])('[F-233] does not take %j for the input of a scenario', async (input) => {
    expect(dataOf(await setUp().ask(input, { enabled: true }), URN)).toMatchObject({
      scenario: 'default',
    })
  })

  it('takes the first scenario with an output when none is named default', async () => {
    const { ask } = setUp(SIMULATIONS.slice(0, 2))
    expect(dataOf(await ask({}, { enabled: true }), URN)).toMatchObject({ scenario: 'empty' })
    const failing = setUp(SIMULATIONS.slice(0, 1))
    expect(dataOf(await failing.ask({}, { enabled: true }), URN)).toMatchObject({
      scenario: 'not_found',
    })
  })

  it('[F-232] answers SIMULATION_NOT_SUPPORTED for a function without scenarios', async () => {
    const response = await setUp().ask({}, { enabled: true }, 'legacy.process')
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'SIMULATION_NOT_SUPPORTED',
      message: "Function 'legacy.process' does not support simulation",
    })
    expect(dataOf(response, URN)).toEqual({ simulated: false, error: 'unsupported' })
  })

  it('[F-232] answers SIMULATION_SCENARIO_NOT_FOUND for an unknown name and lists the known ones', async () => {
    const { ask, runs } = setUp()
    const response = await ask({}, { enabled: true, scenario: 'nope' })
    expect(response.status).toBe(404)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'SIMULATION_SCENARIO_NOT_FOUND',
      source: { pointer: '/extensions/0/options/scenario' },
      details: { available_scenarios: ['not_found', 'empty', 'default'] },
    })
    expect(dataOf(response, URN)).toEqual({
      simulated: false,
      error: 'scenario_not_found',
      requested_scenario: 'nope',
    })
    expect(runs).toEqual([])
  })

  it('lists the scenarios instead of playing one', async () => {
    const { ask, runs } = setUp()
    const response = await ask({}, { enabled: true, list_scenarios: true })
    expect(response.body.result).toBeNull()
    expect(dataOf(response, URN)).toEqual({
      simulated: false,
      available_scenarios: [
        {
          name: 'not_found',
          description: 'User ID does not exist',
          is_error: true,
          is_default: false,
        },
        { name: 'empty', is_error: false, is_default: false },
        {
          name: 'default',
          description: 'Returns a typical user object',
          is_error: false,
          is_default: true,
        },
      ],
    })
    expect(runs).toEqual([])
  })

  it('runs the function when it is not enabled', async () => {
    const { ask, runs } = setUp()
    const response = await ask({ id: 'user_123' }, { enabled: false })
    expect(response.body.result).toEqual({ real: true })
    expect(dataOf(response, URN)).toEqual({ simulated: false })
    expect(runs).toEqual([{ id: 'user_123' }])
  })

  it.each([
    [undefined, '/extensions/0/options/enabled'],
    [{ enabled: 'yes' }, '/extensions/0/options/enabled'],
    [{ enabled: true, scenario: 7 }, '/extensions/0/options/scenario'],
    [{ enabled: true, scenario: '' }, '/extensions/0/options/scenario'],
    [{ enabled: true, list_scenarios: 1 }, '/extensions/0/options/list_scenarios'],
  ])('refuses the options %j', async (options, pointer) => {
    const { ask, runs } = setUp()
    const response = await ask({ id: 'user_123' }, options)
    expect(response.status).toBe(400)
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer },
    })
    expect(runs).toEqual([])
  })
})
