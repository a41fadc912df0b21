import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction, type FunctionDefinition } from '../core/function.ts'
import { createService } from './create-service.ts'

const report = (name: string): FunctionDefinition =>
  defineFunction({ name, version: '1.0.0', handler: () => null })

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
