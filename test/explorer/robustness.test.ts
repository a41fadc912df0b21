import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { App } from 'waymark'
import { findBrowser, launchBrowser } from './browser.ts'
import { createDemo } from './demo.ts'
import { createFixture } from './fixtures.ts'
import { createOddities, LONG_NAME } from './oddities.ts'
import { startServer, type TestServer } from './server.ts'

const path = await findBrowser()
const PATIENCE_MS = 30_000

describe.skipIf(path === undefined)(
  'the explorer with what nobody expected (skipped where no Chrome or Chromium is found)',
  () => {
    let browser: Browser
    let context: BrowserContext
    let server: TestServer
    let page: Page
    const faults: string[] = []

    vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
    beforeAll(async () => {
      browser = await launchBrowser(path ?? '')
      context = await browser.newContext({
        viewport: { width: 1400, height: 900 },
        permissions: ['clipboard-read', 'clipboard-write'],
      })
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      await page?.close()
      await server?.close()
      expect(faults.splice(0)).toEqual([])
    })

    /** Opens a page at an origin of its own; `prepare` runs in it before anything else does. */
    async function open(
      app: App,
      hash: string,
      { width = 1400, prepare }: { readonly width?: number; readonly prepare?: string } = {},
    ): Promise<Page> {
      server = await startServer(app)
      page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      page.on('pageerror', (error) => faults.push(error.message))
      await page.setViewportSize({ width, height: 800 })
      if (prepare !== undefined) await page.addInitScript(prepare)
      await page.goto(`${server.url}/explorer/${hash}`)
      await page.locator('.tool-head, .panel, .trouble').first().waitFor()
      return page
    }

    const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: PATIENCE_MS })
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    const editor = (page: Page) => page.getByRole('textbox', { name: 'Arguments as JSON' })
    const result = (page: Page) => page.locator('.result-body')
    const execute = async (page: Page) => {
      await button(page, 'Execute').click()
      await page.getByText(/(?:Completed|Failed) in/).waitFor()
    }
    const toArgs = (args: unknown) => `?args=${encodeURIComponent(JSON.stringify(args))}`
    const readOverflow = (page: Page) =>
      page.evaluate(() =>
        [...document.querySelectorAll('html, main, .reading, .console')].map(
          (box) => box.scrollWidth - box.clientWidth,
        ),
      )

    describe('on a small screen', () => {
      it.each([
        ['a nested form', () => createDemo(), '#/tool/events__schedule'],
        ['very long words', () => createOddities().app, `#/tool/${LONG_NAME}`],
      ])('never scrolls sideways: %s', async (_name, create, hash) => {
        const page = await open(create(), hash, { width: 360 })
        await soon(() => readOverflow(page)).toEqual([0, 0, 0, 0])
      })

      it('has a menu that says whether it is open, and closes by Escape or by a choice', async () => {
        const page = await open(createFixture(), '#/tool/echo', { width: 360 })
        const menu = button(page, 'List of tools')
        const state = () => menu.getAttribute('aria-expanded')
        expect(await state()).toBe('false')
        await menu.click()
        await soon(state).toBe('true')
        await page.keyboard.press('Escape')
        await soon(state).toBe('false')
        await menu.click()
        await page.locator('.tool-row[aria-current]').click()
        await soon(state).toBe('false')
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
      })
    })

    describe('the keyboard', () => {
      it('runs a tool once, however often the keys are pressed while it runs', async () => {
        const odd = createOddities()
        const page = await open(odd.app, '#/tool/slow')
        await page.keyboard.press('Control+Enter')
        await page.getByText(/Running for/).waitFor()
        await page.keyboard.press('Control+Enter')
        await page.getByText(/Completed in/).waitFor()
        expect(odd.calls).toHaveLength(1)
      })

      it('runs nothing behind a window, and comes back to where it was', async () => {
        const odd = createOddities()
        const page = await open(odd.app, '#/tool/echo')
        await page.getByRole('button', { name: /Authorization/ }).click()
        await page.getByRole('textbox', { name: 'Token' }).press('Control+Enter')
        await button(page, 'Close').click()
        await soon(() => page.evaluate(() => document.activeElement?.className)).toContain(
          'token-button',
        )
        expect(odd.calls).toEqual([])
      })
    })

    describe('values', () => {
      it('keep every digit of a number, on the way out and back', async () => {
        const odd = createOddities()
        const exact = '{"id":12345678901234567890}'
        const page = await open(odd.app, `#/tool/echo?args=${encodeURIComponent(exact)}`)
        await execute(page)
        expect(odd.calls).toEqual([exact])
        expect(await result(page).textContent()).toContain('12345678901234567890')
        expect(await page.locator('.snippet').textContent()).toContain(exact)
        await page.getByLabel('id', { exact: true }).fill('98765432109876543210')
        await soon(() => editor(page).inputValue()).toContain('98765432109876543210')
      })

      it('that are very long are drawn in parts and saved whole', async () => {
        const page = await open(createOddities().app, '#/tool/log')
        await execute(page)
        const drawn = async () => (await result(page).textContent())?.length ?? 0
        const before = await drawn()
        expect(before).toBeLessThan(200_000)
        await page.getByRole('button', { name: /Show more/ }).click()
        await soon(drawn).toBeGreaterThan(before)
        const saving = page.waitForEvent('download')
        await button(page, 'Download').click()
        const saved = await saving
        expect(saved.suggestedFilename()).toBe('log.txt')
        expect(readFileSync(await saved.path(), 'utf8')).toHaveLength(3_000_000)
      })

      it('that are files are saved as files', async () => {
        const page = await open(createOddities().app, '#/tool/report')
        await execute(page)
        const saving = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download report.pdf' }).click()
        const saved = await saving
        expect(saved.suggestedFilename()).toBe('report.pdf')
        expect(readFileSync(await saved.path(), 'utf8')).toBe('%PDF-1.4')
        expect(await result(page).textContent()).toContain('two\nlines')
      })

      it('of a file come from the disk', async () => {
        const page = await open(createOddities().app, '#/tool/upload')
        await page
          .getByLabel('Choose a file for scan')
          .setInputFiles({ name: 'a.bin', mimeType: 'x/y', buffer: Buffer.from([0, 255, 16]) })
        await soon(() => editor(page).inputValue()).toContain('"AP8Q"')
      })

      it('that the server refuses are marked at their fields', async () => {
        const page = await open(
          createDemo(),
          `#/tool/events__schedule${toArgs({ title: 'Hi', starts_at: '2026-12-01T18:00:00Z', location: { kind: 'venue', venue_id: 'v' } })}`,
        )
        await execute(page)
        await page.locator('[data-pointer="/title"] .field-error').waitFor()
        expect(await result(page).locator('.error-list').textContent()).toContain(
          'INVALID_ARGUMENTS',
        )
      })

      it('that are secret are left out of a shared link', async () => {
        const page = await open(
          createOddities().app,
          `#/tool/login${toArgs({ user: 'ada', password: 'hunter2' })}`,
        )
        await button(page, 'Link').click()
        await page.getByText('Copied!').waitFor()
        const link = decodeURIComponent(await page.evaluate(() => navigator.clipboard.readText()))
        expect(link).toContain('ada')
        expect(link).not.toContain('hunter2')
      })
    })

    describe('finding', () => {
      it('does not mind accents, and offers a way back when nothing is found', async () => {
        const page = await open(createOddities().app, '#/')
        await page.getByRole('searchbox').fill('ubersicht')
        await soon(() => page.locator('.tool-row').count()).toBe(1)
        await page.getByRole('searchbox').fill('no such thing')
        await button(page, 'Show all tools').click()
        await soon(() => page.locator('.tool-row').count()).toBeGreaterThan(5)
      })

      it('names the tool in the title of the tab', async () => {
        const page = await open(createFixture({ title: 'Weather' }), '#/tool/echo')
        await soon(() => page.title()).toBe('echo · Weather')
        await page.evaluate(() => {
          location.hash = '#/overview'
        })
        await soon(() => page.title()).toBe('Weather')
      })

      it('shows a name that reverses its own letters as what it is', async () => {
        const page = await open(createOddities().app, '#/')
        const names = await page.locator('.row-name').allTextContents()
        expect(names).toContain('photo\\u202egnp.exe')
      })
    })

    describe('trouble', () => {
      it.each(['loop', 'twisted'])(
        'with the schema of %s leaves the rest of the page alone',
        async (tool) => {
          const page = await open(createOddities().app, `#/tool/${tool}`)
          await soon(() => page.locator('main').textContent()).toContain(tool)
          await page.locator('.tool-row', { hasText: 'echo' }).click()
          await execute(page)
        },
      )

      it('with what a browser remembers is forgotten', async () => {
        const broken = JSON.stringify([{ tool: 'echo', body: '{}' }, null, 5, { tool: 'echo' }])
        const page = await open(createFixture(), '#/tool/echo', {
          prepare: `localStorage.setItem('waymark-explorer:/explorer:history', ${JSON.stringify(broken)})`,
        })
        await execute(page)
        expect(await page.locator('.history-row').count()).toBe(1)
      })

      it('with the clipboard does not keep anybody from copying', async () => {
        const page = await open(createFixture(), '#/tool/echo', {
          prepare: "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
        })
        await page
          .getByRole('region', { name: 'Code' })
          .getByRole('button', { name: 'Copy' })
          .click()
        await page.getByText('Copied!').waitFor()
      })

      it('at the door of the server is told in its words', async () => {
        const page = await open(createDemo(), '#/tool/reports__attendance')
        await page.route('**/call', (route) =>
          route.fulfill({
            status: 403,
            json: { title: 'Forbidden', detail: 'Not from over there' },
          }),
        )
        await button(page, 'Execute').click()
        await page.getByText('Not from over there').waitFor()
      })
    })

    it('descriptions show headings, lists, code and links, and no address but http', async () => {
      const page = await open(createOddities().app, '#/tool/manual')
      const prose = page.locator('.tool-head .prose')
      expect(await prose.locator('strong').allTextContents()).toContain('Manual')
      expect(await prose.locator('ol li').allTextContents()).toEqual(['one', 'two'])
      expect(await prose.locator('pre').textContent()).toBe('{"a": 1}\n{"b": 2}')
      const links = prose.locator('a')
      expect(
        await links.evaluateAll((found) => found.map((link) => link.getAttribute('href'))),
      ).toEqual(['https://example.com/docs', 'https://example.com/x?y=1'])
      expect(await prose.textContent()).toContain('[bad](javascript:alert(1))')
      expect(await prose.locator('p').first().getAttribute('dir')).toBe('auto')
    })
  },
)
