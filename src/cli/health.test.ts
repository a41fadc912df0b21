import { expect, it } from 'vitest'
import { runMain } from '../../test/cli/run-main.ts'
import { createTestLog } from '../../test/support/forrst.ts'
import { defineFunction } from '../core/function.ts'
import { serve } from '../http/serve.ts'
import { createService } from '../system/create-service.ts'

it('waymark health names the functions that are not well, and not the others', async () => {
  const report = { version: '1.0.0', handler: () => null }
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({ ...report, name: 'reports.build' }),
      defineFunction({ ...report, name: 'reports.print', health: { status: 'disabled' } }),
    ],
    log: createTestLog(),
  })
  const server = await serve(service, { port: 0, graceMs: 100 })
  const { code, out } = await runMain(['health', server.url])
  await server.close()
  expect(code).toBe(0)
  expect(out).toMatch(/^Status {2}degraded/)
  expect(out).toMatch(/reports\.print +disabled/)
  expect(out).not.toContain('reports.build')
})
