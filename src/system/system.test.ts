import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { createTestLogger, serviceOf } from '../../test/support/service.ts'
import type { Clock } from '../core/clock.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import type { ComponentCheck } from '../core/health.ts'
import type { Service } from '../core/service.ts'
import { createService } from './create-service.ts'

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

describe('a service that discovery could not describe', () => {
  const info = { title: 'Orders', version: '1.0.0' }

  it.each([
    [{ info: { title: 'Orders' } }, 'info.version must be a non-empty string'],
    [{ info: { ...info, license: { url: 'https://x.example' } } }, 'info.license.name must be'],
    [{ servers: [{ name: 'production' }] }, 'servers.0.url must be a non-empty string'],
    [
      { servers: [{ name: 'production', url: 'https://{region}.example.com' }] },
      'servers.0.url {region} is not among the variables',
    ],
    [
      {
        servers: [
          {
            name: 'eu',
            url: 'https://{region}.example.com',
            variables: { region: { enum: ['eu'] } },
          },
        ],
      },
      'servers.0.variables.region.default must be',
    ],
  ])('is refused at start: %j', (wrong, message) => {
    const options = { info, functions: [], ...wrong } as unknown as Parameters<
      typeof createService
    >[0]
    expect(() => createService(options)).toThrow(message)
  })
})

describe('capabilities', () => {
  const hidden = defineFunction({
    name: 'orders.migrate',
    version: '1.0.0',
    discoverable: false,
    handler: () => 'ran',
  })
  const service = serviceOf([report('orders.create'), report('orders.list'), hidden], {
    name: 'orders-api',
    limits: { defaultDeadline: { value: 30, unit: 'second' }, rateLimit: 1000 },
  })

  it('[F-60][F-115][F-116][F-117][F-118][F-121][F-122] answer in the words of seed 001', async () => {
    const { body } = await call(service, { function: 'urn:cline:forrst:fn:capabilities' })
    expect(body.result).toMatchObject({
      service: 'orders-api',
      protocol_versions: ['0.1.0'],
      functions: ['orders.create', 'orders.list'],
      limits: { max_request_bytes: 1_048_576, default_deadline: { value: 30, unit: 'second' } },
    })
    const { extensions } = body.result as { extensions: { urn: string }[] }
    expect(extensions).toContainEqual({
      urn: 'urn:forrst:ext:discovery',
      documentation: 'urn:forrst:ext:discovery',
    })
    expect(Object.keys(body.result as object).filter((key) => /[A-Z]/.test(key))).toEqual([])
  })

  it('[F-60][F-119][F-120][F-121][F-122] answer in the words of seed 000', async () => {
    const { body } = await call(service, {
      function: 'urn:cline:forrst:ext:discovery:fn:capabilities',
    })
    expect(body.result).toMatchObject({
      service: 'orders-api',
      protocolVersions: ['0.1.0'],
      functions: ['orders.create', 'orders.list'],
      limits: { maxRequestSize: 1_048_576, rateLimit: 1000 },
    })
    const { extensions } = body.result as { extensions: object[] }
    expect(extensions).toContainEqual({ urn: 'urn:forrst:ext:discovery', version: '1.0.0' })
  })

  it('[F-123][F-124][F-166] list every function but the hidden one, which stays callable', async () => {
    expect((await call(service, { function: 'orders.migrate' })).body.result).toBe('ran')
    for (const name of [
      'urn:cline:forrst:fn:capabilities',
      'urn:cline:forrst:ext:discovery:fn:capabilities',
    ]) {
      const { body } = await call(service, { function: name })
      expect(body.result).toMatchObject({ functions: ['orders.create', 'orders.list'] })
    }
  })

  it('are up to date after a function came or went', async () => {
    const changing = serviceOf([report('orders.create')])
    const ask = async () =>
      (await call(changing, { function: 'urn:cline:forrst:fn:capabilities' })).body.result
    expect(await ask()).toMatchObject({ functions: ['orders.create'] })
    changing.registry.add(report('orders.list'))
    expect(await ask()).toMatchObject({ functions: ['orders.create', 'orders.list'] })
  })
})

