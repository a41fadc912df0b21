import { describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import { createFailingStore } from '../../test/support/stores.ts'
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

describe('ping after a health check', () => {
  it('tells in details what the newest checks found, and asks nobody', async () => {
    let asked = 0
    const check = () => {
      asked += 1
      return { status: 'unhealthy' } as const
    }
    const service = withChecks({ database: { check }, cache: degraded, mail: healthy })
    await healthOf(service)
    const { status, body } = await call(service, { function: 'urn:cline:forrst:fn:ping' })
    expect([status, body.result]).toEqual([
      200,
      { status: 'degraded', timestamp, details: { database: 'unhealthy', cache: 'degraded' } },
    ])
    expect(asked).toBe(1)
  })
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
      cacheMs: 0,
    }
    const service = withChecks({ database: flaky })
    await healthOf(service)
    works = false
    expect(await healthOf(service)).toMatchObject({
      components: { database: { status: 'unhealthy', last_check: timestamp } },
    })
  })

  it('asks a component once for everybody who asks within its cacheMs, and logs a change once', async () => {
    const clock = createTestClock()
    const kept = createTestLog()
    const log = { ...kept, info: kept.warn }
    let asked = 0
    const check = async () => {
      asked += 1
      return asked < 3
        ? ({ status: 'unhealthy', message: 'Connection refused' } as const)
        : undefined
    }
    const service = serviceOf([], { clock, log, health: { database: { check, cacheMs: 1_000 } } })
    await Promise.all([healthOf(service), healthOf(service), healthOf(service)])
    clock.advance(999)
    await healthOf(service)
    expect(asked).toBe(1)
    clock.advance(1)
    expect(await healthOf(service)).toMatchObject({ http: 503 })
    clock.advance(1_000)
    expect(await healthOf(service)).toMatchObject({ http: 200, status: 'healthy' })
    expect(kept.lines).toEqual([
      {
        message: 'a health check failed',
        facts: { component: 'database', status: 'unhealthy', reason: 'Connection refused' },
      },
      {
        message: 'a component is healthy again',
        facts: { component: 'database', status: 'healthy' },
      },
    ])
  })

  it('lets a component that is not critical be degraded at most', async () => {
    const throwing: ComponentCheck = {
      critical: false,
      check: () => {
        throw new Error('no')
      },
    }
    expect(
      await healthOf(withChecks({ mail: { ...unhealthy, critical: false }, search: throwing })),
    ).toMatchObject({
      http: 200,
      status: 'degraded',
      components: {
        mail: { status: 'degraded', message: 'Connection refused' },
        search: { status: 'degraded', message: 'The check failed' },
      },
    })
  })

  it('checks its store and queue by itself, judged as settings say, and not those that are left out', async () => {
    const { store, fail } = createFailingStore()
    fail(true)
    const service = serviceOf([], {
      store,
      log: createTestLog(),
      health: { store: { critical: true }, workers: false },
    })
    service.start()
    const { http, components } = await healthOf(service)
    expect(http).toBe(503)
    expect(components).toMatchObject({
      store: { status: 'unhealthy', message: 'The memory store cannot be read and written' },
      queue: { status: 'degraded' },
    })
    expect(Object.keys(components as object)).toEqual(['store', 'queue'])
    await service.close()
  })

  it('refuses settings for a component that it does not know', () => {
    expect(() => serviceOf([], { health: { databse: { critical: false } } })).toThrow(
      'health.databse.check must be a function',
    )
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
