import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allSurfaces, createApp, createService, defineFunction } from 'waymark'
import { createMemoryStore } from 'waymark/store'
import { createTestLog } from '../support/forrst.ts'
import { findBrowser, launchBrowser } from './browser.ts'
import { startServer, type TestServer } from './server.ts'

const PATIENCE_MS = 20_000
const path = await findBrowser()
if (path === undefined && process.env['CI'] === 'true') {
  throw new Error('CI=true refuses skips: install chromium')
}

describe.skipIf(path === undefined)('operations of a real service on the page', () => {
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'reports.build',
        version: '1.0.0',
        handler: ({ progress, signal }) => {
          progress(0.5, 'Half of it')
          return new Promise((resolve) => signal.addEventListener('abort', resolve))
        },
      }),
    ],
    store: createMemoryStore(),
    log: createTestLog(),
  })
  let browser: Browser
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(
      createApp(service, {
        bind: '127.0.0.1',
        surfaces: allSurfaces({ explorer: { allowExecute: true } }),
      }),
    )
    browser = await launchBrowser(path ?? '')
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await service.close()
  }, 30_000)

  it('shows how far one is, and cancels it', async () => {
    await fetch(`${server.url}/forrst`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'req_1',
        call: { function: 'reports.build' },
        extensions: [{ urn: 'urn:forrst:ext:async', options: { preferred: true } }],
      }),
    })
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`${server.url}/explorer/#/operations`)
    const operation = page.getByRole('article', { name: /^reports\.build op_/ })
    await operation.getByText('processing').waitFor()
    await operation.getByText('Half of it').waitFor()
    await operation.getByText('50 %').waitFor()
    await operation.getByRole('button', { name: 'Cancel' }).click()
    await operation.getByText('cancelled').waitFor()
    await page.getByRole('button', { name: 'processing', exact: true }).click()
    await expect.poll(() => page.getByRole('article').count(), { timeout: PATIENCE_MS }).toBe(0)
  }, 60_000)
})