describe('urn:cline:forrst:fn:describe', () => {
  const address = { type: 'object', properties: { street: { type: 'string' } } }
  const input = {
    type: 'object',
    properties: {
      customer_id: { type: 'string' },
      shipping_address: { $ref: '#/components/schemas/address' },
      parent: { $ref: '#/$defs/order' },
    },
    required: ['customer_id'],
    $defs: { order: { type: 'object', properties: { parent: { $ref: '#/$defs/order' } } } },
  }
  const service = serviceOf(
    [
      {
        name: 'orders.create',
        version: '1.0.0',
        description: 'Original version',
        writes: ['create'],
        deprecated: { reason: 'Use version 2.0.0', sunset: '2025-06-01' },
        handler: () => null,
      },
      {
        name: 'orders.create',
        version: '2.0.0',
        description: 'Create a new order',
        sideEffects: ['create', 'sends_email'],
        input,
        output: { type: 'object' },
        accepts: { supported: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:tracing'] },
        handler: () => null,
      },
      {
        name: 'orders.create',
        version: '3.0.0',
        stability: 'beta',
        description: 'Beta with async support',
        handler: () => null,
      },
      { name: 'orders.create', version: '0.9.0', stability: 'removed', handler: () => null },
      {
        name: 'orders.list',
        version: '1.0.0',
        readOnly: true,
        query: {
          filters: { allowed: ['id', 'status'], related: { customer: ['id'] } },
          sorts: { allowed: ['created_at'] },
          fields: { allowed: ['id'], related: { customer: ['name'] } },
          relationships: { allowed: ['customer'] },
          pagination: {
            strategies: ['cursor', 'offset', 'page', 'keyset'],
            defaultSize: 50,
            maxSize: 100,
          },
        },
        handler: () => [],
      },
    ],
    { components: { schemas: { address } } },
  )
  const describeIt = (input: object) =>
    call(service, { function: 'urn:cline:forrst:fn:describe', arguments: input })
  const described = async (input: object) =>
    (await describeIt(input)).body.result as {
      versions: Record<string, unknown>[]
      [member: string]: unknown
    }

  it('[F-125] needs to know which function', async () => {
    const { status, body } = await describeIt({})
    expect([status, body.errors?.[0]]).toMatchObject([
      400,
      { code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/function' } },
    ])
  })

  it('[F-126][F-127][F-129][F-136][F-141] explains the function and every version that was not removed', async () => {
    const result = await described({ function: 'orders.create', include_schema: false })
    expect(result).toMatchObject({
      function: 'orders.create',
      description: 'Create a new order',
      side_effects: ['create'],
      recommended_version: '2.0.0',
    })
    expect(result.versions.map(({ version, stability }) => [version, stability])).toEqual([
      ['1.0.0', 'stable'],
      ['2.0.0', 'stable'],
      ['3.0.0', 'beta'],
    ])
  })

  it('[F-128] says that a read-only function has no side effects', async () => {
    expect(await described({ function: 'orders.list' })).toMatchObject({ side_effects: [] })
  })

  it('[F-130] explains one version when asked for it', async () => {
    const { versions } = await described({ function: 'orders.create', version: '1.0.0' })
    expect(versions).toHaveLength(1)
  })

  it('[F-135] shows deprecation as an object, not as stability', async () => {
    const { versions } = await described({ function: 'orders.create', version: '1.0.0' })
    expect(versions[0]).toMatchObject({
      stability: 'stable',
      deprecated: { reason: 'Use version 2.0.0', sunset: '2025-06-01' },
    })
  })

  it('[F-131][F-132][F-133][F-134] includes schemas whose references resolve inside, unless told not to', async () => {
    const { versions } = await described({ function: 'orders.create', version: '2.0.0' })
    expect(versions[0]?.['schema']).toEqual({
      arguments: {
        type: 'object',
        properties: {
          customer_id: { type: 'string' },
          shipping_address: { $ref: '#/definitions/address' },
          parent: { $ref: '#/definitions/order' },
        },
        required: ['customer_id'],
      },
      returns: { type: 'object' },
      definitions: {
        address,
        order: { type: 'object', properties: { parent: { $ref: '#/definitions/order' } } },
      },
    })
    const bare = await described({ function: 'orders.create', include_schema: false })
    expect(bare.versions.every((version) => !('schema' in version))).toBe(true)
  })

  it('[F-137][F-138][F-139] shows what can be queried, in the words of seed 001', async () => {
    const { versions } = await described({ function: 'orders.list' })
    expect(versions[0]).toMatchObject({
      pagination: {
        styles: ['cursor', 'offset', 'keyset'],
        default_style: 'cursor',
        default_limit: 50,
        max_limit: 100,
      },
      capabilities: {
        filters: { self: ['id', 'status'], customer: ['id'] },
        sorts: ['created_at'],
        fields: { self: ['id'], customer: ['name'] },
        relationships: ['customer'],
      },
    })
  })

  it('[F-140] shows which extensions a version accepts, or which it refuses', async () => {
    const { versions } = await described({ function: 'orders.create', include_schema: false })
    expect(versions.map(({ extensions }) => extensions)).toEqual([
      { excluded: ['urn:forrst:ext:caching'] },
      { supported: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:tracing'] },
      undefined,
    ])
    const list = await described({ function: 'orders.list' })
    expect(list.versions[0]?.['extensions']).toEqual({
      excluded: ['urn:forrst:ext:idempotency', 'urn:forrst:ext:dry-run'],
    })
  })

  it('answers for an unknown function and version with pointers to the argument', async () => {
    const unknown = await describeIt({ function: 'no.such' })
    expect(unknown.body.errors?.[0]).toMatchObject({
      code: 'FUNCTION_NOT_FOUND',
      source: { pointer: '/call/arguments/function' },
    })
    const version = await describeIt({ function: 'orders.create', version: '9.0.0' })
    expect(version.body.errors?.[0]).toMatchObject({
      code: 'VERSION_NOT_FOUND',
      source: { pointer: '/call/arguments/version' },
      details: { available_versions: ['1.0.0', '2.0.0', '3.0.0'] },
    })
  })
})
