import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import type { ComponentCheck } from '../core/health.ts'
import type { Service } from '../core/service.ts'
import type { Clock } from '../values/time.ts'

const clock: Clock = { now: () => Date.parse('2024-01-15T10:30:00.250Z'), elapsed: () => 5 }
const timestamp = '2024-01-15T10:30:00Z'
const healthy: ComponentCheck = { check: () => undefined }
const degraded: ComponentCheck = {
  check: () => ({ status: 'degraded', message: 'Failover to secondary' }),
}
const unhealthy: ComponentCheck = {
  check: async () => ({ status: 'unhealthy', message: 'Connection refused' }),
}
const report = (name: string): FunctionDefinition =>
  defineFunction({ name, version: '1.0.0', handler: () => null })

const healthOf = async (service: Service, input: object = {}) => {
  const { status, body } = await call(service, {
    function: 'urn:cline:forrst:fn:health',
    arguments: input,
  })
  return { http: status, ...(body.result as Record<string, unknown>) } as Record<string, unknown>
}
const withChecks = (health: Record<string, ComponentCheck>, functions: FunctionDefinition[] = []) =>
  serviceOf(functions, { clock, health })

describe('urn:cline:forrst:fn:ping', () => {
  it.each([[undefined], [{}]])(
    '[F-32][F-91][F-92][F-93][F-94] answers at once with arguments %j',
    async (input) => {
      const { body } = await call(withChecks({ database: unhealthy }), {
        function: 'urn:cline:forrst:fn:ping',
        version: '1.0.0',
        ...(input && { arguments: input }),
      })
      expect(body.result).toEqual({ status: 'healthy', timestamp })
    },
  )
})

describe('urn:cline:forrst:fn:health', () => {
  it('[F-95][F-96][F-99][F-105][F-106][F-108] shows every component with its latency', async () => {
    expect(await healthOf(withChecks({ database: healthy, cache: healthy }))).toEqual({
      http: 200,
      status: 'healthy',
      components: {
        database: { status: 'healthy', latency: { value: 0, unit: 'millisecond' } },
        cache: { status: 'healthy', latency: { value: 0, unit: 'millisecond' } },
      },
      timestamp,
      version: '1.0.0',
    })
  })

  it('[F-98][F-107] is degraded, with HTTP 200, when a component is and none is worse', async () => {
    expect(await healthOf(withChecks({ database: healthy, cache: degraded }))).toMatchObject({
      http: 200,
      status: 'degraded',
      components: { cache: { status: 'degraded', message: 'Failover to secondary' } },
    })
  })

  it('[F-97][F-107] is unhealthy, with HTTP 503, when any component is', async () => {
    const { http, status, components } = await healthOf(
      withChecks({ database: unhealthy, cache: degraded }),
    )
    expect([http, status]).toEqual([503, 'unhealthy'])
    expect(components).toMatchObject({ database: { message: 'Connection refused' } })
  })

  it('[F-109] takes a check that throws for an unhealthy component and hides what it threw', async () => {
    const broken: ComponentCheck = {
      check: () => {
        throw new Error('password is hunter2')
      },
    }
    const log = createTestLogger()
    const result = await healthOf(serviceOf([], { clock, log, health: { database: broken } }))
    expect(result).toMatchObject({ http: 503, components: { database: { status: 'unhealthy' } } })
    expect(JSON.stringify(result)).not.toContain('hunter2')
    expect(log.lines[0]?.facts).toMatchObject({ error: new Error('password is hunter2') })
  })

  it('takes a check that hangs for an unhealthy component, and runs checks side by side', async () => {
    const hanging: ComponentCheck = { check: () => new Promise(() => {}), timeoutMs: 20 }
    const result = await healthOf(withChecks({ database: hanging, cache: hanging }))
    expect(result['components']).toMatchObject({
      database: { status: 'unhealthy', message: 'No answer within 20 ms' },
      cache: { status: 'unhealthy', message: 'No answer within 20 ms' },
    })
  })

  it('remembers when a component that fails now last passed', async () => {
    let works = true
    const flaky: ComponentCheck = {
      check: () => (works ? undefined : { status: 'unhealthy' }),
    }
    const service = withChecks({ database: flaky })
    await healthOf(service)
    works = false
    expect(await healthOf(service)).toMatchObject({
      components: { database: { status: 'unhealthy', last_check: timestamp } },
    })
  })

  it('[F-103] looks at one component only when asked', async () => {
    const service = withChecks({ database: healthy, cache: unhealthy })
    const result = await healthOf(service, { component: 'database' })
    expect(result).toMatchObject({ http: 200, status: 'healthy' })
    expect(Object.keys(result['components'] as object)).toEqual(['database'])
  })

  it('[F-104] answers liveness with nothing but status and timestamp', async () => {
    const service = withChecks({ database: unhealthy })
    expect(await healthOf(service, { component: 'self', include_details: false })).toEqual({
      http: 200,
      status: 'healthy',
      timestamp,
    })
    expect(await healthOf(service, { component: 'self' })).toMatchObject({
      components: { self: { status: 'healthy' } },
    })
  })

  it('[F-105] leaves only the status of each component without details', async () => {
    const result = await healthOf(withChecks({ cache: degraded }), { include_details: false })
    expect(result['components']).toEqual({ cache: { status: 'degraded' } })
  })

  it.each([['nope'], ['__proto__'], ['constructor']])(
    'refuses the unknown component %s',
    async (component) => {
      const { status, body } = await call(withChecks({ database: healthy }), {
        function: 'urn:cline:forrst:fn:health',
        arguments: { component },
      })
      expect([status, body.errors?.[0]]).toMatchObject([
        400,
        { code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/component' } },
      ])
    },
  )

  it.each(['disabled', 'degraded', 'maintenance'] as const)(
    '[F-100][F-101][F-113] is degraded while a function is %s',
    async (status) => {
      const service = withChecks({ database: healthy }, [report('reports.generate')])
      service.registry.setHealth('reports.generate', {
        status,
        message: 'Disabled during maintenance window',
        until: '2024-01-15T12:00:00Z',
        retryAfter: { value: 30, unit: 'second' },
      })
      expect(await healthOf(service)).toMatchObject({
        http: 200,
        status: 'degraded',
        functions: {
          'reports.generate': {
            status,
            message: 'Disabled during maintenance window',
            until: '2024-01-15T12:00:00Z',
            retry_after: { value: 30, unit: 'second' },
          },
        },
      })
    },
  )

  it('tells how every function is that discovery shows, when one of them is not well', async () => {
    const hidden = defineFunction({ ...report('orders.migrate'), discoverable: false })
    const functions = [report('reports.generate'), report('orders.create'), hidden]
    const service = withChecks({ database: healthy }, functions)
    expect(await healthOf(service)).not.toHaveProperty('functions')
    service.registry.setHealth('reports.generate', { status: 'disabled' })
    expect((await healthOf(service))['functions']).toEqual({
      'reports.generate': { status: 'disabled' },
      'orders.create': { status: 'healthy' },
    })
  })

  it('[F-102] stays unhealthy when a component is, whatever the functions say', async () => {
    const service = withChecks({ database: unhealthy }, [report('reports.generate')])
    service.registry.setHealth('reports.generate', { status: 'disabled' })
    expect(await healthOf(service)).toMatchObject({ http: 503, status: 'unhealthy' })
  })
})
