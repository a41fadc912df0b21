// The checks in Jest, with ES modules.
import { toFetchHandler } from 'waymark'
import { runChecks } from './checks.mjs'
import { app, service } from './service.mjs'

test('every check', async () => {
  expect(await runChecks(toFetchHandler(app))).toBeGreaterThan(10)
})

afterAll(() => service.close())
