import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { findBrowser, launchBrowser } from '../test/explorer/browser.ts'
import { buildPlatform, createShop } from '../test/explorer/capability-demo.ts'
import { createDemo } from '../test/explorer/demo.ts'
import { startServer, type TestServer } from '../test/explorer/server.ts'
import { createTriggerDemo } from '../test/explorer/trigger-demo.ts'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const TARGET = join(ROOT, 'screenshots')
/** The picture of the README. */
const DOCS = join(ROOT, 'docs', 'explorer.png')
const VIEWPORT = { width: 1440, height: 900 }
/** Long enough for the latencies to form a line. */
const HEALTH_MS = 32_000

interface Shot {
  readonly name: string
  readonly hash: string
  readonly dark?: boolean
  /** From the shop, which publishes a profile, or from a service with triggers, instead of the events. */
  readonly from?: 'shop' | 'triggers'
  readonly height?: number
  readonly act?: (page: Page) => Promise<unknown>
}

const FILLED = {
  title: 'Evening at the harbour',
  starts_at: '2026-12-01T18:00:00Z',
  location: { kind: 'venue', venue_id: 'ven_1' },
  capacity: 240,
  visibility: 'public',
}

const SHOTS: readonly Shot[] = [
  { name: 'list', hash: '#/' },
  { name: 'detail', hash: '#/tool/events__list' },
  {
    name: 'form-error',
    hash: link('events__schedule', { ...FILLED, title: 'Hi', capacity: 0 }),
    act: (page) => page.getByRole('button', { name: 'Validate' }).click(),
  },
  { name: 'result', hash: link('events__schedule', FILLED), act: execute },
  {
    name: 'table',
    hash: '#/tool/reports__attendance',
    act: async (page) => {
      await execute(page)
      await page.getByRole('tab', { name: 'Table' }).click()
    },
  },
  {
    name: 'simulation',
    hash: '#/tool/events__schedule',
    act: (page) => page.getByRole('button', { name: 'Simulate sold out' }).click(),
  },
  { name: 'health', hash: '#/health', act: (page) => page.waitForTimeout(HEALTH_MS) },
  { name: 'operations', hash: '#/operations' },
  { name: 'capabilities', hash: '#/capabilities', from: 'shop', height: 1240, act: negotiate },
  { name: 'triggers', hash: '#/triggers', from: 'triggers', act: showDeadLetter },
  { name: 'palette', hash: '#/tool/events__get', act: (page) => page.keyboard.press('Control+k') },
  { name: 'dark', hash: link('events__schedule', FILLED), dark: true, act: execute },
]

const path = await findBrowser()
if (path === undefined) {
  console.error('screenshots: no Chrome or Chromium found; set CHROME_PATH.')
  process.exit(2)
}
mkdirSync(TARGET, { recursive: true })
const { app, triggers, setOpen } = await createTriggerDemo()
const servers = {
  events: await startServer(createDemo()),
  shop: await startServer(createShop()),
  triggers: await startServer(app),
}
const browser = await launchBrowser(path)
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'))
for (const shot of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(shot.name)) continue
  await take(browser, shot, servers[shot.from ?? 'events'])
  console.log(`screenshots/${shot.name}.png`)
}
await browser.close()
await triggers.stop(1_000)
for (const server of Object.values(servers)) await server.close()
if (process.argv.includes('--docs')) copyFileSync(join(TARGET, 'result.png'), DOCS)

async function take(from: Browser, shot: Shot, at: TestServer): Promise<void> {
  const { name, hash, dark = false, height = VIEWPORT.height, act } = shot
  const page = await from.newPage({
    viewport: { ...VIEWPORT, height },
    colorScheme: dark ? 'dark' : 'light',
  })
  await page.goto(`${at.url}/explorer/${hash}`)
  await page.getByRole('link', { name: 'Health' }).waitFor()
  await act?.(page)
  await page.waitForTimeout(400)
  await page.screenshot({ path: join(TARGET, `${name}.png`) })
  await page.close()
}

async function negotiate(page: Page): Promise<void> {
  const platform = JSON.stringify(buildPlatform(), undefined, 2)
  await page.getByRole('textbox', { name: 'Platform profile as JSON' }).fill(platform)
  await page.evaluate('document.activeElement.scrollTop = 0; document.activeElement.blur()')
  await page.getByRole('img', { name: /store\.order: excluded/ }).hover()
}

async function showDeadLetter(page: Page): Promise<void> {
  await triggers.emit('order.paid', { order: 'o_1' })
  await page.getByText('ORDERS_CLOSED: The books are closed').waitFor()
  setOpen(true)
  await triggers.emit('order.paid', { order: 'o_2' })
  await page.locator('.state', { hasText: 'done' }).waitFor()
}

async function execute(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText(/Completed in/).waitFor()
}

function link(tool: string, args: object): string {
  return `#/tool/${tool}?args=${encodeURIComponent(JSON.stringify(args))}`
}
