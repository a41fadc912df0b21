import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { type DryRunReport, defineFunction } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { jsonSchema } from '../../schema/schema.ts'
import { createService } from '../../system/create-service.ts'
import type { Maybe } from '../../values/maybe.ts'
import { dryRunExtension } from './dry-run.ts'

const URN = 'urn:forrst:ext:dry-run'

const REPORT: DryRunReport = {
  wouldAffect: [{ type: 'user', id: 42, action: 'delete' }],
  diff: { users: { before: { active: 47 }, after: { active: 46 } } },
  sideEffects: [{ type: 'email', template: 'account_deleted', count: 1 }],
  estimatedDurationMs: 2000,
}

function setUp(dryRun?: () => Maybe<DryRunReport>) {
  const deleted: number[] = []
  const input = jsonSchema<{ user_id: number }>({
    type: 'object',
    properties: { user_id: { type: 'integer', minimum: 1 } },
    required: ['user_id'],
  })
  const service = createService({
    info: { title: 'Users', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'users.delete',
        version: '1.0.0',
        input,
        sideEffects: ['delete', 'sends_email'],
        ...(dryRun && { dryRun }),
        handler({ input: { user_id: id } }) {
          deleted.push(id)
          return { deleted: true }
        },
      }),
      defineFunction({ name: 'users.get', version: '1.0.0', readOnly: true, handler: () => ({}) }),
    ],
    extensions: [dryRunExtension()],
    log: createTestLog(),
  })
  const ask = (options: unknown, userId: unknown = 42, name = 'users.delete') =>
    call(service, {
      function: name,
      arguments: { user_id: userId },
      extensions: [{ urn: URN, options }],
    })
  return { ask, deleted }
}

describe('dry-run extension', () => {
  it('[F-210] reports what the function says would happen and changes nothing', async () => {
    const { ask, deleted } = setUp(() => REPORT)
    const response = await ask({ enabled: true, include_diff: true, include_side_effects: true })
    expect(response.status).toBe(200)
    expect(response.body.result).toBeNull()
    expect(response.body.errors).toBeUndefined()
    expect(dataOf(response, URN)).toEqual({
      valid: true,
      would_affect: [{ type: 'user', id: 42, action: 'delete' }],
      diff: { users: { before: { active: 47 }, after: { active: 46 } } },
      side_effects: [{ type: 'email', template: 'account_deleted', count: 1 }],
      estimated_duration: { value: 2000, unit: 'millisecond' },
    })
    expect(deleted).toEqual([])
  })

  it('leaves the diff out unless asked, and side effects only when told to', async () => {
    const { ask } = setUp(async () => REPORT)
    expect(Object.keys(dataOf(await ask({ enabled: true }), URN) ?? {})).toEqual([
      'valid',
      'would_affect',
      'side_effects',
      'estimated_duration',
    ])
    expect(
      dataOf(await ask({ enabled: true, include_side_effects: false }), URN),
    ).not.toHaveProperty('side_effects')
  })

  it('[F-210] checks the arguments and names the declared side effects of a function that has no rehearsal', async () => {
    const { ask, deleted } = setUp()
    const response = await ask({ enabled: true })
    expect(response.body.result).toBeNull()
    expect(dataOf(response, URN)).toEqual({
      valid: true,
      side_effects: [{ type: 'delete' }, { type: 'sends_email' }],
    })
    expect(deleted).toEqual([])
  })

  it('[F-211] reports invalid arguments as validation_errors, not as errors', async () => {
    const { ask, deleted } = setUp(() => REPORT)
    const response = await ask({ enabled: true }, 0)
    expect(response.status).toBe(200)
    expect(response.body.errors).toBeUndefined()
    expect(response.body.result).toBeNull()
    expect(dataOf(response, URN)).toEqual({
      valid: false,
      validation_errors: [
        { field: 'user_id', code: 'minimum', message: expect.stringContaining('1') },
      ],
    })
    expect(deleted).toEqual([])
  })

  it('[F-211] reports what the function would refuse as validation_errors', async () => {
    const { ask } = setUp(() => {
      throw new CallError('NOT_FOUND', {
        message: 'No such user',
        source: { pointer: '/call/arguments/user_id' },
      })
    })
    expect(dataOf(await ask({ enabled: true }), URN)).toEqual({
      valid: false,
      validation_errors: [{ field: 'user_id', code: 'NOT_FOUND', message: 'No such user' }],
    })
    const later = setUp(() => Promise.reject(new CallError('CONFLICT')))
    expect(dataOf(await later.ask({ enabled: true }), URN)).toMatchObject({
      valid: false,
      validation_errors: [{ field: '', code: 'CONFLICT' }],
    })
  })

  it('fails when the rehearsal itself fails, without a word about why', async () => {
    const broken = setUp(() => {
      throw new Error('secret')
    })
    const response = await broken.ask({ enabled: true })
    expect(response.body.errors?.[0].code).toBe('INTERNAL_ERROR')
    expect(JSON.stringify(response.body)).not.toContain('secret')
    const away = setUp(() => Promise.reject(new CallError('UNAVAILABLE')))
    expect((await away.ask({ enabled: true })).body.errors?.[0].code).toBe('UNAVAILABLE')
  })

  it('runs the function when it is not enabled', async () => {
    const { ask, deleted } = setUp(() => REPORT)
    const response = await ask({ enabled: false })
    expect(response.body.result).toEqual({ deleted: true })
    expect(response.body.extensions).toEqual([{ urn: URN }])
    expect(deleted).toEqual([42])
  })

  it('is not applicable to a function that only reads', async () => {
    const response = await setUp().ask({ enabled: true }, 1, 'users.get')
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'EXTENSION_NOT_APPLICABLE',
      source: { pointer: '/extensions/0' },
    })
  })

  it.each([
    [{}, 'enabled'],
    [{ enabled: null }, 'enabled'],
    [{ enabled: true, include_diff: 'all' }, 'include_diff'],
    [{ enabled: true, include_side_effects: 0 }, 'include_side_effects'],
  ])('refuses the options %j', async (options, name) => {
    const { ask, deleted } = setUp()
    expect((await ask(options)).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(`options.${name} must be`),
      source: { pointer: `/extensions/0/options/${name}` },
    })
    expect(deleted).toEqual([])
  })
})
