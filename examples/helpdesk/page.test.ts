import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApiKeys } from 'waymark/auth'
import { createMemoryStore } from 'waymark/store'
import { findBrowser, launchBrowser } from '../../test/explorer/browser.ts'
import { startHelpdesk } from './server.ts'

const path = await findBrowser()
if (path === undefined && process.env['CI'] === 'true') {
  throw new Error('CI=true refuses skips: install chromium')
}
const store = createMemoryStore()
let desk: Awaited<ReturnType<typeof startHelpdesk>>
let browser: Browser
beforeAll(async () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  desk = await startHelpdesk({ database: ':memory:', store, secret, port: 0 })
  if (path !== undefined) browser = await launchBrowser(path)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await desk.server.close()
  await store.close()
})

it.skipIf(path === undefined)(
  'shows in a browser what happens to tickets',
  async () => {
    const { key } = await createApiKeys(store).create({
      name: 'page',
      principal: 'page',
      scopes: ['tickets:read', 'tickets:write'],
    })
    const page = await browser.newPage()
    await page.goto(`${desk.server.url}/desk`)
    await page.getByLabel('Token').fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()

    // The list is never asked for after a form was sent: it follows from the live updates.
    await page.getByLabel('Title').fill('<b>Loud</b> fan')
    await page.getByLabel('Priority').selectOption('high')
    const content = { name: 'fan.txt', mimeType: 'text/plain', buffer: Buffer.from('brrr') }
    await page.getByLabel('Attachment').setInputFiles(content)
    await page.getByRole('button', { name: 'Open' }).click()
    const item = page.getByRole('listitem').filter({ hasText: '1 <b>Loud</b> fan (high)' })
    await item.waitFor()
    const headers = { authorization: `Bearer ${key}` }
    const attached = () => fetch(`${desk.server.url}/api/attachments/1`, { headers })
    await expect.poll(async () => (await attached()).status, { timeout: 20_000 }).toBe(200)
    expect(await (await attached()).text()).toBe('brrr')

    await page.getByRole('button', { name: 'Report' }).click()
    await page.getByText('{"tickets":1,"people":{"page":1}}').waitFor()
    await item.getByRole('button', { name: 'Close' }).click()
    await item.waitFor({ state: 'detached' })
    await page.getByLabel('Show').selectOption('closed')
    await item.waitFor()
    expect(await item.getByRole('button').count()).toBe(0)
  },
  120_000,
)
