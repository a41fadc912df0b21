import { expect, it } from 'vitest'
import { createTestLog } from '../../test/support/forrst.ts'
import { defineFunction } from '../core/function.ts'
import { serve } from '../http/serve.ts'
import { createService } from '../system/create-service.ts'
import { main } from './main.ts'

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
  let out = ''
  const collect = (text: string) => {
    out += text
  }
  const io = { out: collect, err: collect, env: {}, cwd: process.cwd(), terminal: false }
  const code = await main(['health', server.url], { ...io, signal: AbortSignal.timeout(10_000) })
  await server.close()
  expect(code).toBe(0)
  expect(out).toMatch(/^Status {2}degraded/)
  expect(out).toMatch(/reports\.print +disabled/)
  expect(out).not.toContain('reports.build')
})
