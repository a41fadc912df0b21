import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { findBrowser, launchBrowser } from './browser.ts'
import { startServer, type TestServer } from './server.ts'
import { createTriggerDemo, type TriggerDemo } from './trigger-demo.ts'

const path = await findBrowser()
const PATIENCE_MS = 30_000
if (path === undefined && process.env['CI'] === 'true') {
  throw new Error('CI must test the explorer in a browser: install Chromium or set CHROME_PATH')
}

describe.skipIf(path === undefined)(
  'triggers in the explorer (skipped where no Chrome or Chromium is found)',
  () => {
    let browser: Browser
    let server: TestServer
    let page: Page
    let demo: TriggerDemo

    vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
    beforeAll(async () => {
      browser = await launchBrowser(path ?? '')
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      await page?.close()
      await demo.triggers.stop(1_000)
      await server?.close()
    })

    async function open(allowExecute: boolean): Promise<Page> {
      demo = await createTriggerDemo(allowExecute)
      server = await startServer(demo.app)
      page = await browser.newPage({ viewport: { width: 1400, height: 900 } })
      page.setDefaultTimeout(PATIENCE_MS)
      await page.goto(`${server.url}/explorer/#/triggers`)
      await page.getByRole('heading', { name: 'Triggers' }).waitFor()
      return page
    }

    const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: PATIENCE_MS })

    it('shows what waits for what, and when a schedule fires next', async () => {
      const page = await open(true)
      const nightly = page.getByRole('article', { name: 'nightly' })
      await nightly.getByText('0 3 * * * Europe/Helsinki').waitFor()
      const next = new Date((await nightly.locator('time').getAttribute('datetime')) ?? '')
      expect(next.getTime()).toBeGreaterThan(Date.now())
      expect(
        await page.getByRole('navigation', { name: 'Panels' }).getByText('Triggers').count(),
      ).toBe(1)
    })

    it('shows why a delivery failed, and sends it again', async () => {
      const page = await open(true)
      await demo.triggers.emit('order.paid', { order: 'o_1' })
      const row = page.getByRole('article', { name: /^order_paid / })
      await row.getByText('ORDERS_CLOSED: The books are closed').waitFor()
      await soon(() => row.locator('.state').textContent()).toBe('dead')
      demo.setOpen(true)
      await row.getByRole('button', { name: 'Redeliver' }).click()
      await soon(() => row.locator('.state').textContent()).toBe('done')
      await row.getByText('Payload').click()
      await row.getByText('"order": "o_1"').waitFor()
    })

    it('sends nothing again where execution is not allowed', async () => {
      const page = await open(false)
      demo.setOpen(true)
      await demo.triggers.emit('order.paid', { order: 'o_2' })
      await soon(() =>
        page
          .getByRole('article', { name: /^order_paid / })
          .locator('.state')
          .textContent(),
      ).toBe('done')
      expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0)
    })
  },
)
