import { describe, expect, it } from 'vitest'
import { call, createTestClock, createTestLog } from '../../test/support/forrst.ts'
import type { Extension } from '../core/extension.ts'
import { createService } from './create-service.ts'
import { diagnosticsExtension } from './diagnostics-extension.ts'

const PING = 'urn:cline:forrst:ext:diagnostics:fn:ping'
const HEALTH = 'urn:cline:forrst:ext:diagnostics:fn:health'

function setUp(extensions: readonly Extension[] = [diagnosticsExtension()], working = true) {
  const clock = createTestClock()
  return createService({
    info: { title: 'Users', version: '1.2.3' },
    functions: [],
    defaults: false,
    extensions,
    clock,
    log: createTestLog(),
    health: {
      database: {
        check() {
          clock.advance(3.4)
          if (!working) throw new Error('password=hunter2')
          return undefined
        },
      },
      cache: { check: () => ({ status: 'degraded', message: 'High latency' }) },
    },
  })
}

describe('diagnostics extension', () => {
  it('[F-114] answers its ping with healthy, whatever the components say', async () => {
    const response = await call(setUp(undefined, false), { function: PING })
    expect(response.status).toBe(200)
    expect(response.body.result).toEqual({ status: 'healthy', timestamp: '2024-01-15T10:30:00Z' })
  })

  it('reports components with latencies as plain numbers', async () => {
    const response = await call(setUp(), { function: HEALTH })
    expect(response.body.result).toEqual({
      status: 'degraded',
      timestamp: '2024-01-15T10:30:00Z',
      components: {
        database: { status: 'healthy', latency_ms: 3 },
        cache: { status: 'degraded', latency_ms: expect.any(Number), message: 'High latency' },
      },
      version: '1.2.3',
    })
  })

  it('marks the component of a failing check instead of failing itself', async () => {
    const response = await call(setUp(undefined, false), {
      function: HEALTH,
      arguments: { component: 'database' },
    })
    expect(response.status).toBe(503)
    expect(response.body.errors).toBeUndefined()
    expect(response.body.result).toMatchObject({
      status: 'unhealthy',
      components: { database: { status: 'unhealthy', latency_ms: expect.any(Number) } },
    })
    expect(JSON.stringify(response.body)).not.toContain('hunter2')
  })

  it('leaves the components out when no details are wanted', async () => {
    const response = await call(setUp(), {
      function: HEALTH,
      arguments: { include_details: false },
    })
    expect(response.body.result).toEqual({ status: 'degraded', timestamp: '2024-01-15T10:30:00Z' })
  })

  it('names the components it knows when asked for another', async () => {
    const response = await call(setUp(), { function: HEALTH, arguments: { component: 'moon' } })
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('database, cache'),
    })
  })

  it('[F-87][F-88] brings its functions and takes them away again', async () => {
    expect((await call(setUp(), { function: PING })).status).toBe(200)
    const without = await call(setUp([]), { function: PING })
    expect(without.body.errors?.[0].code).toBe('FUNCTION_NOT_FOUND')
  })
})
