import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { CallError } from '../errors/index.ts'
import { defineFunction } from './function.ts'
import { defineMiddleware } from './middleware.ts'

function setUp() {
  const steps: string[] = []
  const withDatabase = defineMiddleware(async ({ next }) => {
    steps.push('begin')
    try {
      const outcome = await next({ database: { find: (id: string) => ({ id, name: 'Ann' }) } })
      steps.push('commit')
      return outcome
    } catch (thrown) {
      steps.push('rollback')
      throw thrown
    }
  })
  const withUser = defineMiddleware(
    ({ call: { principal }, locals, next }) =>
      next({ user: locals.database.find(principal?.id ?? 'u_1') }),
    { use: [withDatabase] },
  )
  return { steps, withDatabase, withUser }
}

describe('middleware in `use`', () => {
  it('adds to the locals of the handler, each once, what it builds on first', async () => {
    const { steps, withDatabase, withUser } = setUp()
    const greet = defineFunction({
      name: 'users.greet',
      version: '1.0.0',
      use: [withUser, withDatabase],
      output: z.object({ text: z.string(), mood: z.enum(['good', 'bad']) }),
      handler: async ({ locals }) => {
        expectTypeOf(locals.user).toEqualTypeOf<{ id: string; name: string }>()
        return { text: `Hello, ${locals.user.name} ${locals.database.find('x').id}`, mood: 'good' }
      },
    })
    const { body } = await call(serviceOf([greet]), { function: 'users.greet' })
    expect(body.result).toEqual({ text: 'Hello, Ann x', mood: 'good' })
    expect(steps).toEqual(['begin', 'commit'])
  })

  it('runs for the functions that list it alone, inside the middleware of the service', async () => {
    const { steps, withDatabase } = setUp()
    const service = serviceOf(
      [
        defineFunction({
          name: 'users.count',
          version: '1.0.0',
          use: [withDatabase],
          handler: ({ locals }) => Object.keys(locals),
        }),
        defineFunction({
          name: 'users.ping',
          version: '1.0.0',
          handler: ({ locals }) => Object.keys(locals),
        }),
      ],
      {
        middleware: [
          async ({ target, next }) => {
            steps.push(target.name)
            return next({ started: 1 })
          },
        ],
      },
    )
    const ask = async (name: string) => (await call(service, { function: name })).body.result
    expect(await ask('users.count')).toEqual(['started', 'database'])
    expect(await ask('users.ping')).toEqual(['started'])
    expect(steps).toEqual(['users.count', 'begin', 'commit', 'users.ping'])
  })

  it('sees what the handler throws, and the end of a stream', async () => {
    const { steps, withDatabase } = setUp()
    const service = serviceOf([
      defineFunction({
        name: 'users.fail',
        version: '1.0.0',
        use: [withDatabase],
        handler: () => {
          throw new CallError('NOT_FOUND')
        },
      }),
      defineFunction({
        name: 'users.feed',
        version: '1.0.0',
        use: [withDatabase],
        item: z.object({ kind: z.enum(['first', 'last']) }),
        async *handler({ locals }) {
          steps.push(locals.database.find('a').id)
          yield { kind: 'first' }
          steps.push('last')
          yield { kind: 'last' }
        },
      }),
    ])
    await call(service, { function: 'users.fail' })
    await call(service, { function: 'users.feed' })
    expect(steps).toEqual(['begin', 'rollback', 'begin', 'a', 'last', 'commit'])
  })

  it('surrounds queries and dry runs too', async () => {
    const { steps, withDatabase } = setUp()
    const service = serviceOf([
      defineFunction({
        name: 'users.list',
        version: '1.0.0',
        use: [withDatabase],
        query: {},
        resources: ({ locals, plan }) => ({
          data: [{ type: 'user', id: locals.database.find('q').id }],
          meta: { sorts: plan.sorts.length },
        }),
        dryRun: ({ locals }) => ({ wouldAffect: [locals.database.find('d')] }),
        handler: () => [],
      }),
    ])
    const ask = (urn: string, options: object) =>
      call(service, { function: 'users.list', extensions: [{ urn, options }] })
    const queried = await ask('urn:forrst:ext:query', {})
    expect(queried.body.result).toEqual({ data: [{ type: 'user', id: 'q' }], meta: { sorts: 1 } })
    const rehearsed = await ask('urn:forrst:ext:dry-run', { enabled: true })
    expect(rehearsed.body.extensions?.[0]?.data).toMatchObject({
      would_affect: [{ id: 'd', name: 'Ann' }],
    })
    expect(steps).toEqual(['begin', 'commit', 'begin', 'commit'])
  })
})
